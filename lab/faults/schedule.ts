import type { Fault } from './injected/fault.ts';
import { createRandom } from './random.ts';

/** Each fault once in random order, then more by weight, as many as requested; the same for the same seed. */
export function schedule(faults: readonly Fault[], count: number, seed: number): Fault[] {
  const random = createRandom(seed);
  const chosen: Fault[] = [];
  for (const left = [...faults]; left.length > 0; ) chosen.push(...left.splice(random.between(0, left.length - 1), 1));
  const weighted = faults.flatMap((fault) => Array.from({ length: fault.weight ?? 1 }, () => fault));
  while (chosen.length < count) chosen.push(random.pick(weighted));
  return chosen.slice(0, count);
}
