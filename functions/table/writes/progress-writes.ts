import { timestamp } from '../../../shared/clock.ts';
import type { JobKind } from '../../../shared/protocol/jobs.ts';
import type { Write } from '../items/items.ts';
import { keys } from '../items/keys.ts';
import type { Video } from '../records.ts';

/** A job that has finished, and how long the attempt took whose result counts. */
export type FinishedJob = { kind: JobKind; tookSeconds: number };

/** Adds done units of work to a part of a video's plan. Nothing for work that belongs to no part. */
export const addProgress = (
  video: Pick<Video, 'ulid' | 'planNumber'>,
  part: string | undefined,
  units: number,
  finished?: FinishedJob,
): Write[] =>
  part === undefined || (units <= 0 && !finished)
    ? []
    : [
        {
          update: keys.progress(video.ulid),
          set: { changedAt: timestamp() },
          add: { [`done.${part}`]: units, ...(finished && { [durationName(finished)]: 1 }) },
          when: { equals: { planNumber: video.planNumber } },
        },
      ];

/** Durations are counted in classes, each of which is a tenth longer than the one before. */
const classRatio = 1.1;

/** The name of the count of jobs of a kind that took about as long. */
export const durationName = ({ kind, tookSeconds }: FinishedJob): string =>
  `took_${kind}_${Math.max(0, Math.ceil(Math.log(tookSeconds) / Math.log(classRatio)))}`;

/** How long the finished jobs of a kind took, by the counts in a progress item: at most a tenth too long. */
export function durationsIn(item: Readonly<Record<string, unknown>>, kind: JobKind): number[] {
  const prefix = `took_${kind}_`;
  return Object.entries(item).flatMap(([name, count]) =>
    name.startsWith(prefix)
      ? Array.from({ length: Number(count) }, () => classRatio ** Number(name.slice(prefix.length)))
      : [],
  );
}
