import { manifestsPrefix, runPrefix } from '../../shared/object-keys.ts';
import { readPlan } from '../planning/stored-plans.ts';
import { jobGroupPrefix } from '../table/job-id.ts';
import type { Output, RetiredFiles } from '../table/records.ts';

/** The files that were made for one output alone: its manifests, and what was remuxed for it. */
export async function filesOfOutput(videoUlid: string, { ulid, name, builtByPlan }: Output): Promise<RetiredFiles[]> {
  const plan = await readPlan(videoUlid, builtByPlan);
  const group = plan.outputs.findIndex((planned) => planned.name === name);
  const jobs = jobGroupPrefix({ kind: 'package', group });
  return [
    { prefix: manifestsPrefix(videoUlid, ulid, builtByPlan) },
    ...(group === -1 ? [] : [{ prefix: `${runPrefix(videoUlid, builtByPlan)}${jobs}` }]),
  ];
}
