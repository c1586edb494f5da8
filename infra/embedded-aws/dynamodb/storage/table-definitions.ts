import { DamagedData } from '../../durable/damaged-data.ts';
import type { Database } from './database.ts';
import { END, itemPrefix, streamPrefix, tablePrefix } from './database.ts';
import { type BuiltSets, derivedDefinitions, hasDerived, rebuildDerived, type StoredTable } from './derived-entries.ts';
import type { StreamSettings } from './stream-record.ts';

export type TableSettings = {
  name: string;
  keySchema: { AttributeName: string; KeyType: string }[];
  attributeDefinitions: { AttributeName: string; AttributeType: string }[];
  globalSecondaryIndexes?:
    | {
        IndexName: string;
        KeySchema: { AttributeName: string; KeyType: string }[];
        Projection: { ProjectionType?: string; NonKeyAttributes?: string[] };
      }[]
    | undefined;
  timeToLiveAttribute?: string;
  stream?: StreamSettings;
};

/** `built` contains the sets of derived entries that are complete. It is written before and after they change. */
type TableRecord = { table: StoredTable; createdAtMs: number; built: BuiltSets };
export type ServedTable = StoredTable & { createdAtMs: number };
export type Tables = Map<string, ServedTable>;

/**
 * Creates missing tables and updates the others to their definitions: new and changed indexes are built from the items.
 * Tables without a definition keep their data, but are not available.
 */
export async function prepareTables(database: Database, settings: TableSettings[], nowMs: number): Promise<Tables> {
  const tables: Tables = new Map();
  for (const setting of settings) {
    const table = tableFrom(setting);
    const old = (await database.get(tablePrefix + setting.name)) as TableRecord | undefined;
    if (old && keyOf(old.table) !== keyOf(table)) {
      throw new Error(
        `The key of table ${setting.name} changed from ${keyOf(old.table)} to ${keyOf(table)}; remove its data first`,
      );
    }
    // As on AWS, a table that gets another stream starts with an empty one.
    const oldStream = old?.table.stream;
    if (oldStream && !isSameStream(oldStream, table.stream)) {
      const prefix = streamPrefix(setting.name);
      await database.clear({ gte: prefix, lt: prefix + END });
    }
    const served = { ...table, createdAtMs: old?.createdAtMs ?? nowMs };
    await storeTable(database, served);
    tables.set(setting.name, served);
  }
  return tables;
}

const isSameStream = (one: StreamSettings, other: StreamSettings | undefined): boolean =>
  one.arn === other?.arn && one.viewType === other.viewType;

/** Changes the time-to-live attribute. Undefined disables expiry. */
export async function setTimeToLive(database: Database, tables: Tables, name: string, attribute: string | undefined) {
  const { timeToLiveAttribute: _, ...rest } = tables.get(name)!;
  const table: ServedTable = attribute ? { ...rest, timeToLiveAttribute: attribute } : rest;
  await storeTable(database, table);
  tables.set(name, table);
}

async function storeTable(database: Database, { createdAtMs, ...table }: ServedTable) {
  const key = tablePrefix + table.TableName;
  const old = (await database.get(key)) as TableRecord | undefined;
  const definitions = derivedDefinitions(table);
  const kept = Object.entries(old?.built ?? {}).filter(([prefix, definition]) => definitions[prefix] === definition);
  const built = Object.fromEntries(kept);
  await database.put(key, { table, createdAtMs, built } satisfies TableRecord);
  const changed = new Set(
    [...Object.keys(old?.built ?? {}), ...Object.keys(definitions)].filter((prefix) => !(prefix in built)),
  );
  await rebuildDerived(database, table, [...changed]);
  await database.put(key, { table, createdAtMs, built: definitions } satisfies TableRecord);
}

function tableFrom(setting: TableSettings): StoredTable {
  return {
    TableName: setting.name,
    TableStatus: 'ACTIVE',
    KeySchema: setting.keySchema,
    AttributeDefinitions: setting.attributeDefinitions,
    ...(setting.globalSecondaryIndexes?.length && { GlobalSecondaryIndexes: setting.globalSecondaryIndexes }),
    ...(setting.timeToLiveAttribute && { timeToLiveAttribute: setting.timeToLiveAttribute }),
    ...(setting.stream && { stream: setting.stream }),
  };
}

function keyOf(table: StoredTable): string {
  return table.KeySchema.map(({ AttributeName }) => {
    const definition = table.AttributeDefinitions.find((attribute) => attribute.AttributeName === AttributeName);
    return `${AttributeName} (${definition?.AttributeType})`;
  }).join(', ');
}

/**
 * Checks that the indexes of the stored tables have exactly the entries of their items. For a database that was not
 * closed: its end may have been that of the machine.
 * @throws DamagedData
 */
export async function requireDerived(database: Database, path: string): Promise<void> {
  const records = database.values({ gte: tablePrefix, lt: tablePrefix + END });
  for (const record of (await records.all()) as TableRecord[]) {
    const { table, built } = record;
    if (!(await hasDerived(database, table, built))) {
      throw new DamagedData(path, `is damaged: items and indexes of the table ${table.TableName} disagree.`);
    }
  }
}

export const tableArn = (region: string, name: string): string =>
  `arn:aws:dynamodb:${region}:000000000000:table/${name}`;

export const streamLabelOf = ({ arn }: StreamSettings): string => arn.split('/').at(-1)!;

/** The TableDescription of DescribeTable. The item count is exact, while AWS updates it every six hours. */
export async function describeTable(database: Database, table: ServedTable, region: string) {
  const arn = tableArn(region, table.TableName);
  const prefix = itemPrefix(table.TableName);
  let itemCount = 0;
  const keys = database.keys({ gte: prefix, lt: prefix + END });
  for (let batch = await keys.nextv(1000); batch.length > 0; batch = await keys.nextv(1000)) itemCount += batch.length;
  await keys.close();
  return {
    TableName: table.TableName,
    TableArn: arn,
    TableStatus: table.TableStatus,
    CreationDateTime: table.createdAtMs / 1000,
    KeySchema: table.KeySchema,
    AttributeDefinitions: table.AttributeDefinitions,
    BillingModeSummary: { BillingMode: 'PAY_PER_REQUEST' },
    ItemCount: itemCount,
    TableSizeBytes: await database.approximateSize(prefix, prefix + END),
    ...(table.stream && {
      StreamSpecification: { StreamEnabled: true, StreamViewType: table.stream.viewType },
      LatestStreamArn: table.stream.arn,
      LatestStreamLabel: streamLabelOf(table.stream),
    }),
    ...(table.GlobalSecondaryIndexes && {
      GlobalSecondaryIndexes: table.GlobalSecondaryIndexes.map((index) => ({
        ...index,
        IndexArn: `${arn}/index/${index.IndexName}`,
        IndexStatus: 'ACTIVE',
      })),
    }),
  };
}
