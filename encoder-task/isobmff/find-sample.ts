import { isKeySample, type SampleList } from './sample-list.ts';
import type { SampleTable } from './sample-table.ts';

/**
 * Index of the key sample at or before a media time; of any sample when there is no such key sample, and 0 when there
 * is none at all. The same as FFmpeg's find_prev_closest_index.
 */
export function findStartSample(table: SampleTable, mediaTicks: number): number {
  const decodeTicks = mediaTicks - Math.max(0, table.shiftTicks);
  const keySample = findSampleBefore(table, decodeTicks, true);
  if (keySample >= 0) return keySample;
  return Math.max(0, findSampleBefore(table, decodeTicks, false));
}

function findSampleBefore({ samples, hasOffsets }: SampleTable, ticks: number, keysOnly: boolean): number {
  const { decodeTicks, compositionOffsets } = samples;
  let index = lastAtOrBefore(samples, ticks);
  if (keysOnly) while (index >= 0 && !isKeySample(samples, index)) index -= 1;
  for (let n = index; n > 0 && decodeTicks[n] === decodeTicks[n - 1]; n--) {
    if (!keysOnly || isKeySample(samples, n - 1)) index = n - 1;
  }
  // a sample that is decoded before the time may be presented after it
  if (hasOffsets) {
    const isPresentedBefore = (n: number): boolean => decodeTicks[n]! + compositionOffsets[n]! <= ticks;
    while (index >= 0 && !(isPresentedBefore(index) && isKeySample(samples, index))) index -= 1;
  }
  return index;
}

/** Binary search: decode times never decrease. */
function lastAtOrBefore({ decodeTicks, length }: SampleList, ticks: number): number {
  let [low, high] = [-1, length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (decodeTicks[middle]! <= ticks) low = middle;
    else high = middle;
  }
  return low;
}
