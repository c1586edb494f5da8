import { rm } from 'node:fs/promises';
import { createSerialQueue } from '../../src/control/serial-queue.ts';
import type { TableSettings } from '../../src/dynamodb/dynamodb-server.ts';
import { openChangeStreams } from '../../src/dynamodb/storage/change-streams.ts';
import { openDatabase } from '../../src/dynamodb/storage/database.ts';
import type { DynamoContext } from '../../src/dynamodb/storage/dynamodb-context.ts';
import { createQueryCache } from '../../src/dynamodb/storage/query-cache.ts';
import { createRunningItems } from '../../src/dynamodb/storage/running-items.ts';
import { prepareTables } from '../../src/dynamodb/storage/table-definitions.ts';
import { temporaryFolder, thingsTable } from './dynamo-server.ts';

type Options = { folder?: string; tables?: TableSettings[]; nowMs?: () => number };

/** What the operations of the embedded DynamoDB work on, without a server. */
export async function openContext({ folder: given, tables: settings = [thingsTable], nowMs = Date.now }: Options = {}) {
  const folder = given ?? (await temporaryFolder());
  const database = await openDatabase(folder);
  const region = 'eu-west-1';
  const tables = await prepareTables(database, settings, nowMs());
  const streams = await openChangeStreams({ database, tables, region, nowMs });
  const exclusively = createSerialQueue();
  const context: DynamoContext = {
    database,
    tables,
    region,
    nowMs,
    exclusively,
    streams,
    running: createRunningItems(),
    queryCache: createQueryCache(),
  };
  return {
    context,
    folder,
    async close({ keepFolder = false } = {}): Promise<void> {
      await exclusively(() => database.close());
      if (!keepFolder) await rm(folder, { recursive: true });
    },
  };
}
