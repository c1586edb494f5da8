import { type Query, withKey } from './query.ts';
import { jsonValue } from './query-form.ts';

/** Parts of a query that are one object, whose keys the form shows one by one. */
export type PartName = 'picture' | 'watermark';

const objectAt = (entry: Query | undefined, key: string): Query | undefined => {
  const part = entry?.[key];
  return typeof part === 'object' && part !== null && !Array.isArray(part) ? (part as Query) : undefined;
};

/** The value of a key for a control; '' when it is not set. `key` is a path such as `crop.top`. */
export function partText(query: Query, name: PartName, key: string): string {
  const path = [name, ...key.split('.')];
  const parent = path.slice(0, -1).reduce<Query | undefined>(objectAt, query);
  const value = parent?.[path.at(-1)!];
  return value === undefined || value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** The key that a part cannot be without. */
const required: Partial<Record<PartName, string>> = { watermark: 'image' };

/** Sets a key of a part, or removes it for ''. A part without keys, or without its required key, is removed. */
export function setPart(query: Query, name: PartName, key: string, text: string): Query {
  if (text === '' && required[name] === key) return withKey(query, name, undefined);
  return withPath(query, [name, ...key.split('.')], jsonValue(text));
}

/** An object that is empty then is removed as well. */
function withPath(entry: Query, [key = '', ...rest]: string[], value: unknown): Query {
  if (rest.length === 0) return withKey(entry, key, value);
  const changed = withPath(objectAt(entry, key) ?? {}, rest, value);
  return withKey(entry, key, Object.keys(changed).length === 0 ? undefined : changed);
}
