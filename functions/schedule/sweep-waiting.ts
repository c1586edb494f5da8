import { now } from '../../shared/clock.ts';
import { forEachSettled, throwAggregate } from '../common/concurrency.ts';
import type { DrainLimits } from '../common/drain.ts';
import { newUlid } from '../common/ids.ts';
import {
  acquireSweepLease,
  listWaitingSweeps,
  releaseSweepLease,
  renewSweepLease,
} from '../table/videos/sweep-table.ts';

const renewMilliseconds = 10_000;
/** How many videos are read at a time, however many wait. */
const batchOf = (parallelVideos: number): number => 10 * parallelVideos;

/**
 * Sweeps deleted videos until none waits, several at a time, those that users have deleted before those that have
 * expired. Every deletion starts an invocation, but a lease lets only one of them work: the others leave their videos
 * to it. A video whose sweep fails waits for the next invocation.
 */
export async function sweepWaiting(
  sweepVideo: (position: string) => Promise<void>,
  { untilMilliseconds: until, concurrency: parallelVideos }: DrainLimits,
): Promise<void> {
  const holder = newUlid();
  const seen = new Set<string>();
  const failures: unknown[] = [];
  // Videos whose sweep has failed, or is repeated later, stay in the list. As many others are read besides.
  const unseen = async (): Promise<string[]> => {
    for (let limit = batchOf(parallelVideos); ; limit *= 2) {
      const listed = await listWaitingSweeps(limit);
      const others = listed.filter((position) => !seen.has(position));
      if (others.length > 0 || listed.length < limit) return others;
    }
  };
  const sweepAll = async () => {
    for (let batch = await unseen(); batch.length > 0 && now() < until; batch = await unseen()) {
      for (const position of batch) seen.add(position);
      await forEachSettled(batch, sweepVideo, parallelVideos).catch((error: unknown) => failures.push(error));
    }
  };
  // Checks again after it has released the lease: a deletion that found it taken has left its video to this sweep.
  while (now() < until && (await unseen()).length > 0 && (await acquireSweepLease(holder))) {
    const timer = setInterval(() => void renewSweepLease(holder).catch(() => {}), renewMilliseconds);
    try {
      await sweepAll();
    } finally {
      clearInterval(timer);
      await releaseSweepLease(holder);
    }
  }
  throwAggregate(failures);
}
