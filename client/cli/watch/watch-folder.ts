import { join } from 'node:path';
import { ApiError } from '../../api-error.ts';
import { sleep } from '../../sleep.ts';
import { explainError } from '../explain-error.ts';
import type { Words } from '../output/words.ts';
import type { LocalFile } from '../uploads/local-file.ts';
import { type Disposal, disposeFile } from './dispose-file.ts';
import { type FoundFile, type ScanOptions, scanFolder } from './scan-folder.ts';
import { isSameVersion, isSettled, lookAgain, type Sightings } from './settling.ts';
import { entryOf, openWatchState, type WatchEntry, withoutOldEntries, writeWatchState } from './watch-state.ts';

export type WatchOptions = {
  root: string;
  url: string;
  words?: Words;
  statePath: string;
  scan: ScanOptions;
  settleMs: number;
  pollMs: number;
  parallelFiles: number;
  disposal: Disposal;
  skipExisting: boolean;
  /** End when everything that is there is uploaded. */
  once: boolean;
  signal: AbortSignal;
};

export type WatchWork = {
  /** @returns the ULID of the video */
  upload(file: LocalFile, signal: AbortSignal): Promise<string>;
  /** The upload is recorded. */
  finish(file: LocalFile): void;
  /** Removes the upload of a file that is gone. */
  discard(file: LocalFile): Promise<void>;
  /** Waits for the video. @returns whether it is completed */
  follow(name: string, ulid: string, signal: AbortSignal): Promise<boolean>;
  note(line: string): void;
  warn(line: string): void;
};

const firstRetryMs = 15_000;
const longestRetryMs = 900_000;

type Retry = { attempts: number; atMs: number };

/**
 * Uploads the files that appear in a folder, each version of a file once. Ends by the signal, with `once`, or when no
 * file can be uploaded or recorded any more. All uploads have stopped then, and no video is followed.
 * @returns whether everything succeeded
 */
