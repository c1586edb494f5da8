import * as z from 'zod';
import type { JobKind } from '../../../shared/protocol/jobs.ts';
import { tryWrite } from '../items/conditional.ts';
import { getItem } from '../items/items.ts';
import { keys } from '../items/keys.ts';
import type { Video } from '../records.ts';
import { addProgress, durationsIn } from '../writes/progress-writes.ts';

/**
 * Adds done units of work to a part of a video's plan. Progress is informative: it is dropped when the video has
 * another plan by now.
 */
export async function recordProgress(video: Video, part: string | undefined, units: number): Promise<void> {
  for (const update of addProgress(video, part, units)) await tryWrite(update);
}

const countsRecord = z.looseObject({});

/**
 * About how long the finished jobs of a kind took for a video. One item has their counts, so that a plan with thousands
 * of jobs costs one read.
 */
export async function findDurations(videoUlid: string, kind: JobKind): Promise<number[]> {
  const item = await getItem(countsRecord, keys.progress(videoUlid));
  return item ? durationsIn(item, kind) : [];
}
