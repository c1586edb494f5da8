import type { Item } from '../../../test/journey/support/account.ts';
import { jobsIn, videosIn } from './table-records.ts';

/** Bytes and CPU time are counted once per upload and job, despite repetitions. Each violation is a sentence. */
export function wrongUsage(items: readonly Item[]): string[] {
  const owners = new Map(videosIn(items).map(({ ulid, ownerUlid }) => [ulid, ownerUlid]));
  const expected = new Map<string, number>();
  const add = (ownerUlid: string | undefined, metric: string, amount: number): void => {
    const name = `${metric} of ${ownerUlid}`;
    expected.set(name, (expected.get(name) ?? 0) + amount);
  };
  for (const { ownerUlid, sourceBytes } of videosIn(items)) add(ownerUlid, 'upload_bytes', sourceBytes);
  for (const { videoUlid, status, result } of jobsIn(items)) {
    if (status === 'DONE')
      add(owners.get(videoUlid), 'encoding_cpu', Math.round((result as { cpuSeconds: number }).cpuSeconds * 1000));
  }
  const counted = new Map<string, number>();
  for (const { userUlid, metric, value } of items.filter(({ kind }) => kind === 'usage')) {
    const name = `${metric} of ${userUlid}`;
    counted.set(name, (counted.get(name) ?? 0) + Number(value));
  }
  return [...new Set([...expected.keys(), ...counted.keys()])]
    .filter((name) => (expected.get(name) ?? 0) !== (counted.get(name) ?? 0))
    .map((name) => `${counted.get(name) ?? 0} are counted as ${name}, there are ${expected.get(name) ?? 0}`);
}
