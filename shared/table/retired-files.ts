import * as z from 'zod';
import { now, timestamp } from '../clock.ts';
import { newUlid } from '../ids.ts';
import { getItems, queryIndex, type Write } from './items.ts';
import { keys, owned } from './keys.ts';

/** Objects that nothing leads to any more: all below `prefix`, or those of one track in the folders there. */
export type RetiredFiles = { prefix: string; track?: string };

/** A viewer who has a manifest goes on with it, at the longest until the signed URL ends. */
const graceMilliseconds = 7 * 3_600_000;

const retiredRecord = z.object({ pk: z.string(), sk: z.string(), prefix: z.string(), track: z.string().optional() });

/** The write that has files removed once no viewer can be reading them. */
export function retirement({ prefix, track }: RetiredFiles): Write {
  const ulid = newUlid();
  const due = timestamp(now() + graceMilliseconds);
  const names = { prefix, ...(track !== undefined && { track }) };
  return { put: { ...keys.retired(ulid), ...owned('all', 'retired', due), kind: 'retired', ...names } };
}

/** Files whose time has come, with the keys of the items that say so. */
export async function dueRetirements(): Promise<z.infer<typeof retiredRecord>[]> {
  const due = await getItems(await queryIndex('byOwner', owned('all', 'retired', '').ownerKey, { upTo: timestamp() }));
  return due.map((item) => retiredRecord.parse(item));
}
