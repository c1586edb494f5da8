import type { Table } from '../dynalite/dynalite.ts';
import type { Input } from './dynalite-actions.ts';

/** The partition key that a query asks for, as text: that of its index if it names one. Empty when there is none. */
export function queriedKey(table: Table | undefined, input: Input): string {
  const index = table?.GlobalSecondaryIndexes?.find(({ IndexName }) => IndexName === input.IndexName);
  const hash = partitionKeyOf(input.IndexName == null ? table?.KeySchema : index?.KeySchema);
  if (hash === undefined) return '';
  const { KeyConditionExpression: text, KeyConditions } = input;
  if (typeof text !== 'string') return textOf(asList(asObject(asObject(KeyConditions)[hash]).AttributeValueList)[0]);
  const names = asObject(input.ExpressionAttributeNames);
  const values = asObject(input.ExpressionAttributeValues);
  const equalities = [...text.matchAll(/(#?[\w.-]+)\s*=\s*(:\w+)/g)];
  const [, , value = ''] = equalities.find(([, name = '']) => (names[name] ?? name) === hash) ?? [];
  return textOf(values[value]);
}

export const partitionKeyOf = (schema: Table['KeySchema'] | undefined): string | undefined =>
  schema?.find(({ KeyType }) => KeyType === 'HASH')?.AttributeName;

/** The text of a key value such as `{ S: 'a' }`. */
export const textOf = (value: unknown): string => String(Object.values(asObject(value))[0] ?? '');

export const asObject = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

export const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
