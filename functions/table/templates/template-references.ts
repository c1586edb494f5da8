import * as z from 'zod';
import { getItem } from '../items/items.ts';
import { keys } from '../items/keys.ts';

/** How many videos and open uploads refer to a template; undefined when it was deleted. */
export async function countReferences(ulid: string): Promise<number | undefined> {
  return (await getItem(z.object({ references: z.number() }), keys.templateCounts(ulid)))?.references;
}
