import type { Random } from '../../faults/random.ts';

/** Whether something unusual is in a source, with this probability. It never is in a plain one. */
export type Chance = (probability: number) => boolean;

export const chanceOf =
  (random: Random, isPlain: boolean): Chance =>
  (probability) =>
    random.share() < probability && !isPlain;
