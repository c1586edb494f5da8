import { now } from '../../shared/clock.ts';
import { forEachSettled, throwAggregate } from '../common/for-each-settled.ts';
import { newUlid } from '../common/ids.ts';
import { keepSweeping, leaveSweeping, listWaitingSweeps, takeSweeping } from '../table/videos/sweep-table.ts';

const keepMilliseconds = 10_000;
/** Less than the function's time limit, with room for the videos under way. */
const longestMilliseconds = 7 * 60_000;

/**
 * Sweeps deleted videos for as long as there are some that wait, several at a time. However many deletions start this, one invocation works at a time: the
 * others leave their videos to it. One that could not be swept waits for the next start.
 */
export async function sweepWaiting(sweepVideo: (ulid: string) => Promise<void>, videosAtOnce: number): Promise<void> {
  const holder = newUlid();
  const until = now() + longestMilliseconds;
  const seen = new Set<string>();
  const failures: unknown[] = [];
  const unseen = async () => (await listWaitingSweeps()).filter((ulid) => !seen.has(ulid));
  const sweepAll = async () => {
    for (let ulids = await unseen(); ulids.length > 0 && now() < until; ulids = await unseen()) {
      const some = ulids.slice(0, 10 * videosAtOnce);
      for (const ulid of some) seen.add(ulid);
      await forEachSettled(some, sweepVideo, videosAtOnce).catch((error: unknown) => failures.push(error));
    }
  };
  // Looks again once the lease is given back: a deletion may have met it in the meantime, and left its video to this sweep.
  while (now() < until && (await unseen()).length > 0 && (await takeSweeping(holder))) {
    const timer = setInterval(() => void keepSweeping(holder).catch(() => {}), keepMilliseconds);
    try {
      await sweepAll();
    } finally {
      clearInterval(timer);
      await leaveSweeping(holder);
    }
  }
  throwAggregate(failures);
}
