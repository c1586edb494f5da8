import {
  CreateBackupCommand,
  DeleteBackupCommand,
  DeleteTableCommand,
  DescribeBackupCommand,
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  RestoreTableFromBackupCommand,
  RestoreTableToPointInTimeCommand,
  UpdateContinuousBackupsCommand,
  UpdateTableCommand,
} from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { StreamEntry } from '../../src/dynamodb/storage/change-streams.ts';
import { type RunningDynamo, startDynamo, streamedTable, temporaryFolder } from './dynamo-server.ts';

const TableName = 'things';
const TargetTableName = 'things-aside';
const table = { ...streamedTable, isProtected: true, hasPointInTimeRecovery: true };
const tables = [table];
let running: RunningDynamo;
beforeEach(async () => {
  running = await startDynamo({ tables });
});
afterEach(() => running.stop());

const describe = async (name = TableName) =>
  (await running.client.send(new DescribeTableCommand({ TableName: name }))).Table!;
const unprotect = () => running.client.send(new UpdateTableCommand({ TableName, DeletionProtectionEnabled: false }));
const deleteTable = (name = TableName) => running.client.send(new DeleteTableCommand({ TableName: name }));
const toPointInTime = (more: object = { UseLatestRestorableTime: true }) =>
  running.client.send(new RestoreTableToPointInTimeCommand({ SourceTableName: TableName, TargetTableName, ...more }));
const enableStream = (name = TableName) =>
  running.client.send(
    new UpdateTableCommand({
      TableName: name,
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_IMAGE' },
    }),
  );

/** Takes a backup, deletes the table and restores it under its name. */
async function replaceTable() {
  const created = await running.client.send(new CreateBackupCommand({ TableName, BackupName: 'back' }));
  const BackupArn = created.BackupDetails!.BackupArn!;
  const restore = () =>
    running.client.send(new RestoreTableFromBackupCommand({ BackupArn, TargetTableName: TableName }));
  await unprotect();
  await describe();
  await expect(restore()).rejects.toMatchObject({ name: 'BackupInUseException' });
  await running.client.send(new DescribeBackupCommand({ BackupArn }));
  await expect(restore()).rejects.toMatchObject({ name: 'TableAlreadyExistsException' });
  await deleteTable();
  await restore();
  return BackupArn;
}

test('a restored table has the items, keys and indexes, and none of the other settings', async () => {
  await running.documents.put({ TableName, Item: { pk: 'a', sk: '1', owner: 'ann', expiresAt: 1 } });
  const before = await describe();
  expect(before).toMatchObject({ DeletionProtectionEnabled: true, LatestStreamArn: table.stream!.arn });
  const BackupArn = await replaceTable();
  const { TableStatus, RestoreSummary, ...after } = await describe();
  expect(after).toMatchObject({
    TableArn: before.TableArn,
    KeySchema: before.KeySchema,
    ItemCount: 1,
    DeletionProtectionEnabled: false,
    GlobalSecondaryIndexes: before.GlobalSecondaryIndexes,
  });
  expect(RestoreSummary).toMatchObject({ SourceBackupArn: BackupArn, SourceTableArn: before.TableArn });
  expect([TableStatus, after.LatestStreamArn, after.StreamSpecification]).toEqual(['ACTIVE', undefined, undefined]);
  expect(after.TableId).not.toBe(before.TableId);
  const { TimeToLiveDescription } = await running.client.send(new DescribeTimeToLiveCommand({ TableName }));
  expect(TimeToLiveDescription!.TimeToLiveStatus).toBe('DISABLED');
  const { ContinuousBackupsDescription } = await running.client.send(
    new DescribeContinuousBackupsCommand({ TableName }),
  );
  expect(ContinuousBackupsDescription!.PointInTimeRecoveryDescription).toEqual({
    PointInTimeRecoveryStatus: 'DISABLED',
  });
  const owned = await running.documents.query({
    TableName,
    IndexName: 'by-owner',
    KeyConditionExpression: '#o = :o',
    ExpressionAttributeNames: { '#o': 'owner' },
    ExpressionAttributeValues: { ':o': 'ann' },
  });
  expect(owned.Items).toHaveLength(1);
  await running.client.send(new DeleteBackupCommand({ BackupArn }));
  await expect(running.client.send(new DescribeBackupCommand({ BackupArn }))).rejects.toMatchObject({
    name: 'BackupNotFoundException',
  });
});

