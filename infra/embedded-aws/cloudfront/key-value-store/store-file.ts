import { readFile, rename, writeFile } from 'node:fs/promises';
import { z } from 'zod';

const document = z.object({
  etag: z.string(),
  createdMs: z.number(),
  modifiedMs: z.number(),
  items: z.record(z.string(), z.string()),
});

export type StoreContent = { etag: string; createdMs: number; modifiedMs: number; items: ReadonlyMap<string, string> };

/** Undefined if the file does not exist. */
export async function readStore(file: string): Promise<StoreContent | undefined> {
  try {
    const { items, ...rest } = document.parse(JSON.parse(await readFile(file, 'utf8')));
    return { ...rest, items: new Map(Object.entries(items)) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Error(`${file} does not contain a valid key-value store`, { cause: error });
  }
}

/** Replaces the file atomically. Its folder must exist. */
export async function writeStore(file: string, { items, ...rest }: StoreContent): Promise<void> {
  const text = JSON.stringify({ ...rest, items: Object.fromEntries(items) });
  await writeFile(`${file}.new`, text, { mode: 0o600, flush: true });
  await rename(`${file}.new`, file);
}
