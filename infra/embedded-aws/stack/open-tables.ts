import { join } from 'node:path';
import { openDynamo } from '../dynamodb/dynamodb-server.ts';
import { readTables } from '../template/read-tables.ts';
import { region, type StackContext } from './stack-context.ts';

export async function openTables({ options, template, shutdown }: StackContext) {
  const folder = join(options.dataFolder, 'dynamodb');
  const dynamo = await openDynamo({
    folder,
    tables: readTables(template),
    region,
    chaos: options.chaos?.dynamodb,
    report: (line) => options.writeLine('dynamodb', line),
  });
  shutdown.onClose(dynamo.close);
  return dynamo;
}
