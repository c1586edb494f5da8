import type { ControlService } from '../control/control-service.ts';
import { operationHandler } from '../control/operation-handler.ts';
import { createSerialQueue } from '../control/serial-queue.ts';
import type { Identity } from '../iam/principals.ts';
import { authorizeCall } from './dynamodb-access.ts';
import type { Input } from './items/dynalite-actions.ts';
import { readItems } from './items/item-reads.ts';
import { writeItems } from './items/item-writes.ts';
import { closeAndNote, wasClosed } from './level/level-files.ts';
import { openChangeStreams, type StreamSource, shardIds } from './storage/change-streams.ts';
import { openDatabase } from './storage/database.ts';
import type { DynamoChaos } from './storage/dynamo-chaos.ts';
import type { CapacityMeter, DynamoContext } from './storage/dynamodb-context.ts';
import { readEntries } from './storage/entries.ts';
import { startIndexLag } from './storage/index-lag.ts';
import { createPartitionLimits } from './storage/partition-limits.ts';
import { createQueryCache } from './storage/query-cache.ts';
import { createRunningItems } from './storage/running-items.ts';
import { prepareTables, requireDerived, type TableSettings } from './storage/table-definitions.ts';
import { createStreamsService } from './streams-service.ts';
import {
  createBackup,
  deleteBackup,
  describeBackup,
  restoreFromBackup,
  restoreToPointInTime,
} from './table-backups.ts';
import { deleteTable, describeContinuousBackups, updateContinuousBackups, updateTable } from './table-changes.ts';
import {
  handleDescribeTable,
  handleDescribeTimeToLive,
  handleListTables,
  handleUpdateTimeToLive,
} from './table-operations.ts';
import { startExpiry } from './time-to-live.ts';
import { transactGet } from './transactions/transact-get.ts';
import { transactWrite } from './transactions/transact-write.ts';

export type { TableSettings };
/** `folder` contains the data; only one process may open it. `now` returns epoch milliseconds. */
export type DynamoOptions = {
  folder: string;
  tables: TableSettings[];
  region: string;
  now?: () => number;
  chaos?: DynamoChaos | undefined;
  /** Receives the partition keys with the highest use at the end of a run with chaos. */
  report?: (line: string) => void;
  meter?: CapacityMeter | undefined;
};

export const dynamoTarget = 'DynamoDB_20120810';
/** The limit of DynamoDB on a request. */
const maxBodyBytes = 16 * 1024 * 1024;

const operations: Record<string, (context: DynamoContext, input: Input) => Promise<object>> = {
  GetItem: (context, input) => readItems(context, 'GetItem', input),
  BatchGetItem: (context, input) => readItems(context, 'BatchGetItem', input),
  Query: (context, input) => readItems(context, 'Query', input),
  Scan: (context, input) => readItems(context, 'Scan', input),
  PutItem: (context, input) => writeItems(context, 'PutItem', input),
  UpdateItem: (context, input) => writeItems(context, 'UpdateItem', input),
  DeleteItem: (context, input) => writeItems(context, 'DeleteItem', input),
  BatchWriteItem: (context, input) => writeItems(context, 'BatchWriteItem', input),
  TransactWriteItems: transactWrite,
  TransactGetItems: transactGet,
  DescribeTable: handleDescribeTable,
  ListTables: handleListTables,
  DescribeTimeToLive: handleDescribeTimeToLive,
  UpdateTimeToLive: handleUpdateTimeToLive,
  UpdateTable: updateTable,
  DeleteTable: deleteTable,
  DescribeContinuousBackups: describeContinuousBackups,
  UpdateContinuousBackups: updateContinuousBackups,
  CreateBackup: createBackup,
  DescribeBackup: describeBackup,
  DeleteBackup: deleteBackup,
  RestoreTableFromBackup: restoreFromBackup,
  RestoreTableToPointInTime: restoreToPointInTime,
};

/**
 * Opens the embedded DynamoDB and updates its tables to their definitions. Of the operations that change tables it has
 * those of a restore. What they change in a table with a definition lasts until the next start.
 */
export async function openDynamo(options: DynamoOptions) {
  const { folder, tables, region, now: nowMs = Date.now, chaos, report = () => {}, meter } = options;
  const isUnchanged = await wasClosed(folder);
  const database = await openDatabase(folder);
  const prepared = async () => {
    if (!isUnchanged) await requireDerived(database, folder);
    return prepareTables(database, tables, nowMs());
  };
  const served = await prepared().catch(async (error: unknown) => {
    await database.close();
    throw error;
  });
  const context: DynamoContext = {
    database,
    tables: served,
    streams: await openChangeStreams({ database, tables: served, region, nowMs }),
    queryCache: createQueryCache(),
    region,
    nowMs,
    exclusively: createSerialQueue(),
    running: createRunningItems(),
    indexLag: chaos && startIndexLag(database, chaos.indexLagMs),
    partitionLimits: chaos && createPartitionLimits(chaos, nowMs),
  };
  const expiry = startExpiry(context);
  const meterOf = ({ arn }: Identity): DynamoContext['meter'] =>
    meter && ((operation, uses) => meter(operation, uses, arn));

  const service: ControlService = {
    signingName: 'dynamodb',
    protocol: 'json-1.0',
    maxBodyBytes,
    handle: operationHandler({
      protocol: 'json-1.0',
      errorNamespace: 'com.amazon.coral.service#',
      operations,
      perform: (operation, { name, input, caller }) => {
        authorizeCall(caller, name, input, context);
        return operation({ ...context, meter: meterOf(caller) }, input);
      },
    }),
  };

  /** The stream with this ARN, for readers in this process. */
  function stream(arn: string): StreamSource | undefined {
    const find = () => [...served.values()].find((one) => one.stream?.arn === arn);
    if (!find()) return undefined;
    return {
      shardIds,
      // None after the table, or its stream, was deleted.
      async read(shardId, after, limit) {
        const table = find();
        return table ? context.streams.read(table, shardId, after, limit) : [];
      },
      latest: context.streams.latest,
      subscribe: (listener) => context.streams.subscribe(arn, listener),
    };
  }

  return {
    service,
    streamsService: createStreamsService(context),
    stream,
    readEntries: () => readEntries(database),
    /** Waits for running writes, then releases the folder. */
    async close(): Promise<void> {
      await expiry.stop();
      for (const line of context.partitionLimits?.report() ?? []) report(`hot key: ${line}`);
      context.indexLag?.stop();
      await context.exclusively(() => closeAndNote(folder, () => database.close()));
    },
  };
}
