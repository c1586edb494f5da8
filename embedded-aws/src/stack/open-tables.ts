import { join } from 'node:path';
import type { Meter } from '../account/meter.ts';
import { openDynamo } from '../dynamodb/dynamodb-server.ts';
import type { CapacityMeter } from '../dynamodb/storage/dynamodb-context.ts';
import { readTables } from '../template/read-tables.ts';
import { region } from '../template/resource-identity.ts';
import type { StackContext } from './stack-context.ts';

export async function openTables({ options, template, shutdown }: StackContext) {
  const folder = join(options.dataFolder, 'dynamodb');
  const dynamo = await openDynamo({
    folder,
    tables: readTables(template),
    region,
    chaos: options.chaos?.dynamodb,
    meter: options.meter && tableMeter(options.meter),
    report: (line) => options.writeLine('dynamodb', line),
  });
  shutdown.onClose(dynamo.close);
  return dynamo;
}

const tableMeter =
  (meter: Meter): CapacityMeter =>
  (_operation, uses, callerArn = '') => {
    const caller = callerArn.split('/').at(-1)!;
    for (const { kind, units } of uses) meter(`table ${kind} units`, units, caller);
  };
