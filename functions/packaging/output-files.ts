import { isSegmented } from '../../shared/media/output-formats.ts';
import { runPrefix } from '../../shared/object-keys.ts';
import { readPlan } from '../stored-plans/stored-plans.ts';
import { jobGroupPrefix } from '../table/job-id.ts';
import type { Output, RetiredFiles } from '../table/records.ts';

/** The files that were made for one output alone: its manifests, and what was remuxed for it. */
export async function filesOfOutput(videoUlid: string, output: Output): Promise<RetiredFiles[]> {
  const { name, builtByPlan } = output;
  const plan = await readPlan(videoUlid, builtByPlan);
  const group = plan.outputs.findIndex((planned) => planned.name === name);
  const jobs = jobGroupPrefix({ kind: 'package', group });
  return [
    ...manifestsOfOutput(output),
    ...(group === -1 ? [] : [{ prefix: `${runPrefix(videoUlid, builtByPlan)}${jobs}` }]),
  ];
}

/** The folder of an output's manifests. A progressive file is in the folder of the job that made it. */
export const manifestsOfOutput = ({ format, entryKey }: Output): RetiredFiles[] =>
  !isSegmented(format) || entryKey === null ? [] : [{ prefix: entryKey.slice(0, entryKey.lastIndexOf('/') + 1) }];
