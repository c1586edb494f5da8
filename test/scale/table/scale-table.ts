import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Item } from 'dynalite/db/index.js';
import db from 'dynalite/db/index.js';
import type { ControlService } from '../../../infra/embedded-aws/control/control-service.ts';
import { openDynamo } from '../../../infra/embedded-aws/dynamodb/dynamodb-server.ts';
import { itemPrefix, openDatabase } from '../../../infra/embedded-aws/dynamodb/storage/database.ts';
import { derivedChanges } from '../../../infra/embedded-aws/dynamodb/storage/derived-entries.ts';
import { serveTable, tableSettings } from '../../fixtures/open-table.ts';
import type { Meter } from './meter.ts';

const region = 'us-east-1';
const batchItems = 2000;

export type ScaleTable = {
  /** the items of the table, by the text of their keys */
  items(): Promise<Map<string, Item>>;
  /** Writes items below the API. No request may run at the same time. */
  fill(items: Iterable<Item>): Promise<number>;
  close(): Promise<void>;
};

/** The embedded DynamoDB with the service's table, whose requests a meter counts. Sets the environment for it. */
export async function openScaleTable(meter: Meter): Promise<ScaleTable> {
  const folder = await mkdtemp(join(tmpdir(), 'scale-'));
  const open = () => openDynamo({ folder, region, tables: [tableSettings], meter: meter.add });
  let dynamo = await open();
  const service: ControlService = { ...dynamo.service, handle: (...call) => dynamo.service.handle(...call) };
  const served = await serveTable(service);
  const table = { ...tableOf(), createdAtMs: 0 };

  return {
    async items() {
      const prefix = itemPrefix(tableSettings.name);
      const found = new Map<string, Item>();
      for await (const entries of dynamo.readEntries()) {
        for (const [key, text] of entries) if (key.startsWith(prefix)) found.set(key, JSON.parse(text));
      }
      return found;
    },
    async fill(items) {
      await dynamo.close();
      const database = await openDatabase(folder);
      let count = 0;
      let changes: { type: 'put'; key: string; value: unknown }[] = [];
      for (const item of items) {
        count += 1;
        changes.push({ type: 'put', key: itemPrefix(table.TableName) + db.createKey(item, table), value: item });
        for (const change of derivedChanges(table, undefined, item)) if (change.type === 'put') changes.push(change);
        if (changes.length < batchItems) continue;
        await database.batch(changes);
        changes = [];
      }
      await database.batch(changes);
      await database.close();
      dynamo = await open();
      return count;
    },
    async close() {
      await served.stop();
      await dynamo.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The table as the embedded DynamoDB stores it. */
const tableOf = () => ({
  TableName: tableSettings.name,
  TableStatus: 'ACTIVE',
  KeySchema: tableSettings.keySchema,
  AttributeDefinitions: tableSettings.attributeDefinitions,
  GlobalSecondaryIndexes: tableSettings.globalSecondaryIndexes ?? [],
});
