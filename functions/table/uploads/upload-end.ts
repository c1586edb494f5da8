import { now } from '../../../shared/clock.ts';
import type { Upload } from '../records.ts';

const daySeconds = 24 * 3600;

/** How long an upload may stay open. The bucket deletes the parts of a multipart upload after the same time. */
const openSeconds = { multipart: 7 * daySeconds, post: 2 * 3600 } as const;

/** When an upload expires, and the store deletes its parts. */
export function endOf({ createdAt, store, tokenExpiresAt }: Upload): number {
  const end = Date.parse(createdAt) + openSeconds[store] * 1000;
  return tokenExpiresAt === undefined ? end : Math.min(end, Date.parse(tokenExpiresAt) + settlingMilliseconds);
}

/** A form that was sent just before its token expired becomes a video a moment later. */
const settlingMilliseconds = 3600_000;

/** Whether an upload has expired. */
export const isStale = (upload: Upload): boolean => endOf(upload) < now();
