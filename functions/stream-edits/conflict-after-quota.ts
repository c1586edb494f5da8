import type { Conflict } from '../common/errors.ts';
import { anyAmount, requireQuota } from '../table/quotas/reserve.ts';
import type { Quota, Video } from '../table/records.ts';

/**
 * The conflict of a request that would encode, to throw when the quota of the video's owner allows that.
 * @param cpuSeconds the estimate of the encode; 0 while it is not known
 * @throws QuotaExceeded
 */
export async function conflictAfterQuota(
  { ownerUlid }: Video,
  { quota, cpuSeconds }: { quota: Quota | null; cpuSeconds: number },
  conflict: Conflict,
): Promise<Conflict> {
  const needed = { cpuMilliseconds: Math.max(anyAmount.cpuMilliseconds, Math.ceil(cpuSeconds * 1000)) };
  await requireQuota({ ulid: ownerUlid, quota }, [], needed);
  return conflict;
}
