import * as z from 'zod';
import { getItem, write } from '../items/items.ts';
import { keys } from '../items/keys.ts';

const scanRecord = z.object({
  /** the object key after which the next call continues; empty at the end of a pass */
  after: z.string(),
  /** when the pass began */
  begunAt: z.string().default(''),
});
export type ScanPosition = z.infer<typeof scanRecord>;

/** Where a scan is. Undefined before its first pass. */
export const findScanPosition = (name: string): Promise<ScanPosition | undefined> =>
  getItem(scanRecord, keys.scan(name));

export async function storeScanPosition(name: string, position: ScanPosition): Promise<void> {
  await write({ put: { ...keys.scan(name), kind: 'scan', ...position } });
}
