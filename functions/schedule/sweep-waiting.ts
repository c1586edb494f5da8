import { now } from '../../shared/clock.ts';
import { forEachSettled, throwAggregate } from '../common/for-each-settled.ts';
import { newUlid } from '../common/ids.ts';
import {
  acquireSweepLease,
  listWaitingSweeps,
  releaseSweepLease,
  renewSweepLease,
} from '../table/videos/sweep-table.ts';

const renewMilliseconds = 10_000;
/** Shorter than the timeout of the function, so that the videos being swept can be finished. */
const maxMilliseconds = 7 * 60_000;

/**
 * Sweeps deleted videos until none waits, several at a time. Every deletion starts an invocation, but a lease lets only
 * one of them work: the others leave their videos to it. A video whose sweep fails waits for the next invocation.
 */
export async function sweepWaiting(sweepVideo: (ulid: string) => Promise<void>, parallelVideos: number): Promise<void> {
  const holder = newUlid();
  const until = now() + maxMilliseconds;
  const seen = new Set<string>();
  const failures: unknown[] = [];
  const unseen = async () => (await listWaitingSweeps()).filter((ulid) => !seen.has(ulid));
  const sweepAll = async () => {
    for (let ulids = await unseen(); ulids.length > 0 && now() < until; ulids = await unseen()) {
      const batch = ulids.slice(0, 10 * parallelVideos);
      for (const ulid of batch) seen.add(ulid);
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
