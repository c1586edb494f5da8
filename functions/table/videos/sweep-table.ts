import { now } from '../../../shared/clock.ts';
import { ConditionFailed, queryItems, type Write, write } from '../items/items.ts';
import { keys } from '../items/keys.ts';

/** The write that has the files of a deleted video removed at once. It stands until they are. */
export const waitingSweep = (videoUlid: string): Write => ({
  put: { ...keys.waitingSweep(videoUlid), kind: 'waiting-sweep' },
});

/** Deleted videos whose files have not been removed yet. Not an index, which may be behind by the moment in which a sweep ends. */
export const listWaitingSweeps = async (): Promise<string[]> =>
  (await queryItems(keys.waitingSweep('').pk)).map(({ sk }) => sk);

export const endWaitingSweep = (videoUlid: string): Promise<unknown> => write({ delete: keys.waitingSweep(videoUlid) });

/** A sweep that died gives way after as long. */
const leaseMilliseconds = 30_000;
const leaseEnd = () => ({ untilMilliseconds: now() + leaseMilliseconds });

/** Of all sweeps one removes the files of deleted videos. False when another does. */
export const takeSweeping = async (holder: string): Promise<boolean> => {
  const put = { ...keys.sweeper(), kind: 'sweeper', holder, ...leaseEnd() };
  return (
    (await tried({ put, when: { exists: false } })) || tried({ put, when: { below: { untilMilliseconds: now() } } })
  );
};

export const keepSweeping = (holder: string): Promise<boolean> =>
  tried({ update: keys.sweeper(), set: leaseEnd(), when: { equals: { holder } } });

export const leaveSweeping = (holder: string): Promise<boolean> =>
  tried({ delete: keys.sweeper(), when: { equals: { holder } } });

async function tried(one: Write): Promise<boolean> {
  try {
    await write(one);
    return true;
  } catch (error) {
    if (error instanceof ConditionFailed) return false;
    throw error;
  }
}
