import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ControlService } from 'embedded-aws';
import { type Item, openDynamo } from 'embedded-aws/testing';
import { serveTable, tableSettings } from '../../../test/fixtures/open-table.ts';
import { bulkFill, type Fill } from './bulk-fill.ts';
import type { Meter } from './meter.ts';

const region = 'us-east-1';

export type ScaleTable = {
  /** the items of the table, by the text of their keys */
  items(): Promise<Map<string, Item>>;
  service: ControlService;
  /** Writes copies below the API. No request may run at the same time. */
  fill(fills: readonly Fill[]): Promise<number>;
  close(): Promise<void>;
};

/** The embedded DynamoDB with the service's table, whose requests a meter counts. Sets the environment for it. */
export async function openScaleTable(meter: Meter): Promise<ScaleTable> {
  const folder = await mkdtemp(join(tmpdir(), 'scale-'));
  const open = () => openDynamo({ folder, region, tables: [tableSettings], meter: meter.add });
  let dynamo = await open();
  const service: ControlService = { ...dynamo.service, handle: (...call) => dynamo.service.handle(...call) };
  const served = await serveTable({ target: dynamo.target, service });
  const table = tableOf();

  return {
    service,
    async items() {
      const prefix = dynamo.itemPrefix(tableSettings.name);
      const found = new Map<string, Item>();
      for await (const entries of dynamo.readEntries()) {
        for (const [key, text] of entries) if (key.startsWith(prefix)) found.set(key, JSON.parse(text));
      }
      return found;
    },
    async fill(fills) {
      await dynamo.close();
      const items = await bulkFill(folder, table, fills);
      dynamo = await open();
      return items;
    },
    async close() {
      await served.stop();
      await dynamo.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The table as the embedded DynamoDB stores it. */
export const tableOf = () => ({
  TableName: tableSettings.name,
  TableStatus: 'ACTIVE',
  KeySchema: tableSettings.keySchema,
  AttributeDefinitions: tableSettings.attributeDefinitions,
  GlobalSecondaryIndexes: tableSettings.globalSecondaryIndexes ?? [],
  createdAtMs: 0,
});