export async function watchFolder(options: WatchOptions, work: WatchWork): Promise<boolean> {
  const { root, url, words, statePath, disposal } = options;
  const end = new AbortController();
  const signal = AbortSignal.any([options.signal, end.signal]);
  const state = await openWatchState(options);
  const active = new Map<string, { file: FoundFile; stop: AbortController; task: Promise<void> }>();
  const following = new Map<string, Promise<void>>();
  const retries = new Map<string, Retry>();
  let sightings: Sightings = new Map();
  let isMissing = false;
  let hasFailed = false;
  let saved: Promise<void> = Promise.resolve();

  const write = (): Promise<void> =>
    writeWatchState(statePath, state).catch((error: unknown) => {
      // The next start would upload again what is not recorded.
      end.abort(error);
      throw error;
    });
  const save = (): Promise<void> => {
    // Also after a failed write: an upload that ends now is recorded if that is possible again.
    saved = saved.then(write, write);
    return saved;
  };
  const record = (name: string, entry: WatchEntry): Promise<void> => {
    state.files[name] = entry;
    return save();
  };
  const localFile = ({ name, sizeBytes, mtimeMs }: FoundFile): LocalFile => ({
    path: join(root, name),
    name,
    sizeBytes,
    mtimeMs,
  });

  const upload = async (file: FoundFile, stop: AbortController): Promise<void> => {
    try {
      const ulid = await work.upload(localFile(file), AbortSignal.any([signal, stop.signal]));
      const { name, sizeBytes, mtimeMs, ino } = file;
      await record(name, { sizeBytes, mtimeMs, ino, status: 'uploaded', ulid, at: new Date().toISOString() });
      work.finish(localFile(file));
      retries.delete(name);
    } catch (error) {
      if (signal.aborted) return;
      if (stop.signal.aborted) {
        work.note(`${file.name} was removed or changed while it was uploaded.`);
        await work.discard(localFile(file)).catch(() => {});
        return;
      }
      retryLater(file.name, error);
    }
  };
  const retryLater = (name: string, error: unknown): void => {
    hasFailed = true;
    const isRefused = error instanceof ApiError && (error.status === 401 || error.status === 403);
    if (isRefused) end.abort(error);
    const attempts = (retries.get(name)?.attempts ?? 0) + 1;
    const waitMs = Math.min(longestRetryMs, firstRetryMs * 2 ** (attempts - 1));
    retries.set(name, { attempts, atMs: Date.now() + waitMs });
    const next = isRefused || options.once ? '' : ` The next attempt is in ${waitMs / 1000} s.`;
    work.warn(`${name}: ${explainError(error, url, words).message}${next}`);
  };
  const follow = async (name: string, entry: WatchEntry): Promise<void> => {
    try {
      const isCompleted = await work.follow(name, entry.ulid!, signal);
      if (!isCompleted) hasFailed = true;
      const done = isCompleted
        ? await disposeFile(join(root, name), entry, disposal)
        : 'its video failed; it stays here';
      if (done !== undefined) work.note(`${name}: ${done}`);
      await record(name, { ...entry, status: isCompleted ? 'completed' : 'failed' });
    } catch (error) {
      if (signal.aborted) return;
      retryLater(name, error);
      const isDeleted = error instanceof ApiError && error.status === 404;
      if (isDeleted) await record(name, { ...entry, status: 'failed' });
    }
  };

  const look = async (): Promise<void> => {
    const found = await scanFolder(root, options.scan).catch((error: unknown) => {
      if (!isMissing) work.warn(`${root} cannot be read: ${explainError(error).message}`);
      isMissing = true;
      if (options.once) throw error;
    });
    if (!found) return;
    isMissing = false;
    const present = new Set(found.map(({ name }) => name));
    const byName = new Map(found.map((file) => [file.name, file]));
    for (const { file, stop } of active.values()) {
      const now = byName.get(file.name);
      if (!now || !isSameVersion(now, file)) stop.abort();
    }
    sightings = lookAgain(sightings, found, Date.now());
    for (const file of sightings.values()) await consider(file, present);
    for (const name of retries.keys()) if (!present.has(name)) retries.delete(name);
    const kept = withoutOldEntries(state, present, Date.now());
    if (kept !== state) {
      state.files = kept.files;
      await save();
    }
  };
  const consider = async (file: FoundFile & { sinceMs: number }, present: ReadonlySet<string>): Promise<void> => {
    const { name } = file;
    if (active.has(name) || following.has(name)) return;
    const entry = entryOf(state, file, present);
    if (entry && state.files[name] !== entry) await record(name, entry);
    const isDue = Date.now() >= (retries.get(name)?.atMs ?? 0);
    if (entry) {
      if (entry.status !== 'uploaded' || disposal.kind === 'keep' || !isDue) return;
      following.set(
        name,
        follow(name, entry)
          // The state cannot be written, which ends everything.
          .catch(() => {})
          .finally(() => following.delete(name)),
      );
    } else if (isSettled(file, Date.now(), options.settleMs) && isDue && active.size < options.parallelFiles) {
      const stop = new AbortController();
      const task = upload(file, stop).finally(() => active.delete(name));
      active.set(name, { file, stop, task });
    }
  };
  const isFinished = (): boolean =>
    active.size === 0 &&
    following.size === 0 &&
    [...sightings.values()].every((file) => retries.has(file.name) || isAtEnd(file, state.files[file.name], disposal));

  try {
    for (;;) {
      await look();
      end.signal.throwIfAborted();
      if (options.once && isFinished()) return !hasFailed;
      await sleep(options.pollMs, signal);
    }
  } finally {
    end.abort();
    await Promise.allSettled([...[...active.values()].map(({ task }) => task), ...following.values()]);
  }
}

/** Nothing is left to do with this version of the file. */
const isAtEnd = (file: FoundFile, entry: WatchEntry | undefined, { kind }: Disposal): boolean =>
  entry !== undefined && isSameVersion(entry, file) && (kind === 'keep' || entry.status !== 'uploaded');
