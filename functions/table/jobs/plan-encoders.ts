import * as z from 'zod';
import { nowSeconds } from '../../../shared/clock.ts';
import type { VideoCodec } from '../../../shared/media/codecs.ts';
import { createBoundedCache } from '../../common/bounded-cache.ts';
import { tryWrite } from '../items/conditional.ts';
import { getItem } from '../items/items.ts';
import { type Key, keys } from '../items/keys.ts';

const planEncoderRecord = z.object({ version: z.string() });

/** Longer than a video can be processed. */
const keptSeconds = 30 * 86_400;

/** Of plans that this instance has leased jobs of. A version never changes. */
const knownVersions = createBoundedCache<string>(1000);

type PlanEncoder = { videoUlid: string; planNumber: number; codec: VideoCodec };

/** The version of the encoder by which all chunks of a plan are encoded: that of the first worker that asks. */
export async function encoderOfPlan({ videoUlid, planNumber, codec }: PlanEncoder, version: string): Promise<string> {
  const key = keys.planEncoder(videoUlid, planNumber, codec);
  const name = `${key.pk} ${key.sk}`;
  const chosen = knownVersions.get(name) ?? (await storedVersion(key, version));
  knownVersions.set(name, chosen);
  return chosen;
}

async function storedVersion(key: Key, version: string): Promise<string> {
  for (;;) {
    const stored = await getItem(planEncoderRecord, key);
    if (stored) return stored.version;
    const put = { ...key, kind: 'plan-encoder', version, expiresAt: nowSeconds() + keptSeconds };
    if (await tryWrite({ put, when: { exists: false } })) return version;
  }
}
