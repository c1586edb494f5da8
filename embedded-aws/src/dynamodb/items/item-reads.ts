import { db, type SecondaryIndex, type Table } from '../dynalite/dynalite.ts';
import { consumedCapacities, consumedCapacity, isCounted } from '../storage/consumed-capacity.ts';
import { createActionStore } from '../storage/dynalite-store.ts';
import type { DynamoContext } from '../storage/dynamodb-context.ts';
import { type ActionName, checkInput, type Input, runAction } from './dynalite-actions.ts';
import { keyUses, queryUses } from './read-uses.ts';

type ReadName = Extract<ActionName, 'GetItem' | 'BatchGetItem' | 'Query' | 'Scan'>;
type BatchGets = Record<string, Input>;

/** GetItem, BatchGetItem, Query or Scan. The last two read the state of the database at which they begin. */
export async function readItems(context: DynamoContext, name: ReadName, input: Input): Promise<Input> {
  const data = checkInput(name, input, createActionStore(context));
  const table = context.tables.get(data.TableName as string);
  if (table && data.IndexName) requireProjected(table, data);
  const isQuery = name === 'Query' || name === 'Scan';
  const indexSnapshot = data.IndexName ? context.indexLag?.takeSnapshot() : undefined;
  // The units of a query are counted as it reads, because its answer does not show them.
  const counted = { ...data, ReturnConsumedCapacity: isQuery && isCounted(context, data) ? 'TOTAL' : 'NONE' };
  try {
    const output = await runAction(name, counted, createActionStore(context, { indexSnapshot }));
    if (name === 'BatchGetItem')
      restoreProjections(data.RequestItems as BatchGets, output.UnprocessedKeys as BatchGets);
    const { ConsumedCapacity, ...response } = output;
    if (!isCounted(context, data)) return response;
    const units = (ConsumedCapacity as { CapacityUnits: number } | undefined)?.CapacityUnits ?? 0;
    const uses = isQuery ? queryUses(context, data, units) : keyUses(context, data, output);
    context.meter?.(name, uses);
    context.partitionLimits?.consume(uses);
    const consumed = name === 'BatchGetItem' ? consumedCapacities : consumedCapacity;
    return { ...response, ...consumed(data, uses) };
  } finally {
    indexSnapshot?.release();
  }
}

/** dynalite omits projections from UnprocessedKeys, so that a retry would return whole items. */
function restoreProjections(requested: BatchGets, unprocessed: BatchGets): void {
  for (const [tableName, keys] of Object.entries(unprocessed)) {
    const { ProjectionExpression, ExpressionAttributeNames } = requested[tableName] ?? {};
    Object.assign(
      keys,
      ProjectionExpression && { ProjectionExpression },
      ExpressionAttributeNames && { ExpressionAttributeNames },
    );
  }
}

/** DynamoDB rejects a projection of attributes that the index does not contain. dynalite returns the others. */
function requireProjected(table: Table, data: Input): void {
  const index = table.GlobalSecondaryIndexes?.find(({ IndexName }) => IndexName === data.IndexName);
  const projection = data._projection as { paths: (string | (string | number)[])[] } | undefined;
  if (!index || !projection || index.Projection.ProjectionType === 'ALL') return;
  const projected = projectedAttributes(table, index);
  const absent = projection.paths.map((path) => String([path].flat()[0])).filter((name) => !projected.has(name));
  if (absent.length > 0) {
    throw db.validationError(
      'One or more parameter values were invalid: Global secondary index ' +
        `${index.IndexName} does not project [${absent.join(', ')}]`,
    );
  }
}

function projectedAttributes(table: Table, index: SecondaryIndex): Set<string> {
  const keys = [...table.KeySchema, ...index.KeySchema].map((key) => key.AttributeName);
  return new Set([...keys, ...(index.Projection.NonKeyAttributes ?? [])]);
}
