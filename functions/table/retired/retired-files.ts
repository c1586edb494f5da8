import * as z from 'zod';
import { now, timestamp } from '../../../shared/clock.ts';
import { newUlid } from '../../common/ids.ts';
import { signedUrlSeconds } from '../../common/limits.ts';
import { getItems, queryIndex, type Write, write } from '../items/items.ts';
import { keys, listKey, owned, ulidIn } from '../items/keys.ts';

/** Objects that nothing leads to any more: all below `prefix`, or those of one track in the folders there. */
export type RetiredFiles = { prefix: string; track?: string };

const hourMilliseconds = 3_600_000;
/** A viewer who has a manifest goes on with it, at the longest until the signed URL expires. */
const viewersMilliseconds = signedUrlSeconds.max * 1000 + hourMilliseconds;
/** No worker's URLs live as long. */
const workersMilliseconds = 7 * hourMilliseconds;

const retiredRecord = z.object({
  prefix: z.string().optional(),
  track: z.string().optional(),
  /** the video whose lost attempts are meant */
  attemptsOf: z.string().optional(),
});

/** The write that has files removed once no viewer can be reading them. */
export const retirement = ({ prefix, track }: RetiredFiles): Write =>
  later(viewersMilliseconds, { prefix, ...(track !== undefined && { track }) });

/**
 * The write that has a video looked through for attempts whose results were not taken, once none of their workers can write any more: one that lost touch
 * with the service still has its URLs, and may add files after the video is done.
 */
export const attemptsRetirement = (videoUlid: string): Write => later(workersMilliseconds, { attemptsOf: videoUlid });

function later(graceMilliseconds: number, what: Record<string, unknown>): Write {
  const due = timestamp(now() + graceMilliseconds);
  return { put: { ...keys.retired(newUlid()), ...owned('all', 'retired', due), kind: 'retired', ...what } };
}

export type Retirement = z.infer<typeof retiredRecord> & { ulid: string };

/** Files that no viewer or worker uses any more. */
export async function listDueRetirements(): Promise<Retirement[]> {
  const due = await getItems(await queryIndex('byOwner', listKey('all', 'retired'), { upTo: timestamp() }));
  return due.map((item) => ({ ...retiredRecord.parse(item), ulid: ulidIn(item) }));
}

/** Forgets a retirement whose files are removed. */
export async function endRetirement({ ulid }: Retirement): Promise<void> {
  await write({ delete: keys.retired(ulid) });
}
