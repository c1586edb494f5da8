import { openAsBlob } from 'node:fs';
import { open } from 'node:fs/promises';
import { relative } from 'node:path';
import { JobError } from '../../shared/protocol/job-errors.ts';

/** A file's bytes as they are now, not yet read. Throws the file system's error when the file is missing or unreadable. */
export async function openLocalFile(path: string, type: string): Promise<Blob> {
  try {
    return await openAsBlob(path, { type });
  } catch (error) {
    // openAsBlob hides the cause behind ERR_INVALID_ARG_VALUE; opening the file gives the real one
    await (await open(path)).close();
    throw error;
  }
}

/** Whether a request failed because its body, a file of this machine, was removed or changed, or because its disk failed. */
export const isUnreadableBody = (error: unknown): boolean =>
  error instanceof Error && error.cause instanceof DOMException && error.cause.name === 'NotReadableError';

/** The file that was to be sent was removed or changed after it was opened, or its disk failed. */
export const unreadableFile = (file: string): JobError =>
  new JobError('OUTPUT_MISMATCH', `the local file ${file} was removed, changed or unreadable while it was sent`);

/** The JobError for an error of the file system about a file in the job's folder; undefined for any other error. */
export function localFileError(error: unknown, folder: string): JobError | undefined {
  const { code, path } = error as NodeJS.ErrnoException;
  if (typeof code !== 'string' || typeof path !== 'string') return undefined;
  const file = relative(folder, path);
  if (file.startsWith('..')) return undefined;
  // ffmpeg did not write it; another cause is a fault of this machine
  if (code === 'ENOENT') return new JobError('OUTPUT_MISMATCH', `the local file ${file} is missing`, { cause: error });
  return new JobError('INTERNAL', `the local file ${file} cannot be used: ${code}`, { cause: error });
}
