import { type Query, withKey } from './query.ts';
import { jsonValue } from './query-form.ts';

/** Parts of a query that are one object, whose keys the form shows one by one. */
export type PartName = 'picture' | 'watermark';

const partOf = (query: Query, name: PartName): Query | undefined => {
  const part = query[name];
  return typeof part === 'object' && part !== null && !Array.isArray(part) ? (part as Query) : undefined;
};

/** The value of a key for a control; '' when it is not set. */
export function partText(query: Query, name: PartName, key: string): string {
  const value = partOf(query, name)?.[key];
  return value === undefined || value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** The key that a part cannot be without. */
const required: Partial<Record<PartName, string>> = { watermark: 'image' };

/** Sets a key of a part, or removes it for ''. A part without keys, or without its required key, is removed. */
export function setPart(query: Query, name: PartName, key: string, text: string): Query {
  const changed = withKey(partOf(query, name) ?? {}, key, jsonValue(text));
  const isEmpty = Object.keys(changed).length === 0 || (text === '' && required[name] === key);
  return withKey(query, name, isEmpty ? undefined : changed);
}
