import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import { fromCheckedLine, linesOf, toCheckedLine } from './checked-line.ts';
import { DamagedData } from './damaged-data.ts';
import { type FileState, requireProven, syncFolder, writeProof } from './proof.ts';

export type Journal = {
  /** Resolves when the record survives a power failure. With `lazy` it resolves at once. */
  append(record: unknown, options?: { lazy: boolean }): Promise<void>;
  /** False after a failed write: the state in memory may then be newer than the file. True again when it is not. */
  isWritable(): boolean;
  /** Resolves when `isWritable` is true. Rejects if the journal is closed before. */
  whenWritable(): Promise<void>;
  close(): Promise<void>;
};

export type JournalOptions = {
  path: string;
  /** Called for each record in the file, in order, before `openJournal` resolves. */
  replay: (record: unknown) => void;
  /** Returns the records that create the current state. The file is occasionally rewritten from them. */
  snapshot: () => unknown[];
};

const minRewriteLines = 20_000;
/** Between two attempts to write the file again after a failed write. */
const retryMs = 5000;

const continued = ({ bytes, crc32: value }: FileState, text: string): FileState => ({
  bytes: bytes + Buffer.byteLength(text),
  crc32: crc32(text, value),
});

/**
 * Replays all complete records. Returns their number, and the state of the file up to their end.
 * @throws DamagedData when another line than the last one is not complete, which no crash causes
 */
export async function replayJournal(
  path: string,
  replay: (record: unknown) => void,
): Promise<FileState & { lines: number }> {
  const whole = { bytes: 0, crc32: 0, lines: 0 };
  for await (const { line, isEnded } of linesOf(path)) {
    // A line is written from its beginning on.
    if (!isEnded) break;
    const found = fromCheckedLine(line);
    if (!found) throw new DamagedData(path, `is damaged after byte ${whole.bytes}.`);
    replay(found.value);
    whole.bytes += line.length + 1;
    whole.crc32 = crc32('\n', crc32(line, whole.crc32));
    whole.lines += 1;
  }
  return whole;
}

/**
 * An append-only file with one JSON record per line, which is occasionally rewritten. A line is a transaction: after a
 * crash it is complete or ignored. The file has a proof: of what it had when it was opened or last rewritten, and of
 * all of it when it was closed. After a failed write, for example to a full disk, the state in memory may be newer
 * than the file. The journal then accepts no records until the file could be rewritten from that state, which it
 * attempts every few seconds: changes whose write failed are written then, too.
 */
export async function openJournal({ path, replay, snapshot }: JournalOptions): Promise<Journal> {
  await requireProven(path);
  let file: FileHandle = await open(path, 'a+', 0o600);
  const whole = await replayJournal(path, replay).catch(async (error) => {
    await file.close();
    throw error;
  });
  await file.truncate(whole.bytes);
  await syncFolder(dirname(path));
  let lines = whole.lines;
  /** What was written. */
  let written: FileState = { bytes: whole.bytes, crc32: whole.crc32 };
  await writeProof(path, { states: [written], isWhole: false });
  let rewriteAtLines = 2 * snapshot().length + minRewriteLines;

  type Entry = { line: string; lazy: boolean; done: () => void; fail: (error: unknown) => void };
  let queue: Entry[] = [];
  let writing: Promise<void> | undefined;
  let failure: Error | undefined;
  let recovering = false;
  let retry: NodeJS.Timeout | undefined;
  let writable = Promise.withResolvers<void>();
  writable.resolve();

  async function writeNewFile(records: unknown[]): Promise<FileState> {
    const fresh = await open(`${path}.new`, 'w', 0o600);
    let state: FileState = { bytes: 0, crc32: 0 };
    try {
      for (let at = 0; at < records.length; at += 1000) {
        const text = records
          .slice(at, at + 1000)
          .map(toCheckedLine)
          .join('');
        await fresh.appendFile(text);
        state = continued(state, text);
      }
      await fresh.sync();
      return state;
    } finally {
      await fresh.close();
    }
  }

  async function rewrite(): Promise<void> {
    const records = snapshot();
    let fresh: FileState;
    try {
      fresh = await writeNewFile(records);
      await writeProof(path, { states: [written, fresh], isWhole: false });
    } catch (error) {
      await rm(`${path}.new`, { force: true });
      throw error;
    }
    await rename(`${path}.new`, path);
    await syncFolder(dirname(path));
    written = fresh;
    const replaced = file;
    file = await open(path, 'a');
    await replaced.close();
    lines = records.length;
    rewriteAtLines = 2 * lines + minRewriteLines;
  }

  async function writeBatch(batch: Entry[]): Promise<void> {
    // No other change can occur before the snapshot is taken, so it includes this batch.
    if (lines >= rewriteAtLines) return rewrite();
    const text = batch.map((entry) => entry.line).join('');
    await file.appendFile(text);
    written = continued(written, text);
    lines += batch.length;
    if (batch.some((entry) => !entry.lazy)) await file.datasync();
  }

  async function writeQueue(): Promise<void> {
    while (queue.length > 0) {
      const batch = queue;
      queue = [];
      try {
        await writeBatch(batch);
        for (const entry of batch) entry.done();
      } catch (error) {
        fail(error, batch);
      }
    }
    writing = undefined;
  }

  function fail(cause: unknown, batch: Entry[] = []): void {
    const error = new Error(`The journal ${path} could not be written`, { cause });
    if (!failure) writable = Promise.withResolvers();
    writable.promise.catch(() => {});
    failure = error;
    for (const entry of [...batch, ...queue]) entry.fail(error);
    queue = [];
    retry = setTimeout(() => {
      writing = recover();
    }, retryMs).unref();
  }

  /** New records are queued from here on: they follow the snapshot. */
  async function recover(): Promise<void> {
    recovering = true;
    try {
      await rewrite();
      failure = undefined;
      writable.resolve();
    } catch (error) {
      fail(error);
    }
    recovering = false;
    await writeQueue();
  }

  return {
    append(record, { lazy } = { lazy: false }) {
      if (failure && !recovering) return Promise.reject(failure);
      return new Promise((resolve, reject) => {
        queue.push({ line: toCheckedLine(record), lazy, done: resolve, fail: reject });
        if (lazy) resolve();
        writing ??= Promise.resolve().then(writeQueue);
      });
    },
    isWritable: () => failure === undefined,
    whenWritable: () => writable.promise,
    async close() {
      while (writing) await writing;
      clearTimeout(retry);
      const isComplete = failure === undefined;
      if (failure) writable.reject(failure);
      failure ??= new Error(`The journal ${path} is closed`);
      await file.close();
      // Otherwise the file may have a part of a line. The proof of its beginning holds.
      if (isComplete) await writeProof(path, { states: [written], isWhole: true }).catch(() => {});
    },
  };
}
