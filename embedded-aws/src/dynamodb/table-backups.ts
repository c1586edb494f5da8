import { randomBytes, randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Input } from './items/dynalite-actions.ts';
import { backupItemPrefix, backupPrefix, type Database, END, itemPrefix } from './storage/database.ts';
import type { RestoreSummary } from './storage/derived-entries.ts';
import type { DynamoContext } from './storage/dynamodb-context.ts';
import { describeTable, putTable, type ServedTable, tableArn } from './storage/table-definitions.ts';
import { parse, requireTable } from './table-changes.ts';
import { activeTable, dynamoError } from './table-operations.ts';

// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/backuprestore_HowItWorks.html

type Backup = { arn: string; name: string; status: 'CREATING' | 'AVAILABLE'; createdAtMs: number; table: ServedTable };

const tableName = z.string().regex(/^[\w.-]{3,255}$/);
const createInput = z.object({ TableName: tableName, BackupName: z.string().regex(/^[\w.-]{3,255}$/) });
const backupInput = z.object({ BackupArn: z.string() });
const fromBackupInput = backupInput.extend({ TargetTableName: tableName });
const pointInTimeInput = z.object({
  SourceTableName: tableName,
  TargetTableName: tableName,
  UseLatestRestorableTime: z.boolean().optional(),
  RestoreDateTime: z.number().optional(),
});
const copiedItems = 1000;

export async function createBackup(context: DynamoContext, input: Input) {
  const { BackupName: name } = parse(createInput, input);
  return context.exclusively(async () => {
    requireTable(context, input);
    const table = activeTable(context, input);
    const createdAtMs = context.nowMs();
    const id = `${String(createdAtMs).padStart(14, '0')}-${randomBytes(4).toString('hex')}`;
    const arn = `${tableArn(context.region, table.TableName)}/backup/${id}`;
    const backup: Backup = { arn, name, status: 'CREATING', createdAtMs, table };
    await copy(context.database, itemPrefix(table.TableName), backupItemPrefix(id));
    await context.database.put(backupPrefix + id, backup);
    return { BackupDetails: detailsOf(backup) };
  });
}

/** As a change of a table, the creation of a backup lasts until a client has read that it is over. */
export async function describeBackup(context: DynamoContext, input: Input) {
  const { id, ...found } = await findBackup(context, input);
  const backup: Backup = { ...found, status: 'AVAILABLE' };
  if (found.status !== 'AVAILABLE') await context.database.put(backupPrefix + id, backup);
  return { BackupDescription: descriptionOf(backup, context.region) };
}

export async function deleteBackup(context: DynamoContext, input: Input) {
  const { id, ...backup } = await findBackup(context, input);
  const prefix = backupItemPrefix(id);
  await context.database.clear({ gte: prefix, lt: prefix + END });
  await context.database.del(backupPrefix + id);
  return { BackupDescription: descriptionOf(backup, context.region) };
}

export async function restoreFromBackup(context: DynamoContext, input: Input) {
  const { TargetTableName } = parse(fromBackupInput, input);
  const { id, arn, status, table, createdAtMs: atMs } = await findBackup(context, input);
  if (status !== 'AVAILABLE') throw dynamoError('BackupInUseException', `Backup is being created: ${arn}`);
  const sourceTableArn = tableArn(context.region, table.TableName);
  return restore(context, table, {
    name: TargetTableName,
    from: backupItemPrefix(id),
    summary: { sourceTableArn, sourceBackupArn: arn, atMs },
  });
}

/** There is no history, so that only the latest state can be restored. */
export async function restoreToPointInTime(context: DynamoContext, input: Input) {
  const { SourceTableName, TargetTableName, UseLatestRestorableTime } = parse(pointInTimeInput, input);
  const table = requireTable(context, { TableName: SourceTableName });
  if (!table.hasPointInTimeRecovery) {
    const message = `Point in time recovery is not enabled for table '${SourceTableName}'`;
    throw dynamoError('PointInTimeRecoveryUnavailableException', message);
  }
  if (!UseLatestRestorableTime) {
    throw dynamoError('InvalidRestoreTimeException', 'Only the latest state can be restored: UseLatestRestorableTime.');
  }
  const sourceTableArn = tableArn(context.region, SourceTableName);
  return restore(context, table, {
    name: TargetTableName,
    from: itemPrefix(SourceTableName),
    summary: { sourceTableArn, atMs: context.nowMs() },
  });
}

/** Key, indexes and items: a restored table has no stream, expiry, protection or recovery to a point in time. */
async function restore(
  context: DynamoContext,
  source: ServedTable,
  { name, from, summary }: { name: string; from: string; summary: RestoreSummary },
) {
  return context.exclusively(async () => {
    if (context.tables.has(name)) throw dynamoError('TableAlreadyExistsException', `Table already exists: ${name}`);
    const { KeySchema, AttributeDefinitions, GlobalSecondaryIndexes } = source;
    const table: ServedTable = {
      TableName: name,
      TableStatus: 'CREATING',
      KeySchema,
      AttributeDefinitions,
      ...(GlobalSecondaryIndexes && { GlobalSecondaryIndexes }),
      tableId: randomUUID(),
      createdAtMs: context.nowMs(),
      restored: summary,
    };
    await copy(context.database, from, itemPrefix(name));
    await putTable(context.database, context.tables, table);
    return { TableDescription: await describeTable(context.database, table, context.region) };
  });
}

async function copy(database: Database, from: string, to: string): Promise<void> {
  const entries = database.iterator({ gte: from, lt: from + END });
  for (let batch = await entries.nextv(copiedItems); batch.length > 0; batch = await entries.nextv(copiedItems)) {
    await database.batch(batch.map(([key, value]) => ({ type: 'put', key: to + key.slice(from.length), value })));
  }
  await entries.close();
}

async function findBackup({ database }: DynamoContext, input: Input): Promise<Backup & { id: string }> {
  const { BackupArn } = parse(backupInput, input);
  const id = BackupArn.split('/').at(-1)!;
  const backup = (await database.get(backupPrefix + id)) as Backup | undefined;
  if (backup?.arn !== BackupArn) throw dynamoError('BackupNotFoundException', `Backup not found: ${BackupArn}`);
  return { ...backup, id };
}

const detailsOf = ({ arn, name, status, createdAtMs }: Backup) => ({
  BackupArn: arn,
  BackupName: name,
  BackupStatus: status,
  BackupType: 'USER',
  BackupCreationDateTime: createdAtMs / 1000,
});

const descriptionOf = (backup: Backup, region: string) => ({
  BackupDetails: detailsOf(backup),
  SourceTableDetails: {
    TableName: backup.table.TableName,
    TableId: backup.table.tableId,
    KeySchema: backup.table.KeySchema,
    TableArn: tableArn(region, backup.table.TableName),
    TableCreationDateTime: backup.table.createdAtMs / 1000,
    ProvisionedThroughput: { ReadCapacityUnits: 0, WriteCapacityUnits: 0 },
  },
});
