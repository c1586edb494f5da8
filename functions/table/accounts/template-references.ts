import * as z from 'zod';
import { getItem, type Write } from '../items/items.ts';
import { keys } from '../items/keys.ts';

/** Videos and open uploads that refer to a template; kept with each of them. Fails for a template that is gone. */
export const templateReferenceWrite = (ulid: string, change: 1 | -1): Write => ({
  update: keys.templateCounts(ulid),
  add: { references: change },
  when: { exists: true },
});

/** How many videos and open uploads refer to a template; undefined when it is gone. */
export async function countReferences(ulid: string): Promise<number | undefined> {
  return (await getItem(z.object({ references: z.number() }), keys.templateCounts(ulid)))?.references;
}
