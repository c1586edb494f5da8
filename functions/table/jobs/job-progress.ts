import { tryWrite } from '../items/conditional.ts';
import type { Video } from '../records.ts';
import { addProgress } from '../writes/progress-writes.ts';

/**
 * Adds done units of work to a part of a video's plan. Progress is informative: it is dropped when the video has
 * another plan by now.
 */
export async function recordProgress(video: Video, part: string | undefined, units: number): Promise<void> {
  for (const update of addProgress(video, part, units)) await tryWrite(update);
}
