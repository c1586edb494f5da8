import { z } from 'zod';
import { db } from './dynalite/dynalite.ts';
import type { Input } from './items/dynalite-actions.ts';
import type { DynamoContext } from './storage/dynamodb-context.ts';
import type { StreamSettings } from './storage/stream-record.ts';
import { describeTable, putTable, removeTable, type ServedTable, tableArn } from './storage/table-definitions.ts';
import { activeTable, dynamoError, namedTable } from './table-operations.ts';

// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_UpdateTable.html

// Strict, because other changes are not supported.
const updateInput = z.strictObject({
  TableName: z.string(),
  DeletionProtectionEnabled: z.boolean().optional(),
  StreamSpecification: z
    .strictObject({
      StreamEnabled: z.boolean(),
      StreamViewType: z.enum(['KEYS_ONLY', 'NEW_IMAGE', 'OLD_IMAGE', 'NEW_AND_OLD_IMAGES']).optional(),
    })
    .optional(),
});
const recoveryInput = z.object({
  PointInTimeRecoverySpecification: z.object({ PointInTimeRecoveryEnabled: z.boolean() }),
});

/** Switches the deletion protection and the stream of a table. */
export async function updateTable(context: DynamoContext, input: Input) {
  const { DeletionProtectionEnabled, StreamSpecification } = parse(updateInput, input);
  if (DeletionProtectionEnabled === undefined && !StreamSpecification) {
    throw db.validationError('At least one of DeletionProtectionEnabled or StreamSpecification is required');
  }
  return context.exclusively(async () => {
    const present = activeTable(context, input);
    const { stream: old, ...table } = present;
    const stream = StreamSpecification ? changedStream(context, present, StreamSpecification) : old;
    const changed: ServedTable = {
      ...table,
      TableStatus: 'UPDATING',
      ...(DeletionProtectionEnabled !== undefined && { isProtected: DeletionProtectionEnabled }),
      ...(stream && { stream }),
    };
    if (StreamSpecification) await context.streams.clear(present);
    await putTable(context.database, context.tables, changed);
    return { TableDescription: await describeTable(context.database, changed, context.region) };
  });
}

/** The label of a stream is the time at which it was enabled: a stream that is enabled again is another one. */
function changedStream(
  { region, nowMs }: DynamoContext,
  { TableName, stream }: ServedTable,
  { StreamEnabled, StreamViewType }: NonNullable<z.output<typeof updateInput>['StreamSpecification']>,
): StreamSettings | undefined {
  if (StreamEnabled === (stream !== undefined)) {
    const state = StreamEnabled ? 'already has an enabled' : 'has no';
    throw db.validationError(`Table ${state} stream: TableName: ${TableName}`);
  }
  if (!StreamEnabled) return undefined;
  if (!StreamViewType) throw db.validationError('StreamViewType is required to enable a stream');
  const label = new Date(nowMs()).toISOString().slice(0, -1);
  return { arn: `${tableArn(region, TableName)}/stream/${label}`, viewType: StreamViewType };
}

/** Deletes a table with its stream. */
export async function deleteTable(context: DynamoContext, input: Input) {
  return context.exclusively(async () => {
    const table = activeTable(context, input);
    if (table.isProtected) {
      throw db.validationError(
        'Resource cannot be deleted as it is currently protected against deletion. Disable deletion protection first.',
      );
    }
    const description = await describeTable(context.database, table, context.region);
    await removeTable(context.database, context.tables, table);
    await context.streams.clear(table);
    context.queryCache.clear();
    return { TableDescription: { ...description, TableStatus: 'DELETING' } };
  });
}

export async function describeContinuousBackups(context: DynamoContext, input: Input) {
  return continuousBackups(requireTable(context, input), context.nowMs());
}

export async function updateContinuousBackups(context: DynamoContext, input: Input) {
  const { PointInTimeRecoverySpecification } = parse(recoveryInput, input);
  return context.exclusively(async () => {
    const table = requireTable(context, input);
    const changed = { ...table, hasPointInTimeRecovery: PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled };
    await putTable(context.database, context.tables, changed);
    return continuousBackups(changed, context.nowMs());
  });
}

/** Only the present state can be restored: there is no history. */
const continuousBackups = ({ hasPointInTimeRecovery }: ServedTable, nowMs: number) => ({
  ContinuousBackupsDescription: {
    ContinuousBackupsStatus: 'ENABLED',
    PointInTimeRecoveryDescription: hasPointInTimeRecovery
      ? {
          PointInTimeRecoveryStatus: 'ENABLED',
          EarliestRestorableDateTime: nowMs / 1000,
          LatestRestorableDateTime: nowMs / 1000,
        }
      : { PointInTimeRecoveryStatus: 'DISABLED' },
  },
});

/** The operations of backups have an error of their own for a table that does not exist. */
export function requireTable(context: DynamoContext, { TableName }: Input): ServedTable {
  if (typeof TableName === 'string' && !context.tables.has(TableName)) {
    throw dynamoError('TableNotFoundException', `Table not found: ${TableName}`);
  }
  return namedTable(context, { TableName });
}

export function parse<Schema extends z.ZodType>(schema: Schema, input: Input): z.output<Schema> {
  const parsed = schema.safeParse(input);
  if (!parsed.success) throw db.validationError(z.prettifyError(parsed.error));
  return parsed.data;
}
