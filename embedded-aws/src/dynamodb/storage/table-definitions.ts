import { randomUUID } from 'node:crypto';
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
  isProtected?: boolean;
  hasPointInTimeRecovery?: boolean;
};

/** `built` contains the sets of derived entries that are complete. It is written before and after they change. */
type TableRecord = { table: StoredTable; createdAtMs: number; built: BuiltSets };
export type ServedTable = StoredTable & { createdAtMs: number };
export type Tables = Map<string, ServedTable>;

/**
 * Creates missing tables and updates the others to their definitions: new and changed indexes are built from the items.
 * Tables without a definition keep their data, but are only available if an operator restored them.
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
    const tableId = old?.table.tableId ?? randomUUID();
    await putTable(database, tables, { ...table, tableId, createdAtMs: old?.createdAtMs ?? nowMs });
  }
  const records = database.values({ gte: tablePrefix, lt: tablePrefix + END });
  for (const { table, createdAtMs } of (await records.all()) as TableRecord[]) {
    if (table.restored && !tables.has(table.TableName)) tables.set(table.TableName, { ...table, createdAtMs });
  }
  return tables;
}

const isSameStream = (one: StreamSettings, other: StreamSettings | undefined): boolean =>
  one.arn === other?.arn && one.viewType === other.viewType;

/** Creates a table, or changes it. */
export async function putTable(database: Database, tables: Tables, table: ServedTable): Promise<void> {
  await storeTable(database, table);
  tables.set(table.TableName, table);
}

/** Removes a table with its items and everything that is derived from them. */
export async function removeTable(database: Database, tables: Tables, { TableName, ...table }: ServedTable) {
  tables.delete(TableName);
  const derived = Object.keys(derivedDefinitions({ TableName, ...table }));
  for (const prefix of [...derived, itemPrefix(TableName)]) await database.clear({ gte: prefix, lt: prefix + END });
  await database.del(tablePrefix + TableName);
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
    ...(setting.isProtected && { isProtected: true }),
    ...(setting.hasPointInTimeRecovery && { hasPointInTimeRecovery: true }),
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
    TableId: table.tableId,
    TableStatus: table.TableStatus,
    CreationDateTime: table.createdAtMs / 1000,
    KeySchema: table.KeySchema,
    AttributeDefinitions: table.AttributeDefinitions,
    BillingModeSummary: { BillingMode: 'PAY_PER_REQUEST' },
    ItemCount: itemCount,
    DeletionProtectionEnabled: table.isProtected ?? false,
    TableSizeBytes: await database.approximateSize(prefix, prefix + END),
    ...(table.stream && {
      StreamSpecification: { StreamEnabled: true, StreamViewType: table.stream.viewType },
      LatestStreamArn: table.stream.arn,
      LatestStreamLabel: streamLabelOf(table.stream),
    }),
    ...(table.restored && {
      RestoreSummary: {
        SourceTableArn: table.restored.sourceTableArn,
        ...(table.restored.sourceBackupArn && { SourceBackupArn: table.restored.sourceBackupArn }),
        RestoreDateTime: table.restored.atMs / 1000,
        RestoreInProgress: table.TableStatus === 'CREATING',
      },
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
