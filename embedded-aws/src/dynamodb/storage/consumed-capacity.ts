import { db } from '../dynalite/dynalite.ts';
import type { CapacityUse } from './capacity-units.ts';
import type { DynamoContext } from './dynamodb-context.ts';

// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_ConsumedCapacity.html

type Input = Record<string, unknown>;

const details = ['INDEXES', 'TOTAL', 'NONE'];

/** @throws ValidationException */
export function checkReturnConsumedCapacity({ ReturnConsumedCapacity: detail }: Input): void {
  if (detail == null || details.includes(String(detail))) return;
  throw db.validationError(
    `1 validation error detected: Value '${detail}' at 'returnConsumedCapacity' failed to satisfy constraint: ` +
      'Member must satisfy enum value set: [INDEXES, TOTAL, NONE]',
  );
}

/** `ConsumedCapacity` of the answer to a request, if it asks for it. */
export function consumedCapacity({ ReturnConsumedCapacity: detail }: Input, uses: readonly CapacityUse[]): object {
  const tables = capacityByTable(detail, uses);
  return tables[0] ? { ConsumedCapacity: tables[0] } : {};
}

/** The same of a batch or a transaction: one entry for each table. */
export function consumedCapacities({ ReturnConsumedCapacity: detail }: Input, uses: readonly CapacityUse[]): object {
  return isReturned(detail) ? { ConsumedCapacity: capacityByTable(detail, uses) } : {};
}

/** Whether the units of a request are needed. */
export const isCounted = ({ meter, partitionLimits }: Pick<DynamoContext, 'meter' | 'partitionLimits'>, data: Input) =>
  meter !== undefined || partitionLimits !== undefined || isReturned(data.ReturnConsumedCapacity);

const isReturned = (detail: unknown): boolean => detail === 'TOTAL' || detail === 'INDEXES';

function capacityByTable(detail: unknown, uses: readonly CapacityUse[]): object[] {
  if (!isReturned(detail)) return [];
  return [...Map.groupBy(uses, ({ table }) => table)].map(([TableName, ofTable]) => ({
    TableName,
    ...unitsOf(ofTable),
    ...(detail === 'INDEXES' && capacityByIndex(ofTable)),
  }));
}

function capacityByIndex(uses: readonly CapacityUse[]): object {
  const byIndex = Map.groupBy(uses, ({ index }) => index);
  const table = byIndex.get(undefined) ?? [];
  byIndex.delete(undefined);
  const indexes = [...byIndex].map(([name, ofIndex]) => [name, unitsOf(ofIndex)] as const);
  return {
    Table: unitsOf(table),
    ...(indexes.length > 0 && { GlobalSecondaryIndexes: Object.fromEntries(indexes) }),
  };
}

const unitsOf = (uses: readonly CapacityUse[]) => ({
  CapacityUnits: uses.reduce((sum, { units }) => sum + units, 0),
});
