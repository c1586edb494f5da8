import { qualityKey } from '../../shared/object-keys.ts';
import { createObject, readText, replaceText } from '../aws/object-store.ts';
import type { QualityDecision } from '../planning/quality/decide-rungs.ts';

const contentType = 'application/json';

/**
 * Stores that nothing is decided yet. The object exists as long as its plan, because most functions may not list the
 * bucket: S3 would refuse to tell them that there is no object.
 */
export const openDecision = (videoUlid: string, planNumber: number): Promise<void> =>
  createObject(qualityKey(videoUlid, planNumber), JSON.stringify({}), contentType);

/** The decision of a plan, or undefined before it is made. */
export async function readDecision(
  videoUlid: string,
  planNumber: number,
): Promise<{ decision?: QualityDecision; etag: string }> {
  const key = qualityKey(videoUlid, planNumber);
  const text = await readText(key);
  if (!text) throw new Error(`${key} does not exist`);
  return { ...(JSON.parse(text.body) as { decision?: QualityDecision }), etag: text.etag };
}

/**
 * Stores the decision of a plan unless there is one, and returns the stored one: chunks may be encoded by it already.
 */
export async function keepDecision(
  videoUlid: string,
  planNumber: number,
  decide: () => Promise<QualityDecision>,
): Promise<QualityDecision> {
  for (;;) {
    const { decision, etag } = await readDecision(videoUlid, planNumber);
    if (decision) return decision;
    const body = JSON.stringify({ decision: await decide() });
    await replaceText(qualityKey(videoUlid, planNumber), etag, { body, contentType, cacheControl: 'no-cache' });
  }
}
