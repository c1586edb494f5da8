import { openAsBlob } from 'node:fs';
import { open } from 'node:fs/promises';
import { relative } from 'node:path';
import { JobError } from '../../shared/protocol/job-errors.ts';

/**
 * A file's current bytes, which are read later. Throws the file system's error when the file is missing or unreadable.
 */
export async function openLocalFile(path: string, type: string): Promise<Blob> {
  try {
    return await openAsBlob(path, { type });
  } catch (error) {
    // openAsBlob reports ERR_INVALID_ARG_VALUE; opening the file throws the real cause
    await (await open(path)).close();
    throw error;
  }
}

/** Whether a request failed because its body, a local file, was removed, changed or unreadable. */
export const isUnreadableBody = (error: unknown): boolean =>
  error instanceof Error && error.cause instanceof DOMException && error.cause.name === 'NotReadableError';

/** The file was removed or changed after it was opened, or the disk failed. */
export const unreadableLocalFile = (file: string): JobError =>
  new JobError('OUTPUT_MISMATCH', `the local file ${file} was removed, changed or unreadable while it was sent`);

/** The JobError for a file system error about a file in the job folder; undefined for other errors. */
export function localFileError(error: unknown, folder: string): JobError | undefined {
  const { code, path } = error as NodeJS.ErrnoException;
  if (typeof code !== 'string' || typeof path !== 'string') return undefined;
  const file = relative(folder, path);
  if (file.startsWith('..')) return undefined;
  // ffmpeg did not write the file; any other cause is a fault of this machine
  if (code === 'ENOENT') return new JobError('OUTPUT_MISMATCH', `the local file ${file} is missing`, { cause: error });
  return new JobError('INTERNAL', `the local file ${file} cannot be used: ${code}`, { cause: error });
}
