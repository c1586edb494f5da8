import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { usageError } from '../exit-code.ts';
import { type FoundFile, type ScanOptions, scanFolder } from './scan-folder.ts';
import { isSameVersion } from './settling.ts';

/** What became of a version of a file. */
export type WatchEntry = Pick<FoundFile, 'sizeBytes' | 'mtimeMs' | 'ino'> & {
  /** skipped: it was there at the first start; uploaded: its video is not completed yet */
  status: 'skipped' | 'uploaded' | 'completed' | 'failed';
  ulid: string | null;
  at: string;
};

/** By path below the watched folder. */
export type WatchState = { version: 1; url: string; files: Record<string, WatchEntry> };

/** Long enough for a disk that is not mounted for a while: its files must not be uploaded again. */
const forgetAfterMs = 30 * 86_400_000;

/** The entry of this version of a file, also when the file was renamed since. */
export function entryOf(state: WatchState, file: FoundFile, present: ReadonlySet<string>): WatchEntry | undefined {
  const entry = state.files[file.name];
  if (entry) return isSameVersion(entry, file) ? entry : undefined;
  return Object.entries(state.files).find(
    ([name, other]) => !present.has(name) && other.ino === file.ino && isSameVersion(other, file),
  )?.[1];
}

/** Without the files that were removed long ago. */
export function withoutOldEntries(state: WatchState, present: ReadonlySet<string>, nowMs: number): WatchState {
  const kept = Object.entries(state.files).filter(
    ([name, { at }]) => present.has(name) || nowMs - Date.parse(at) < forgetAfterMs,
  );
  return kept.length === Object.keys(state.files).length ? state : { ...state, files: Object.fromEntries(kept) };
}

type StateOptions = { statePath: string; url: string; root: string; scan: ScanOptions; skipExisting: boolean };

/** The stored state, or a new one. Writing it at once shows that it can be written. */
export async function openWatchState(options: StateOptions): Promise<WatchState> {
  const { statePath, url, root, scan, skipExisting } = options;
  const stored = await readWatchState(statePath, url);
  const state: WatchState = stored ?? { version: 1, url, files: {} };
  if (!stored && skipExisting) {
    const at = new Date().toISOString();
    for (const { name, sizeBytes, mtimeMs, ino } of await scanFolder(root, scan)) {
      state.files[name] = { sizeBytes, mtimeMs, ino, status: 'skipped', ulid: null, at };
    }
  }
  await writeWatchState(statePath, state);
  return state;
}

/** Undefined when the folder was not watched before. @throws CommandError for a file that is not such a state */
export async function readWatchState(path: string, url: string): Promise<WatchState | undefined> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw usageError(`${path} cannot be read (${error.code}).`);
  });
  if (text === undefined) return undefined;
  const state = parse(text);
  if (state?.version !== 1 || typeof state.files !== 'object' || state.files === null) {
    throw usageError(`${path} is damaged. Remove it, or pass another file with --state. All files are then uploaded.`);
  }
  if (state.url !== url) {
    throw usageError(`${path} is for ${state.url}. For another service pass another file with --state.`);
  }
  return state;
}

function parse(text: string): WatchState | undefined {
  try {
    return JSON.parse(text) as WatchState;
  } catch {
    return undefined;
  }
}

/** Replaces the file in one step. The random name with `wx` follows no link that others put there. */
export async function writeWatchState(path: string, state: WatchState): Promise<void> {
  const next = `${path}.${randomUUID()}`;
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(next, JSON.stringify(state), { mode: 0o600, flag: 'wx', flush: true });
    await rename(next, path);
  } catch (error) {
    await rm(next, { force: true }).catch(() => {});
    const { code } = error as NodeJS.ErrnoException;
    throw usageError(`${path} cannot be written (${code}). Pass a file that can be written with --state.`);
  }
}
