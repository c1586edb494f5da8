import { randomBytes } from 'node:crypto';
import { parseUlid } from '../common/ids.ts';
import type { JobId } from '../table/items/keys.ts';
import type { Holder } from '../table/jobs/job-table.ts';
import type { Caller } from './caller.ts';

/** A lease names its job, so that no index is needed to find it, and ends in a nonce that nobody can guess: it fences off all earlier holders. */
const newLease = (id: JobId): string =>
  [id.videoUlid, id.planNumber, id.kind, id.group, id.index, randomBytes(12).toString('base64url')].join('.');

/** A worker as the holder of a lease on a job that did not exist before. */
export const newHolder = ({ node, worker, epoch }: Caller, job: JobId): Holder => ({
  lease: newLease(job),
  holder: node,
  worker,
  epoch,
});

export function parseLease(lease: string): JobId | undefined {
  const [video = '', planNumber, kind = '', group, index, nonce] = lease.split('.');
  const videoUlid = parseUlid(video);
  const numbers = [planNumber, group, index].map(Number);
  if (!videoUlid || nonce === undefined || numbers.some((number) => !Number.isSafeInteger(number))) return undefined;
  return { videoUlid, planNumber: numbers[0]!, kind, group: numbers[1]!, index: numbers[2]! };
}
