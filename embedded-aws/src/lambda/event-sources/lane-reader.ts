import type { Clock } from '../../durable/clock.ts';
import type { StreamEntry } from '../../dynamodb/storage/change-streams.ts';
import type { EventSourceMapping } from '../../template/read-event-source-mappings.ts';
import type { Invocation } from '../lambda-instance.ts';
import { readBatch } from './batch-reader.ts';
import { batchResult, type Piece, planAfter } from './retry-plan.ts';

const firstRetryMs = 1000;
const maxRetryMs = 60_000;
/** Records that no filter matches are read again after a kill. A checkpoint after this number limits how many. */
const skippedPerCheckpoint = 1000;

/** Why records were given up. The values are those of the record that goes to the destination. */
export type Condition = 'RetryAttemptsExhausted' | 'RecordAgeExceeded';
export type GivenUp = { piece: Piece; condition: Condition; invocation?: Invocation };

export type LaneOptions = {
  mapping: EventSourceMapping;
  clock: Clock;
  /** The last record that was finished before. */
  position: string | undefined;
  read: (after: string | undefined, limit: number) => Promise<StreamEntry[]>;
  isWanted: (entry: StreamEntry) => boolean;
  /** @throws when Lambda cannot start the function, such as TooManyRequests */
  invoke: (entries: readonly StreamEntry[]) => Promise<Invocation>;
  saveCheckpoint: (sequence: string) => Promise<void>;
  giveUp: (records: GivenUp) => Promise<void>;
  /** Whether a batch that succeeded is delivered again. */
  isRepeated: () => boolean;
  report: (error: unknown) => void;
};

/**
 * Delivers the records of a lane, one batch at a time and in their order. It works only while there are records: a
 * commit starts it.
 */
export function createLaneReader(options: LaneOptions) {
  const { mapping, clock, read, isWanted, invoke, saveCheckpoint, giveUp, isRepeated, report } = options;
  let { position } = options;
  let skipped = 0;
  let state: 'new' | 'idle' | 'running' | 'closed' = 'new';
  let hasNews = false;
  let isWaitingForNews = false;
  let wake = (): void => {};
  const isClosed = (): boolean => state === 'closed';

  /** Resolves at a time, or earlier when `wake` is called. */
  function sleepUntil(dueMs: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = clock.wakeAt(dueMs, resolve);
      wake = () => {
        cancel();
        resolve();
      };
    });
  }

  const batchOptions = {
    mapping,
    read,
    isWanted,
    now: clock.now,
    isClosed,
    async waitUntil(dueMs: number) {
      isWaitingForNews = true;
      // Records may have come while the last page was read.
      if (!hasNews) await sleepUntil(dueMs);
      isWaitingForNews = false;
      hasNews = false;
    },
  };

  async function run(): Promise<void> {
    state = 'running';
    while (!isClosed()) {
      try {
        hasNews = false;
        const { entries, scannedTo } = await readBatch(batchOptions, position);
        if (isClosed()) return;
        if (entries.length > 0) await deliver({ entries, failures: 0, invocations: 0 });
        if (isClosed()) return;
        if (scannedTo !== undefined && scannedTo !== position) await checkpoint(scannedTo);
        if (isClosed()) return;
        if (entries.length === 0 && !hasNews) break;
      } catch (error) {
        if (isClosed()) return;
        report(error);
        await sleepUntil(clock.now() + maxRetryMs);
      }
    }
    if (!isClosed()) state = 'idle';
  }

  async function checkpoint(sequence: string): Promise<void> {
    position = sequence;
    skipped = 0;
    await saveCheckpoint(sequence);
  }

  /** Returns when every record has succeeded or was given up. */
  async function deliver(batch: Piece): Promise<void> {
    const pieces = [batch];
    let attempt = 0;
    while (pieces.length > 0 && !isClosed()) {
      const piece = await withoutExpired(pieces.shift()!);
      if (!piece) continue;
      const invocation = await invoke(piece.entries).catch(() => undefined);
      if (isClosed()) return;
      if (!invocation) {
        // The batch did not reach the function, so this is no attempt.
        pieces.unshift(piece);
        await sleepUntil(clock.now() + retryDelayMs(attempt++));
        continue;
      }
      const invoked = { ...piece, invocations: piece.invocations + 1 };
      const plan = planAfter(invoked, batchResult(invocation, piece.entries, mapping), mapping);
      if (plan.doneTo !== undefined) {
        if (isRepeated()) await invoke(piece.entries).catch(report);
        if (isClosed()) return;
        await checkpoint(plan.doneTo);
        attempt = 0;
      }
      if (plan.exhausted) {
        await giveUp({ piece: plan.exhausted, condition: 'RetryAttemptsExhausted', invocation });
        await checkpoint(plan.exhausted.entries.at(-1)!.sequence);
        attempt = 0;
      }
      pieces.unshift(...plan.retry);
      if (plan.retry.length > 0 && !plan.isSplit) await sleepUntil(clock.now() + retryDelayMs(attempt++));
    }
  }

  /** Gives up the records at the start of a piece that are too old. */
  async function withoutExpired(piece: Piece): Promise<Piece | undefined> {
    const oldestMs = clock.now() - mapping.maxAgeSeconds * 1000;
    const found = piece.entries.findIndex(({ atMs }) => atMs >= oldestMs);
    if (found === 0) return piece;
    const count = found < 0 ? piece.entries.length : found;
    const expired = piece.entries.slice(0, count);
    await giveUp({ piece: { ...piece, entries: expired }, condition: 'RecordAgeExceeded' });
    await checkpoint(expired.at(-1)!.sequence);
    return found < 0 ? undefined : { ...piece, entries: piece.entries.slice(count) };
  }

  return {
    /** Delivers what was written before. */
    start(): void {
      if (state === 'new') void run();
    },
    /** Called with the records of the shard that a commit has written. */
    announce(entries: readonly StreamEntry[]): void {
      hasNews = true;
      // The delay of a retry goes on.
      if (isWaitingForNews) wake();
      if (state !== 'idle') return;
      if (entries.some(isWanted)) return void run();
      // All earlier records are finished, so these need not be read.
      position = entries.at(-1)!.sequence;
      skipped += 1;
      if (skipped >= skippedPerCheckpoint) checkpoint(position).catch(report);
    },
    /** A running invocation is repeated when the lane is opened again. */
    async close(): Promise<void> {
      state = 'closed';
      wake();
      if (skipped > 0 && position !== undefined) await saveCheckpoint(position);
    },
  };
}

const retryDelayMs = (attempt: number): number => Math.min(firstRetryMs * 2 ** Math.min(attempt, 10), maxRetryMs);
