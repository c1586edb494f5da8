import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Uploader, uploadFile } from './upload.ts';
import { createUploadQueue } from './upload-queue.ts';

const pollMs = 300;

/**
 * Uploads `<folder>/*.m4s` while `write` produces them. The muxer uses temporary names until a file is complete.
 * Resolves with the segment files of all folders in the order of their numbers. Files that are not planned are returned
 * but not uploaded; the caller decides what they mean.
 */
export async function uploadWhileWritten(
  context: Uploader,
  folders: string[],
  write: () => Promise<unknown>,
  isPlanned: (file: string) => boolean = () => true,
): Promise<string[]> {
  const queue = createUploadQueue((file) => uploadFile(context, file));
  const seen = new Set<string>();
  const uploadNew = async (): Promise<void> => {
    for (const file of await segmentFiles(context.folder, folders)) {
      if (seen.has(file)) continue;
      seen.add(file);
      if (isPlanned(file)) queue.push(file);
    }
  };
  const written = new AbortController();
  const watch = async (): Promise<void> => {
    while (!written.signal.aborted) {
      await uploadNew();
      await sleep(pollMs, undefined, { signal: written.signal }).catch(() => undefined);
    }
  };
  const watching = watch();
  try {
    await write();
  } finally {
    written.abort();
    await watching;
  }
  await uploadNew();
  await queue.drain();
  return segmentFiles(context.folder, folders);
}

async function segmentFiles(root: string, folders: string[]): Promise<string[]> {
  const found = await Promise.all(
    folders.map(async (folder) => {
      const names = await readdir(join(root, folder));
      return names.filter((name) => name.endsWith('.m4s')).map((name) => `${folder}/${name}`);
    }),
  );
  return found.flat().sort();
}
