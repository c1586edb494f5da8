import { isDeepStrictEqual } from 'node:util';
import type { Changes } from './expression.ts';

/**
 * Whether an item has all values that a change sets and none that it removes. Added numbers cannot be recognized, so a
 * change that only adds is never recognized.
 */
export function isAsChanged(item: Readonly<Record<string, unknown>>, { set = {}, remove = [] }: Changes): boolean {
  const wanted = Object.entries(set).filter(([, content]) => content !== undefined);
  if (wanted.length + remove.length === 0) return false;
  return (
    wanted.every(([path, content]) => isDeepStrictEqual(plain(at(item, path)), plain(content))) &&
    remove.every((path) => at(item, path) === undefined)
  );
}

/** Stored items have no undefined fields. */
const plain = (content: unknown): unknown =>
  content === undefined ? undefined : (JSON.parse(JSON.stringify(content)) as unknown);

const at = (item: Readonly<Record<string, unknown>>, path: string): unknown =>
  path.split('.').reduce<unknown>((inner, part) => (inner as Record<string, unknown> | undefined)?.[part], item);
