import { ServiceError } from '../control/json-protocol.ts';
import { db } from './dynalite/dynalite.ts';
import type { Input } from './items/dynalite-actions.ts';
import { tableNotFound } from './storage/dynalite-store.ts';
import type { DynamoContext } from './storage/dynamodb-context.ts';
import { describeTable, putTable, type ServedTable } from './storage/table-definitions.ts';

const MAX_LISTED = 100;

/**
 * A change of a table lasts until a client has read that it is over. On AWS it takes some time: a client that does not
 * wait is refused there sometimes, and here always.
 */
export async function handleDescribeTable(context: DynamoContext, input: Input) {
  await context.exclusively(async () => {
    const table = namedTable(context, input);
    if (table.TableStatus !== 'ACTIVE') {
      await putTable(context.database, context.tables, { ...table, TableStatus: 'ACTIVE' });
    }
  });
  return { Table: await describeTable(context.database, namedTable(context, input), context.region) };
}

export async function handleListTables({ tables }: DynamoContext, input: Input) {
  const { Limit: limit = MAX_LISTED, ExclusiveStartTableName: start } = input;
  if (typeof limit !== 'number' || limit < 1 || limit > MAX_LISTED) {
    throw db.validationError(`Limit must be from 1 to ${MAX_LISTED}`);
  }
  const names = [...tables.keys()].sort().filter((name) => typeof start !== 'string' || name > start);
  const listed = names.slice(0, limit);
  return { TableNames: listed, ...(names.length > limit && { LastEvaluatedTableName: listed.at(-1) }) };
}

export async function handleDescribeTimeToLive(context: DynamoContext, input: Input) {
  const { timeToLiveAttribute: attribute } = namedTable(context, input);
  return {
    TimeToLiveDescription: attribute
      ? { TimeToLiveStatus: 'ENABLED', AttributeName: attribute }
      : { TimeToLiveStatus: 'DISABLED' },
  };
}

/** The change is valid until the tables are opened again with their definitions. */
export async function handleUpdateTimeToLive(context: DynamoContext, input: Input) {
  const { AttributeName, Enabled } = (input.TimeToLiveSpecification ?? {}) as {
    AttributeName?: string;
    Enabled?: boolean;
  };
  const { timeToLiveAttribute, ...table } = activeTable(context, input);
  if (!AttributeName || typeof Enabled !== 'boolean') {
    throw db.validationError('TimeToLiveSpecification must have an AttributeName and Enabled');
  }
  if (Enabled === (timeToLiveAttribute !== undefined)) {
    throw db.validationError(`TimeToLive is already ${Enabled ? 'enabled' : 'disabled'}`);
  }
  if (!Enabled && AttributeName !== timeToLiveAttribute) {
    throw db.validationError(
      `TimeToLive is active on a different AttributeName: current AttributeName is ${timeToLiveAttribute}`,
    );
  }
  await context.exclusively(() =>
    putTable(context.database, context.tables, {
      ...table,
      ...(Enabled && { timeToLiveAttribute: AttributeName }),
    }),
  );
  return { TimeToLiveSpecification: { AttributeName, Enabled } };
}

export function namedTable({ tables }: DynamoContext, { TableName: name }: Input): ServedTable {
  if (typeof name !== 'string')
    throw db.validationError("The parameter 'TableName' is required but was not present in the request");
  const table = tables.get(name);
  if (!table) throw tableNotFound(name);
  return table;
}

/** A table that can be changed. @throws ServiceError unless its last change is over */
export function activeTable(context: DynamoContext, input: Input): ServedTable {
  const table = namedTable(context, input);
  if (table.TableStatus === 'ACTIVE') return table;
  const state = table.TableStatus.toLowerCase();
  throw dynamoError('ResourceInUseException', `Attempt to change a resource which is still in use: Table is ${state}`);
}

export const dynamoError = (name: string, message: string): ServiceError =>
  new ServiceError(`com.amazonaws.dynamodb.v20120810#${name}`, message);