test('the stream of a restored table has another ARN, and readers of the old one get nothing', async () => {
  const oldArn = table.stream!.arn;
  const [old, fresh]: StreamEntry[][] = [[], []];
  const stream = running.stream(oldArn)!;
  stream.subscribe((entries) => old!.push(...entries));
  await running.documents.put({ TableName, Item: { pk: 'a', sk: '1' } });
  expect(old).toHaveLength(1);
  await replaceTable();
  await describe();
  const { TableDescription } = await enableStream();
  const arn = TableDescription!.LatestStreamArn!;
  expect(arn).toMatch(/^arn:aws:dynamodb:eu-west-1:000000000000:table\/things\/stream\/\d{4}-\d\d-\d\dT[\d:.]{12}$/);
  expect(arn).not.toBe(oldArn);
  expect(running.stream(oldArn)).toBeUndefined();
  running.stream(arn)!.subscribe((entries) => fresh!.push(...entries));
  await running.documents.put({ TableName, Item: { pk: 'a', sk: '2' } });
  expect([old!.length, fresh!.length]).toEqual([1, 1]);
  for (const shardId of stream.shardIds) expect(await stream.read(shardId, undefined, 10)).toEqual([]);
  await describe();
  await expect(enableStream()).rejects.toThrow('already has an enabled stream');
});

test('a table that is being changed, is protected or has no recovery refuses what AWS refuses', async () => {
  await expect(deleteTable()).rejects.toThrow('protected against deletion');
  await unprotect();
  await expect(deleteTable()).rejects.toMatchObject({ name: 'ResourceInUseException' });
  await expect(enableStream('none')).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
  await expect(toPointInTime({ RestoreDateTime: new Date(0) })).rejects.toMatchObject({
    name: 'InvalidRestoreTimeException',
  });
  const PointInTimeRecoverySpecification = { PointInTimeRecoveryEnabled: false };
  await running.client.send(new UpdateContinuousBackupsCommand({ TableName, PointInTimeRecoverySpecification }));
  await expect(toPointInTime()).rejects.toMatchObject({ name: 'PointInTimeRecoveryUnavailableException' });
});

test('what a deleted table had is gone, also from queries that were asked before', async () => {
  await running.documents.put({ TableName, Item: { pk: 'a', sk: '1' } });
  const query = async () =>
    (
      await running.documents.query({
        TableName,
        KeyConditionExpression: 'pk = :p',
        ExpressionAttributeValues: { ':p': 'a' },
      })
    ).Items!.map(({ sk }) => sk);
  const created = await running.client.send(new CreateBackupCommand({ TableName, BackupName: 'back' }));
  const BackupArn = created.BackupDetails!.BackupArn!;
  await running.client.send(new DescribeBackupCommand({ BackupArn }));
  await running.documents.put({ TableName, Item: { pk: 'a', sk: '2' } });
  expect(await query()).toEqual(['1', '2']);
  await unprotect();
  await describe();
  await deleteTable();
  await expect(query()).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
  await running.client.send(new RestoreTableFromBackupCommand({ BackupArn, TargetTableName: TableName }));
  expect(await query()).toEqual(['1']);
});

test('a restored second table is there after a restart, and the first one is as its definition says', async () => {
  const folder = await temporaryFolder();
  await running.stop();
  running = await startDynamo({ folder, tables });
  await running.documents.put({ TableName, Item: { pk: 'a', sk: '1' } });
  await toPointInTime();
  await replaceTable();
  await running.stop({ keepFolder: true });
  running = await startDynamo({ folder, tables });
  expect(await describe(TargetTableName)).toMatchObject({ ItemCount: 1, TableStatus: 'ACTIVE' });
  expect(await describe()).toMatchObject({ ItemCount: 1, LatestStreamArn: table.stream!.arn });
  await deleteTable(TargetTableName);
});
