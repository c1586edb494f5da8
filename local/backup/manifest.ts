import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { CannotStart } from '../server/cannot-start.ts';
import { syncFolder } from './durable-files.ts';

const newestFormat = 1;
const manifestFile = 'manifest.json';
const onlyNames = /^(?!\.{1,2}(\/|$))[^/\0]+(\/(?!\.{1,2}(\/|$))[^/\0]+)*$/;

const file = z.object({
  path: z.string().regex(onlyNames),
  sizeBytes: z.int().nonnegative(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
const manifest = z.object({ format: z.literal(newestFormat), createdAt: z.iso.datetime(), files: z.array(file) });

export type Manifest = z.infer<typeof manifest>;
export type BackupFile = z.infer<typeof file>;

/** Makes the backup valid: written when everything else is on disk. */
export async function writeManifest(folder: string, files: BackupFile[]): Promise<void> {
  const content: Manifest = { format: newestFormat, createdAt: new Date().toISOString(), files };
  const path = join(folder, manifestFile);
  await using fresh = await open(`${path}.new`, 'wx', 0o600);
  await fresh.writeFile(JSON.stringify(content));
  await fresh.sync();
  await rename(`${path}.new`, path);
  await syncFolder(folder);
}

/** @throws CannotStart when the folder is no complete backup, or one of a later version of the project */
export async function readManifest(folder: string): Promise<Manifest> {
  const path = join(folder, manifestFile);
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
    throw new CannotStart(`${folder} is no complete backup: it has no ${manifestFile}.`);
  });
  const content = parsed(text);
  const format = z.object({ format: z.int() }).safeParse(content).data?.format;
  if (format !== undefined && format > newestFormat) {
    throw new CannotStart(
      `The backup has format ${format}, and this version of the project reads formats up to ${newestFormat}: use a newer one.`,
    );
  }
  const { data, error } = manifest.safeParse(content);
  if (error) throw new CannotStart(`${path} is damaged: use another backup.`);
  return data;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(chunk);
  return hash.digest('hex');
}
