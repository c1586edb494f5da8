import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Input } from './actions.ts';
import { openDatabase } from './database.ts';
import { startExpiry } from './expiry.ts';
import { readItems } from './item-reads.ts';
import { writeItems } from './item-writes.ts';
import { answerJson, parseJsonObject, Refused, requireSignature } from './json-protocol.ts';
import {
  answerDescribeTable,
  answerDescribeTimeToLive,
  answerListTables,
  answerUpdateTimeToLive,
} from './table-operations.ts';
import { prepareTables, type TableSettings } from './tables.ts';
import type { Tablespace } from './tablespace.ts';
import { transactGet } from './transact-get.ts';
import { transactWrite } from './transact-write.ts';
import { createTurns } from './write-turns.ts';

export type { TableSettings };
/** `folder` holds the data and may be open in one process only; `now` is in milliseconds since the epoch. */
export type DynamoOptions = { folder: string; tables: TableSettings[]; region: string; now?: () => number };

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
 * Opens the embedded DynamoDB and brings its tables to their settings. `handle` answers one request whose body has been
 * read; tables are made and changed by their settings only, so the operations that would are unknown here.
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

  return {
    handle(request: IncomingMessage, response: ServerResponse, body: Buffer): Promise<void> {
      return answerJson(response, 'application/x-amz-json-1.0', async () => {
        requireSignature(request.headers);
        const [api, name] = String(request.headers['x-amz-target']).split('.');
        const operation = api === 'DynamoDB_20120810' && Object.hasOwn(operations, name!) && operations[name!];
        if (!operation) {
          throw new Refused('com.amazon.coral.service#UnknownOperationException', `${name} is not an operation here`);
        }
        return operation(space, parseJsonObject(body));
      });
    },
    /** Waits for the writes under way, then releases the folder. */
    async close(): Promise<void> {
      await expiry.stop();
      await space.inTurn(() => database.close());
    },
  };
}
