import * as z from 'zod';
import { timestamp } from '../../../shared/clock.ts';
import { getItems, queryIndex, write } from '../items/items.ts';
import { keys, listKey, ulidIn } from '../items/keys.ts';

const retiredRecord = z.object({
  prefix: z.string().optional(),
  track: z.string().optional(),
  /** the video whose unused attempts are to be deleted */
  attemptsOf: z.string().optional(),
});

export type Retirement = z.infer<typeof retiredRecord> & { ulid: string };

/** Files that no viewer or worker can be using any more. */
export async function listDueRetirements(): Promise<Retirement[]> {
  const due = await getItems(await queryIndex('byOwner', listKey('all', 'retired'), { upTo: timestamp() }));
  return due.map((item) => ({ ...retiredRecord.parse(item), ulid: ulidIn(item) }));
}

/** Forgets a retirement whose files are deleted. */
export async function endRetirement({ ulid }: Retirement): Promise<void> {
  await write({ delete: keys.retired(ulid) });
}
