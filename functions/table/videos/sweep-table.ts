import { now } from '../../../shared/clock.ts';
import { tryWrite } from '../items/conditional.ts';
import { queryItems, write } from '../items/items.ts';
import { keys, ulidOfSweep } from '../items/keys.ts';

/**
 * Positions of up to `limit` deleted videos whose files are not deleted yet, in their order. Read consistently: an
 * index could still list a video whose sweep has just ended.
 */
export const listWaitingSweeps = async (limit?: number): Promise<string[]> =>
  (await queryItems(keys.waitingSweep('').pk, '', limit)).map(({ sk }) => sk);

/** The ULID of the video at a position. */
export const videoAt = (position: string): string => ulidOfSweep(position);

export const endWaitingSweep = (position: string): Promise<unknown> => write({ delete: keys.waitingSweep(position) });

/** The lease of a sweep that died expires after this time. */
const leaseMilliseconds = 30_000;
const leaseEnd = () => ({ untilMilliseconds: now() + leaseMilliseconds });

/** Takes the lease that lets only one sweep delete the files of deleted videos. False when another sweep has it. */
export const acquireSweepLease = async (holder: string): Promise<boolean> => {
  const put = { ...keys.sweeper(), kind: 'sweeper', holder, ...leaseEnd() };
  return (
    (await tryWrite({ put, when: { exists: false } })) ||
    tryWrite({ put, when: { below: { untilMilliseconds: now() } } })
  );
};

export const renewSweepLease = (holder: string): Promise<boolean> =>
  tryWrite({ update: keys.sweeper(), set: leaseEnd(), when: { equals: { holder } } });

export const releaseSweepLease = (holder: string): Promise<boolean> =>
  tryWrite({ delete: keys.sweeper(), when: { equals: { holder } } });
