import * as z from 'zod';
import { now, nowSeconds, timestamp } from '../../../shared/clock.ts';
import { equalSecrets, randomBase62, sha256 } from '../../common/secret.ts';
import { tryWrite } from '../items/conditional.ts';
import { getItem } from '../items/items.ts';
import { keys } from '../items/keys.ts';

/** What the token of an early worker begins with, where other tokens have the node. */
export const earlyWorker = 'early';

/** An invocation waits for up to a minute and lasts up to 15 minutes. */
const validSeconds = 16 * 60;
/** The record remains for this long, so that a repeated call does not start another worker for the video. */
const keptSeconds = 24 * 3600;

const earlyWorkerRecord = z.object({ tokenHash: z.string(), validUntil: z.string() });

/** The name of a video's early worker. */
export const earlyWorkerName = (videoUlid: string): string => `early-${videoUlid}`;

/** The names of the only workers that may use the token of a video: the invocation runs a second one. */
export const earlyWorkerNames = (videoUlid: string): string[] => {
  const name = earlyWorkerName(videoUlid);
  return [name, `${name}-2`];
};

/**
 * Creates the token of the early worker of a video, for urgent jobs only. The table has its hash. Undefined when the
 * video has had one in the last day.
 */
export async function createEarlyWorkerToken(videoUlid: string): Promise<string | undefined> {
  const secret = `${videoUlid}-${randomBase62(43)}`;
  const isNew = await tryWrite({
    put: {
      ...keys.earlyWorker(videoUlid),
      kind: 'early-worker',
      tokenHash: sha256(secret),
      validUntil: timestamp(now() + validSeconds * 1000),
      expiresAt: nowSeconds() + keptSeconds,
    },
    when: { exists: false },
  });
  return isNew ? `${earlyWorker}.${secret}` : undefined;
}

/** Whether an early worker was created for the video in this run or just before it. */
export async function hasEarlyWorker(videoUlid: string): Promise<boolean> {
  const record = await getItem(earlyWorkerRecord, keys.earlyWorker(videoUlid));
  return record !== undefined && record.validUntil > timestamp();
}

/** The video whose early worker has this secret. Undefined when there is none, or the token has expired. */
export async function findVideoOfEarlyWorker(secret: string): Promise<string | undefined> {
  const videoUlid = /^([0-9A-Z]{26})-/.exec(secret)?.[1];
  const record = videoUlid && (await getItem(earlyWorkerRecord, keys.earlyWorker(videoUlid)));
  return record && record.validUntil > timestamp() && equalSecrets(record.tokenHash, sha256(secret))
    ? videoUlid
    : undefined;
}
