import { closeSync, fdatasync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import { fromCheckedLine, jsonBegins, linesOf, toCheckedLine } from '../../durable/checked-line.ts';
import { DamagedData } from '../../durable/damaged-data.ts';
import type { Journal, Line } from '../execution/journal-line.ts';

/** A line could not be written. The change that it describes did not happen. */
export class JournalFailure extends Error {
  constructor(path: string, cause: unknown) {
    super(`The journal ${path} cannot be written: ${cause instanceof Error ? cause.message : cause}`, { cause });
    this.name = 'JournalFailure';
  }
}

const flush = promisify(fdatasync);
const NEWLINE = 10;

/** Opens a journal for appending. An incomplete last line is removed. */
export function openJournal(path: string): Journal {
  const file = openSync(path, 'a+');
  let bytes = wholeLinesBytes(file);
  let open = true;
  let running: Promise<void> | undefined;
  let queued: Promise<void> | undefined;

  const sync = async () => {
    if (open) await flush(file);
  };

  return {
    append(line) {
      if (!open) throw new JournalFailure(path, 'it is closed');
      const text = Buffer.from(toCheckedLine(line));
      try {
        for (let written = 0; written < text.length; ) written += writeSync(file, text, written);
      } catch (error) {
        // A full disk may have accepted a part of the line. The next line must not follow that part.
        ftruncateSync(file, bytes);
        throw new JournalFailure(path, error);
      }
      bytes += text.length;
    },
    synced() {
      // A running flush may not include the newest lines, so another one follows it.
      queued ??= (running ?? Promise.resolve())
        .catch(() => {})
        .then(() => {
          running = sync();
          queued = undefined;
          return running;
        });
      return queued;
    },
    close() {
      if (!open) return;
      open = false;
      const closeFile = () => closeSync(file);
      const last = queued ?? running;
      if (last) last.then(closeFile, closeFile);
      else closeFile();
    },
  };
}

function wholeLinesBytes(file: number): number {
  const chunk = Buffer.alloc(65_536);
  const size = fstatSync(file).size;
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - chunk.length);
    readSync(file, chunk, 0, end - start, start);
    const newline = chunk.subarray(0, end - start).lastIndexOf(NEWLINE);
    if (newline >= 0) {
      const whole = start + newline + 1;
      if (whole < size) ftruncateSync(file, whole);
      return whole;
    }
    end = start;
  }
  if (size > 0) ftruncateSync(file, 0);
  return 0;
}

/**
 * Reads the lines whose JSON starts with `prefix`. An incomplete last line is skipped.
 * @throws DamagedData when a complete line is not what was written
 */
export async function* readJournal(path: string, prefix = ''): AsyncGenerator<Line> {
  for await (const { line, isEnded } of linesOf(path)) {
    if (!isEnded) return;
    if (!jsonBegins(line, prefix)) continue;
    const found = fromCheckedLine<Line>(line);
    if (!found) throw new DamagedData(path, 'has a damaged line.');
    yield found.value;
  }
}
