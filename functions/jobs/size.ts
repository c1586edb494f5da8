import { chunkSeconds } from '../../shared/estimate.ts';
import type { JobId } from '../../shared/table/keys.ts';
import { readPlan } from '../plans.ts';

/** Work that is not worth an estimate of its own: seconds of CPU that such a job usually takes. */
export const usualSeconds = 10;

/** What a job is thought to cost, and what it adds to the progress of the outputs it is for. */
export async function sizeJob(
  id: Pick<JobId, 'videoUlid' | 'run'> & { kind: string; group: number; index: number },
): Promise<{
  estimateSeconds: number;
  workUnits: number;
}> {
  if (id.kind !== 'encode-video') return { estimateSeconds: usualSeconds, workUnits: 1 };
  const plan = await readPlan(id.videoUlid, id.run);
  const group = plan.groups[id.group];
  const chunk = group?.chunks[id.index];
  if (!group || !chunk) throw new Error(`the plan has no chunk ${id.index} in group ${id.group}`);
  return {
    estimateSeconds: chunkSeconds(chunk, group.grid, group.rungs),
    workUnits: chunk.endFrame - chunk.startFrame,
  };
}
