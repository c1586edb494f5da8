import { Conflict } from '../common/errors.ts';
import { isFinal } from '../contracts/statuses.ts';
import { readPlan } from '../stored-plans/stored-plans.ts';
import type { Output, Quota } from '../table/records.ts';
import type { WholeVideo } from '../table/videos/video-table.ts';
import { conflictAfterQuota } from './conflict-after-quota.ts';

/**
 * Refuses to repeat the plan of a video when an output that is to be made names a track that a stream edit has replaced
 * or removed. The output would play what the user has changed, until the files of that track are deleted. A new plan
 * would discard the changes, which only the user can decide.
 * @throws Conflict; QuotaExceeded, which comes before it
 */
export async function refuseReplacedTracks(whole: WholeVideo, quota: Quota | null): Promise<void> {
  const output = await outputOfReplacedTrack(whole);
  if (!output) return;
  throw await conflictAfterQuota(
    whole.video,
    { quota, cpuSeconds: 0 },
    new Conflict(
      'streams_changed',
      `A stream of the failed output ${output.name} was changed or deleted. Send "force": true to make everything again as the template says, without the changes of streams.`,
    ),
  );
}

async function outputOfReplacedTrack({ video, streams, outputs }: WholeVideo): Promise<Output | undefined> {
  const { ulid, planNumber, status } = video;
  const unfinished = outputs.filter((output) => output.planNumber === planNumber && output.status !== 'completed');
  if (!isFinal(status) || unfinished.length === 0) return undefined;
  const plan = await readPlan(ulid, planNumber);
  const present = new Set(streams.filter((stream) => stream.planNumber === planNumber).map(({ track }) => track));
  const replaced = new Set(plan.streams.map(({ name }) => name).filter((name) => !present.has(name)));
  return unfinished.find((output) => {
    const planned = plan.outputs.find(({ name, error }) => name === output.name && error === null);
    return [...(planned?.video ?? []), ...(planned?.audio ?? [])].some((track) => replaced.has(track));
  });
}
