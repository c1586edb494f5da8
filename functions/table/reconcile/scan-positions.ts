import * as z from 'zod';
import { getItem, write } from '../items/items.ts';
import { keys } from '../items/keys.ts';

const scanRecord = z.object({ after: z.string() });

/** The object key after which the next call of a scan continues; empty at the start. */
export const findScanPosition = async (name: string): Promise<string> =>
  (await getItem(scanRecord, keys.scan(name)))?.after ?? '';

export async function storeScanPosition(name: string, after: string): Promise<void> {
  await write({ put: { ...keys.scan(name), kind: 'scan', after } });
}
