import type { Plan, PlannedOutput } from '../planning/encoding-plan.ts';
import type { Output, Video } from '../table/records.ts';
import type { WholeVideo } from '../table/videos/video-table.ts';

/** The output that plays while its video is encoded, with the plan's entry of it. */
export type RunningOutput = { video: Video; plan: Plan; planned: PlannedOutput; output: Output };

/**
 * The output that plays while its video is encoded. Undefined while outputs of an earlier plan play: their viewers
 * should not get less than they had. Undefined also when it can only fail, since one of its streams has.
 */
export function runningOutput({ video, outputs, streams }: WholeVideo, plan: Plan): RunningOutput | undefined {
  if (video.status !== 'running' || outputs.some(({ status }) => status === 'completed')) return undefined;
  const planned = plan.outputs.find(playsWhileEncoded(plan));
  const output = outputs.find(
    ({ name, planNumber, status }) => name === planned?.name && planNumber === video.planNumber && status === 'running',
  );
  if (!planned || !output) return undefined;
  const hasFailed = streams.some(({ ulid, status }) => output.streams.includes(ulid) && status === 'failed');
  return hasFailed ? undefined : { video, plan, planned, output };
}

const playsWhileEncoded =
  ({ starter }: Plan) =>
  ({ format, container, error, video }: PlannedOutput): boolean =>
    format === 'hls' && container === 'fmp4' && error === null && video.includes(starter?.rung ?? '');
