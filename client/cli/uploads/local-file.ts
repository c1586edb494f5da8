import { constants, openAsBlob } from 'node:fs';
import { access, type FileHandle, open, readlink, realpath, stat } from 'node:fs/promises';
import { CommandError, exitCode, usageError } from '../exit-code.ts';

export type LocalFile = {
  /** absolute, without symbolic links */
  path: string;
  /** as the user gave it */
  name: string;
  sizeBytes: number;
  mtimeMs: number;
};

/** The files of a command line. @throws CommandError when one cannot be uploaded, before any upload begins */
export async function readFiles(names: readonly string[]): Promise<LocalFile[]> {
  const files = await Promise.all(names.map(readFileProperties));
  for (const [index, { path, name }] of files.entries()) {
    const first = files.findIndex((other) => other.path === path);
    if (first !== index) throw usageError(`'${name}' is the same file as '${files[first]!.name}'.`);
  }
  return files;
}

async function readFileProperties(name: string): Promise<LocalFile> {
  const [path, stats] = await Promise.all([realpath(name), stat(name)]).catch((error: NodeJS.ErrnoException) => {
    throw usageError(
      error.code === 'ENOENT' ? `There is no file '${name}'.` : `'${name}' cannot be read (${error.code}).`,
    );
  });
  if (stats.isDirectory()) throw usageError(`'${name}' is a folder. For a folder: open-video-service watch '${name}'`);
  if (!stats.isFile()) throw usageError(`'${name}' is not a regular file.`);
  if (stats.size === 0) throw usageError(`'${name}' is empty.`);
  await access(path, constants.R_OK).catch(() => {
    throw usageError(`'${name}' cannot be read: permission denied.`);
  });
  return { path, name, sizeBytes: stats.size, mtimeMs: stats.mtimeMs };
}

/** An opened file. `blob` reads this file, also when another one takes its place in the folder. */
export type OpenedFile = { blob: Blob; requireUnchanged(): Promise<void>; close(): Promise<void> };

/** @throws CommandError when the file is not the one that was looked at before */
export async function openUnchanged(file: LocalFile): Promise<OpenedFile> {
  const handle = await open(file.path, constants.O_RDONLY | constants.O_NOFOLLOW).catch(() => {
    throw changed(file);
  });
  const requireUnchanged = async (): Promise<void> => {
    const { size, mtimeMs } = await handle.stat();
    if (size !== file.sizeBytes || mtimeMs !== file.mtimeMs) throw changed(file);
  };
  try {
    await requireUnchanged();
    return {
      blob: await openAsBlob(await pathOf(handle, file)),
      requireUnchanged,
      close: () => handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/**
 * A Blob opens its path for every read. On Linux the path of the handle always leads to the opened file, so a program
 * that can write to the folder cannot exchange the file for a link to another one.
 */
async function pathOf(handle: FileHandle, file: LocalFile): Promise<string> {
  const path = `/proc/self/fd/${handle.fd}`;
  const target = process.platform === 'linux' ? await readlink(path).catch(() => undefined) : undefined;
  if (target === undefined) return file.path;
  if (target !== file.path) throw changed(file);
  return path;
}

const changed = ({ name }: LocalFile): CommandError =>
  new CommandError(exitCode.failed, `'${name}' was changed or removed. Repeat the command when the file is complete.`);
