import tableAccess from './table-access.json' with { type: 'json' };

/**
 * What a function reads and writes: the beginnings of partition keys (`functions/table/items/keys.ts`), and the
 * indexes that it queries. What it may write it may also read.
 */
export type TableAccess = { read?: readonly string[]; write?: readonly string[]; indexes?: readonly string[] };

const accesses: Readonly<Record<string, TableAccess>> = tableAccess;

/** Undefined for a function without access. */
export const tableAccessOf = (handler: string): TableAccess | undefined =>
  Object.hasOwn(accesses, handler) ? accesses[handler] : undefined;
