import { setTimeout as delay } from 'node:timers/promises';
import type { Cut } from './cut.ts';

/** A key of LevelDB and its value, which is JSON text. */
export type Entry = [key: string, value: string];

/** What a backup is made of, apart from the immutable files of the data folder. */
export type Snapshot = {
  cut: Cut;
  /** How long the service did nothing else. */
  pauseMs: number;
  entries: AsyncIterable<Entry[]>;
};

type Header = Pick<Snapshot, 'cut' | 'pauseMs'>;

/** Shorter than the time after which a silent connection is closed. */
const heartbeatMs = 15_000;

/**
 * The text of a snapshot: a line with the cut, lines of entries, an empty array at their end. After that, empty lines
 * keep the connection open until the reader closes it, which is the sign that it no longer needs the cut.
 */
export async function* snapshotLines({ cut, pauseMs, entries }: Snapshot, closed: AbortSignal): AsyncGenerator<string> {
  yield `${JSON.stringify({ cut, pauseMs } satisfies Header)}\n`;
  for await (const batch of entries) {
    if (closed.aborted) return;
    if (batch.length > 0) yield `${JSON.stringify(batch)}\n`;
  }
  yield '[]\n';
  while (!closed.aborted) {
    await delay(heartbeatMs, undefined, { signal: closed }).catch(() => {});
    yield '\n';
  }
}

/** Reads those lines. The entries end with the empty array; without it, the connection was closed too early. */
export async function readSnapshot(lines: AsyncIterator<string>): Promise<Snapshot> {
  const next = async (): Promise<string> => {
    const { value, done } = await lines.next().catch(() => ({ value: '', done: true }));
    if (done) throw new SnapshotEnded();
    return value;
  };
  async function* entries(): AsyncGenerator<Entry[]> {
    for (let batch = JSON.parse(await next()); batch.length > 0; batch = JSON.parse(await next())) yield batch;
  }
  return { ...(JSON.parse(await next()) as Header), entries: entries() };
}

/** The service closed the connection before the backup was complete. */
export class SnapshotEnded extends Error {
  constructor() {
    super('The service stopped during the backup. Run the command again.');
    this.name = 'SnapshotEnded';
  }
}
