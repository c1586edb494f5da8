import { prices } from '../../shared/pricing/prices.ts';
import type { Workload } from './workloads.ts';

/**
 * The costs of the same AVC renditions in the basic tier of AWS Elemental MediaConvert. Null for other codecs, which it
 * does not support or bills with factors. Below 720 lines is SD, up to 1,080 HD.
 */
export function mediaConvertDollars({ codec, heights }: Workload, minutes: number): number | null {
  if (codec !== 'h264') return null;
  const { sdMinute, hdMinute, uhdMinute } = prices.mediaConvert;
  const perMinute = heights.map((height) => (height < 720 ? sdMinute : height <= 1080 ? hdMinute : uhdMinute));
  return perMinute.reduce((sum: number, dollars) => sum + dollars, 0) * minutes;
}
