import { z } from 'zod';
import { readJson, writeWhole } from '../../durable/whole-file.ts';

const document = z.object({
  etag: z.string(),
  createdMs: z.number(),
  modifiedMs: z.number(),
  items: z.record(z.string(), z.string()),
});

export type StoreContent = { etag: string; createdMs: number; modifiedMs: number; items: ReadonlyMap<string, string> };

/** Undefined if the file does not exist. @throws DamagedData */
export async function readStore(file: string): Promise<StoreContent | undefined> {
  const known = await readJson(file, document.parse);
  return known && { ...known, items: new Map(Object.entries(known.items)) };
}

/** Replaces the file atomically. Its folder must exist. */
export const writeStore = (file: string, { items, ...rest }: StoreContent): Promise<void> =>
  writeWhole(file, JSON.stringify({ ...rest, items: Object.fromEntries(items) }));
