import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { QuotaExceeded, ServiceUnavailable } from '../../common/errors.ts';
import { ConditionFailed, getItem, transact, type Write } from '../items/items.ts';
import { type Key, keys } from '../items/keys.ts';
import type { Quota, User } from '../records.ts';
import { readMonthUsage } from '../statistics/month-usage.ts';
import { type Amounts, reservationWrite } from '../writes/reservation-writes.ts';
import { removeStaleReservations, sumReserved } from './reservations.ts';

/** The user whose quota is charged. */
export type QuotaOwner = Pick<User, 'ulid' | 'quota'>;

/** An amount to hold until the upload or run has ended. */
export type Claim = { key: Key; amounts: Amounts };

export type QuotaUse = { used: Amounts; reserved: Amounts };

/** What a user has used in this UTC month, and what is reserved. */
export async function readQuotaUse(userUlid: string, without: readonly Key[] = []): Promise<QuotaUse> {
  // In this order: what ends between the two reads is counted twice, never not at all.
  const reserved = await sumReserved(userUlid, without);
  return { used: await readMonthUsage(userUlid), reserved };
}

/**
 * At least this much must be left for a request whose size is not known yet. A request that needs nothing of a metric
 * is not limited by it.
 */
export const anyAmount = { uploadBytes: 1, cpuMilliseconds: 1 } as const;

/**
 * Makes writes and holds amounts of a quota in one transaction. Concurrent calls for one user are made one after the
 * other, by a version that each of them raises, so that together they cannot exceed the quota.
 * @param needed what must be left of the quota, where it is more than the claims
 * @throws QuotaExceeded, ConditionFailed of `writes`
 */
export async function reserve(
  owner: QuotaOwner,
  claims: readonly Claim[],
  { writes = [], needed = {} }: { writes?: Write[]; needed?: Partial<Amounts> } = {},
): Promise<void> {
  const held = claims.map(({ key, amounts }) => reservationWrite(key, amounts));
  if (!isLimited(owner.quota)) return transact([...writes, ...held]);
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const version = (await getItem(versionRecord, keys.quotaVersion(owner.ulid)))?.version;
    await requireQuota(owner, claims, needed);
    const raised: Write = {
      update: keys.quotaVersion(owner.ulid),
      set: { kind: 'quota-version', version: (version ?? 0) + 1 },
      when: version === undefined ? { exists: false } : { equals: { version } },
    };
    try {
      return await transact([...writes, ...held, raised]);
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
      const failed = error.failed.filter((position) => position < writes.length);
      if (failed.length > 0) throw new ConditionFailed(failed);
      await sleep(Math.random() * 20 * Math.min(attempt, 10));
    }
  }
  throw new ServiceUnavailable();
}

const versionRecord = z.object({ version: z.int() });
const maxAttempts = 30;

const isLimited = (quota: Quota | null): quota is Quota =>
  quota !== null && (quota.uploadBytesPerMonth !== null || quota.encodingCpuSecondsPerMonth !== null);

/**
 * Checks that a quota allows a request, without holding anything.
 * @throws QuotaExceeded
 */
export async function requireQuota(
  owner: QuotaOwner,
  claims: readonly Claim[],
  needed: Partial<Amounts>,
): Promise<void> {
  const { quota } = owner;
  if (!isLimited(quota)) return;
  const own = claims.map(({ key }) => key);
  const wanted = {
    uploadBytes: Math.max(needed.uploadBytes ?? 0, sumOf(claims, 'uploadBytes')),
    cpuMilliseconds: Math.max(needed.cpuMilliseconds ?? 0, sumOf(claims, 'cpuMilliseconds')),
  };
  if (!exceeded(quota, await readQuotaUse(owner.ulid, own), wanted)) return;
  // Before a refusal, what is held for nothing is removed. Amounts that moved from reserved to used between the reads
  // are counted once by the second look.
  await removeStaleReservations(owner.ulid);
  const message = exceeded(quota, await readQuotaUse(owner.ulid, own), wanted);
  if (message !== undefined) throw new QuotaExceeded(message);
}

const sumOf = (claims: readonly Claim[], metric: keyof Amounts): number =>
  claims.reduce((sum, { amounts }) => sum + amounts[metric], 0);

/** Why a quota does not allow the wanted amounts; undefined when it does. */
function exceeded(quota: Quota, { used, reserved }: QuotaUse, wanted: Amounts): string | undefined {
  const { uploadBytesPerMonth: maxBytes, encodingCpuSecondsPerMonth: maxSeconds } = quota;
  const isOver = (metric: keyof Amounts, limit: number): boolean =>
    wanted[metric] > 0 && used[metric] + reserved[metric] + wanted[metric] > limit;
  if (maxBytes !== null && isOver('uploadBytes', maxBytes)) {
    return sentence(`${maxBytes} uploaded bytes`, used.uploadBytes, reserved.uploadBytes);
  }
  if (maxSeconds !== null && isOver('cpuMilliseconds', maxSeconds * 1000)) {
    const seconds = (milliseconds: number): number => Math.round(milliseconds / 1000);
    return sentence(`${maxSeconds} CPU seconds`, seconds(used.cpuMilliseconds), seconds(reserved.cpuMilliseconds));
  }
  return undefined;
}

const sentence = (limit: string, used: number, reserved: number): string =>
  `The quota of ${limit} a month does not allow this: ${used} are used and ${reserved} reserved.`;

/** How many bytes a user may still upload in this month with this upload; undefined without a limit. */
export async function remainingUploadBytes(
  { ulid, quota }: QuotaOwner,
  uploadUlid?: string,
): Promise<number | undefined> {
  const limit = quota?.uploadBytesPerMonth ?? null;
  if (limit === null) return undefined;
  const { used, reserved } = await readQuotaUse(
    ulid,
    uploadUlid === undefined ? [] : [keys.uploadReservation(ulid, uploadUlid)],
  );
  return Math.max(0, limit - used.uploadBytes - reserved.uploadBytes);
}
