import * as z from 'zod';
import { nowSeconds } from '../../../shared/clock.ts';
import type { VideoCodec } from '../../../shared/media/codecs.ts';
import { createBoundedCache } from '../../common/bounded-cache.ts';
import { tryWrite } from '../items/conditional.ts';
import { getItem } from '../items/items.ts';
import { keys } from '../items/keys.ts';

const planEncoderRecord = z.object({ version: z.string() });

/** Longer than a video can be processed. */
const keptSeconds = 30 * 86_400;

/** Of plans that this instance has leased jobs of. A version never changes. */
const knownVersions = createBoundedCache<string>(1000);

type PlanEncoder = { videoUlid: string; planNumber: number; codec: VideoCodec };

/** The version of the encoder by which all chunks of a plan are encoded: that of the first worker that asks. */
export async function encoderOfPlan(encoder: PlanEncoder, version: string): Promise<string> {
  const { videoUlid, planNumber, codec } = encoder;
  const key = keys.planEncoder(videoUlid, planNumber, codec);
  const known = knownVersions.get(`${key.pk} ${key.sk}`) ?? (await getItem(planEncoderRecord, key))?.version;
  const put = { ...key, kind: 'plan-encoder', version, expiresAt: nowSeconds() + keptSeconds };
  if (known === undefined && !(await tryWrite({ put, when: { exists: false } })))
    return encoderOfPlan(encoder, version);
  knownVersions.set(`${key.pk} ${key.sk}`, known ?? version);
  return known ?? version;
}
