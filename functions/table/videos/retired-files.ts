import * as z from 'zod';
import { duePages } from '../items/due-pages.ts';
import { getItems, write } from '../items/items.ts';
import { keys, ulidIn } from '../items/keys.ts';

const retiredRecord = z.object({
  prefix: z.string().optional(),
  track: z.string().optional(),
  /** the video whose unused attempts are to be deleted */
  attemptsOf: z.string().optional(),
});

export type Retirement = z.infer<typeof retiredRecord> & { ulid: string };

/** Files that no viewer or worker can be using any more, those that have waited longest first, page by page. */
export async function* dueRetirements(): AsyncGenerator<Retirement[]> {
  for await (const page of duePages(['retired'])) {
    yield (await getItems(page)).map((item) => ({ ...retiredRecord.parse(item), ulid: ulidIn(item) }));
  }
}

/** Forgets a retirement whose files are deleted. */
export async function endRetirement({ ulid }: Retirement): Promise<void> {
  await write({ delete: keys.retired(ulid) });
}
