import type { ProbeResult } from '../../../shared/protocol/probe-result.ts';
import { isFinal } from '../../contracts/statuses.ts';
import type { Plan } from '../../planning/encoding-plan.ts';
import { plannedRecords } from '../../planning/planned-records.ts';
import type { Output } from '../../table/records.ts';
import { storePlannedVideo, takeStreamIds } from '../../table/videos/video-plan.ts';
import {
  clearStreamError,
  findWholeVideo,
  moveOutput,
  moveStream,
  moveVideo,
  type WholeVideo,
} from '../../table/videos/video-table.ts';
import { isPlayed } from './settle-streams.ts';

/** Records the streams and outputs of a plan, once, and moves the video to running. Returns the outputs to package. */
export async function recordOutputs(videoUlid: string, plan: Plan, probe: ProbeResult): Promise<Output[]> {
  const outputs = await recordedOutputs(videoUlid, plan, probe);
  return outputs.filter(({ status }) => !isFinal(status));
}

/** The outputs of the plan, as this call or an earlier one for the same plan has recorded them. */
async function recordedOutputs(videoUlid: string, plan: Plan, probe: ProbeResult): Promise<Output[]> {
  const whole = await findWholeVideo(videoUlid);
  if (!whole) return [];
  const known = outputsOfPlan(whole);
  if (known.length > 0) return whole.video.status === 'downloading' ? resetFailed(whole, plan) : known;
  const firstStreamId = await takeStreamIds(plan.streams.length);
  const planned = plannedRecords({ whole, plan, probe, firstStreamId });
  const isStored = await storePlannedVideo(whole.video, planned);
  const current = isStored ? { ...whole, ...planned } : await findWholeVideo(videoUlid);
  return current ? outputsOfPlan(current) : [];
}

const outputsOfPlan = ({ video, outputs }: WholeVideo): Output[] =>
  outputs.filter(({ planNumber }) => planNumber === video.planNumber);

/**
 * For an execution that repeats a plan: failed outputs and streams are pending again, completed ones stay. Returns the
 * outputs to package, also those that an earlier call has reset before it died.
 */
async function resetFailed(whole: WholeVideo, plan: Plan): Promise<Output[]> {
  const { video, streams, outputs } = whole;
  const possible = new Set(plan.outputs.filter(({ error }) => error === null).map(({ name }) => name));
  const open = outputsOfPlan(whole).filter(({ name, status }) => status !== 'completed' && possible.has(name));
  const failed = open.filter(({ status }) => status === 'failed');
  const reset = { errorLog: null };
  await Promise.all([
    ...streams
      .filter(({ type, errorLog }) => type === 'original' && errorLog !== null)
      .map(({ ulid }) => clearStreamError(video.ulid, ulid)),
    ...failed.map(({ ulid }) => moveOutput(video, ulid, 'pending', reset)),
    ...streams
      .filter(({ planNumber, type }) => planNumber === video.planNumber && type !== 'original')
      // Also those that were encoded for outputs that all failed.
      .filter((stream) => stream.status === 'failed' || !isPlayed(stream, outputs))
      .map(({ ulid }) => moveStream(video, ulid, 'pending', reset)),
  ]);
  await moveVideo(video, 'running');
  return open.map((output) => ({ ...output, status: 'pending' }));
}
