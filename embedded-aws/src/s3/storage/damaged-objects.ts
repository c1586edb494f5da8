import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { replayJournal } from '../../durable/change-journal.ts';
import type { Blob } from './blobs.ts';
import { applyChange, type Change, emptyState, type State } from './bucket-state.ts';

type Stored = {
  /** of the object, or of the part of an upload that is not complete */
  name: string;
  /** tells two objects apart that had the same name one after the other */
  version: string;
  blobs: Blob[];
  etag: string;
};

export type DamagedObject = { name: string; problem: string };

/**
 * Reads the files of all objects and parts in a folder and compares them with their ETags, which have the MD5 of what
 * was stored. It changes nothing, and the service may run: what is deleted before the end is not reported.
 * @throws DamagedData when the journal is damaged
 */
export async function findDamagedObjects(folder: string): Promise<{ objects: number; damaged: DamagedObject[] }> {
  const all = storedIn(await readState(folder));
  const suspects: (Stored & { problem: string })[] = [];
  for (const stored of all) {
    const problem = await problemOf(join(folder, 'blobs'), stored);
    if (problem !== undefined) suspects.push({ ...stored, problem });
  }
  const left = suspects.length === 0 ? [] : storedIn(await readState(folder));
  const versions = new Set(left.map(({ version }) => version));
  return { objects: all.length, damaged: suspects.filter(({ version }) => versions.has(version)) };
}

async function readState(folder: string): Promise<State> {
  const state = emptyState();
  await replayJournal(join(folder, 'journal'), (change) => applyChange(state, change as Change));
  return state;
}

function storedIn({ buckets, uploads }: State): Stored[] {
  const objects = [...buckets.values()].flatMap((bucket) => [...bucket.objects.values()]);
  return [
    ...objects.map(({ bucket, key, blobs, etag, sequencer }) => ({
      name: `${bucket}/${key}`,
      version: sequencer,
      blobs,
      etag,
    })),
    ...[...uploads.values()].flatMap(({ upload, parts }) =>
      [...parts.values()].map(({ number, blob, etag }) => ({
        name: `${upload.bucket}/${upload.key}, part ${number} of an upload`,
        version: blob.id,
        blobs: [blob],
        etag,
      })),
    ),
  ];
}

/** Undefined when the files are what was stored. The ETag of parts is the MD5 of their MD5s. */
async function problemOf(folder: string, { blobs, etag }: Stored): Promise<string | undefined> {
  const isOfParts = etag.includes('-');
  const whole = createHash('md5');
  for (const { id, sizeBytes } of blobs) {
    const path = join(folder, id);
    const ofPart = createHash('md5');
    let bytes = 0;
    try {
      for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
        bytes += chunk.length;
        (isOfParts ? ofPart : whole).update(chunk);
      }
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      return code === 'ENOENT' ? `${path} is missing.` : `${path} cannot be read (${code}).`;
    }
    if (bytes !== sizeBytes) return `${path} has ${bytes} bytes instead of ${sizeBytes}.`;
    if (isOfParts) whole.update(ofPart.digest());
  }
  const found = isOfParts ? `${whole.digest('hex')}-${blobs.length}` : whole.digest('hex');
  return found === etag ? undefined : changedFiles(blobs.map(({ id }) => join(folder, id)));
}

const changedFiles = (paths: string[]): string =>
  paths.length === 1
    ? `${paths[0]} has other bytes than were stored.`
    : `one of these files has other bytes than were stored: ${paths.join(' ')}`;
