import { createReadStream } from 'node:fs';
import { type FileHandle, open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';

export type Journal = {
  /** Resolves when the record would survive a power cut; with `lazy`, as soon as it is queued. */
  append(record: unknown, options?: { lazy: boolean }): Promise<void>;
  /** False after a failed write: the state in memory may then be ahead of the file. */
  isWritable(): boolean;
  close(): Promise<void>;
};

export type JournalOptions = {
  path: string;
  /** Called for each record of the file, in order, before `openJournal` resolves. */
  replay: (record: unknown) => void;
  /** All records that make the present state, as of the moment of the call; the file is written anew from them now and then. */
  snapshot: () => unknown[];
};

const minRewriteLines = 20_000;

function toLine(record: unknown): string {
  const json = JSON.stringify(record);
  return `${crc32(json).toString(16).padStart(8, '0')} ${json}\n`;
}

/** The record of a line without its newline; undefined when it is not whole. */
function fromLine(line: Buffer): { record: unknown } | undefined {
  const json = line.subarray(9);
  if (line[8] !== 0x20 || Number.parseInt(line.toString('latin1', 0, 8), 16) !== crc32(json)) return undefined;
  return { record: JSON.parse(json.toString('utf8')) };
}

async function* linesOf(path: string): AsyncGenerator<Buffer> {
  let pieces: Buffer[] = [];
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      yield Buffer.concat([...pieces, chunk.subarray(start, end)]);
      pieces = [];
      start = end + 1;
    }
    if (start < chunk.length) pieces.push(chunk.subarray(start));
  }
}

/** Replays what is whole. Returns the bytes and lines that are. @throws when damage is followed by whole records: no crash does that. */
export async function replayJournal(
  path: string,
  replay: (record: unknown) => void,
): Promise<{ bytes: number; lines: number }> {
  let bytes = 0;
  let lines = 0;
  let torn = false;
  for await (const line of linesOf(path)) {
    const whole = fromLine(line);
    if (whole && torn) throw new Error(`${path} is damaged after byte ${bytes}; it was left as it is`);
    torn ||= !whole;
    if (!whole) continue;
    replay(whole.record);
    bytes += line.length + 1;
    lines += 1;
  }
  return { bytes, lines };
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  await folder.sync();
  await folder.close();
}

/**
 * A file of records, one JSON line each, that only grows and is now and then written anew. One line is one transaction:
 * a crash leaves it whole or not there. After a failed write the journal takes nothing more, as the state in memory may
 * be ahead of it; a restart sets that right.
 */
export async function openJournal({ path, replay, snapshot }: JournalOptions): Promise<Journal> {
  let file: FileHandle = await open(path, 'a+');
  const whole = await replayJournal(path, replay).catch(async (error) => {
    await file.close();
    throw error;
  });
  await file.truncate(whole.bytes);
  await syncFolder(dirname(path));
  let lines = whole.lines;
  let rewriteAtLines = 2 * snapshot().length + minRewriteLines;

  type Entry = { line: string; lazy: boolean; done: () => void; fail: (error: unknown) => void };
  let queue: Entry[] = [];
  let writing: Promise<void> | undefined;
  let failure: Error | undefined;

  async function rewrite(): Promise<void> {
    const records = snapshot();
    const fresh = await open(`${path}.new`, 'w');
    for (let at = 0; at < records.length; at += 1000) {
      await fresh.write(
        records
          .slice(at, at + 1000)
          .map(toLine)
          .join(''),
      );
    }
    await fresh.sync();
    await fresh.close();
    await rename(`${path}.new`, path);
    await syncFolder(dirname(path));
    await file.close();
    file = await open(path, 'a');
    lines = records.length;
    rewriteAtLines = 2 * lines + minRewriteLines;
  }

  async function writeBatch(batch: Entry[]): Promise<void> {
    // The snapshot is taken before anything else can change the state, so it holds this batch as well.
    if (lines >= rewriteAtLines) return rewrite();
    await file.appendFile(batch.map((entry) => entry.line).join(''));
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
        failure = new Error(`The journal ${path} could not be written`, { cause: error });
        for (const entry of [...batch, ...queue]) entry.fail(failure);
        queue = [];
      }
    }
    writing = undefined;
  }

  return {
    append(record, { lazy } = { lazy: false }) {
      if (failure) return Promise.reject(failure);
      return new Promise((resolve, reject) => {
        queue.push({ line: toLine(record), lazy, done: resolve, fail: reject });
        if (lazy) resolve();
        writing ??= Promise.resolve().then(writeQueue);
      });
    },
    isWritable: () => failure === undefined,
    async close() {
      while (writing) await writing;
      failure ??= new Error(`The journal ${path} is closed`);
      await file.close();
    },
  };
}
