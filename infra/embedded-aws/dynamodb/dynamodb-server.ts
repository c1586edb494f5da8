import type { ControlService } from '../control/control-service.ts';
import { answerJson, parseJsonObject, Refused } from '../control/json-protocol.ts';
import { createTurns } from '../control/serial-queue.ts';
import { authorizeCall } from './dynamodb-access.ts';
import type { Input } from './items/dynalite-actions.ts';
import { readItems } from './items/item-reads.ts';
import { writeItems } from './items/item-writes.ts';
import { openDatabase } from './storage/database.ts';
import type { Tablespace } from './storage/dynamodb-context.ts';
import { readEntries } from './storage/entries.ts';
import { prepareTables, type TableSettings } from './storage/table-definitions.ts';
import {
  answerDescribeTable,
  answerDescribeTimeToLive,
  answerListTables,
  answerUpdateTimeToLive,
} from './table-operations.ts';
import { startExpiry } from './time-to-live.ts';
import { transactGet } from './transactions/transact-get.ts';
import { transactWrite } from './transactions/transact-write.ts';

export type { TableSettings };
/** `folder` holds the data and may be open in one process only; `now` is in milliseconds since the epoch. */
export type DynamoOptions = { folder: string; tables: TableSettings[]; region: string; now?: () => number };

export const dynamoTarget = 'DynamoDB_20120810';
/** DynamoDB's limit on a request. */
const maxBodyBytes = 16 * 1024 * 1024;

const operations: Record<string, (space: Tablespace, input: Input) => Promise<object>> = {
  GetItem: (space, input) => readItems(space, 'GetItem', input),
  BatchGetItem: (space, input) => readItems(space, 'BatchGetItem', input),
  Query: (space, input) => readItems(space, 'Query', input),
  Scan: (space, input) => readItems(space, 'Scan', input),
  PutItem: (space, input) => writeItems(space, 'PutItem', input),
  UpdateItem: (space, input) => writeItems(space, 'UpdateItem', input),
  DeleteItem: (space, input) => writeItems(space, 'DeleteItem', input),
  BatchWriteItem: (space, input) => writeItems(space, 'BatchWriteItem', input),
  TransactWriteItems: transactWrite,
  TransactGetItems: transactGet,
  DescribeTable: answerDescribeTable,
  ListTables: answerListTables,
  DescribeTimeToLive: answerDescribeTimeToLive,
  UpdateTimeToLive: answerUpdateTimeToLive,
};

/**
 * Opens the embedded DynamoDB and brings its tables to their settings. Tables are made and changed by their settings only, so the operations that
 * would are unknown here.
 */
export async function openDynamo(options: DynamoOptions) {
  const { folder, tables, region, now: nowMs = Date.now } = options;
  const database = await openDatabase(folder);
  const space: Tablespace = {
    database,
    tables: await prepareTables(database, tables, nowMs()).catch(async (error: unknown) => {
      await database.close();
      throw error;
    }),
    region,
    nowMs,
    inTurn: createTurns(),
  };
  const expiry = startExpiry(space);

  const service: ControlService = {
    signingName: 'dynamodb',
    protocol: 'json-1.0',
    maxBodyBytes,
    handle: (request, response, body, caller) =>
      answerJson(response, 'application/x-amz-json-1.0', async () => {
        const [, name = ''] = String(request.headers['x-amz-target']).split('.');
        const operation = Object.hasOwn(operations, name) && operations[name];
        if (!operation) {
          throw new Refused('com.amazon.coral.service#UnknownOperationException', `${name} is not an operation here`);
        }
        const input = parseJsonObject(body);
        authorizeCall(caller, name, input, region);
        return operation(space, input);
      }),
  };

  return {
    service,
    readEntries: () => readEntries(database),
    /** Waits for the writes under way, then releases the folder. */
    async close(): Promise<void> {
      await expiry.stop();
      await space.inTurn(() => database.close());
    },
  };
}
