import { timestamp } from '../../../shared/clock.ts';
import type { Write } from '../items/items.ts';
import { keys } from '../items/keys.ts';
import type { Video } from '../records.ts';

/** Adds done units of work to a part of a video's plan. Nothing for work that belongs to no part. */
export const addProgress = (
  video: Pick<Video, 'ulid' | 'planNumber'>,
  part: string | undefined,
  units: number,
): Write[] =>
  part === undefined || units <= 0
    ? []
    : [
        {
          update: keys.progress(video.ulid),
          set: { changedAt: timestamp() },
          add: { [`done.${part}`]: units },
          when: { equals: { planNumber: video.planNumber } },
        },
      ];
