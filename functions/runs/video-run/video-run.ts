import { causeText, stateErrors } from '../../../shared/protocol/job-errors.ts';
import { publishCaptions } from '../../captions/publish-captions.ts';
import { removeUnplannedCaptions } from '../../captions/remove-unplanned.ts';
import { endPlayback } from '../../early-playback/end-playback.ts';
import { buildOutput } from '../../packaging/build-output.ts';
import { planVideo } from '../../planning/plan-video.ts';
import { keepWatermark } from '../../stored-plans/keep-watermark.ts';
import { usedSource } from '../../stored-plans/stored-frame-index.ts';
import { readPlan } from '../../stored-plans/stored-plans.ts';
import { hasEarlyWorker } from '../../table/nodes/early-worker-token.ts';
import { markPlayable } from '../../table/videos/early-playback.ts';
import { isBuiltByPlan, type VideoRun } from '../../table/videos/run.ts';
import { moveOutput } from '../../table/videos/video-table.ts';
import { templateQuerySchema } from '../../templates/template-query.ts';
import { expectedCapacity } from '../../workers/expected-capacity.ts';
import type { RunOperations } from '../run-operations.ts';
import { completeVideo } from './complete-video.ts';
import { failVideo } from './fail-video.ts';
import { recordOutputs as recordPlannedOutputs } from './record-outputs.ts';
import { settleStreams } from './settle-streams.ts';
import { startOutputs } from './start-outputs.ts';
import { startVideo } from './start-video.ts';

// The operations on the run of a whole video: every output of the template, from the source.
type Operations = RunOperations<VideoRun>;

export const claim: Operations['claim'] = ({ whole }, executionArn) => startVideo(whole.video, executionArn);

export const plan: Operations['plan'] = async ({ whole: { video } }, probe) => {
  const query = templateQuerySchema.parse(video.query);
  const [source, expected, isColdStart, watermark] = await Promise.all([
    usedSource(video, probe, { needsFrames: true }),
    expectedCapacity(),
    hasEarlyWorker(video.ulid),
    keepWatermark(video.ulid, query),
  ]);
  return planVideo({ ...source, query, ...expected, isColdStart, ...(watermark && { watermark }) });
};

export const recordOutputs: Operations['recordOutputs'] = ({ whole }, planned, probe) =>
  recordPlannedOutputs(whole.video.ulid, planned, probe);

export const startPackaging: Operations['startPackaging'] = ({ whole }) => startOutputs(whole);

export const packageOutput: Operations['packageOutput'] = async ({ whole: { video }, planNumber }, output) => {
  // Before the manifests are written. The first output is what makes this plan that of the video, except with a new
  // source: then the old one plays until all outputs are made.
  if (!video.replaced) await removeUnplannedCaptions(video, (await readPlan(video.ulid, planNumber)).captions);
  // An earlier call may have completed the output and died before its streams.
  if (!isBuiltByPlan(output, planNumber)) {
    await moveOutput(video, output.ulid, 'completed', await buildOutput(video.ulid, planNumber, output));
  }
  // They may have changed since the manifests were written.
  await publishCaptions(video.ulid);
  await markPlayable(video);
  await settleStreams(video.ulid, output.ulid);
};

export const failOutput: Operations['failOutput'] = async ({ whole }, outputUlid, error) => {
  const { video } = whole;
  const errorLog = causeText(error, { ofFinishedParts: true });
  await endPlayback({ video, outputs: whole.outputs.filter(({ ulid }) => ulid === outputUlid) });
  await moveOutput(video, outputUlid, 'failed', { errorLog });
  await settleStreams(video.ulid, outputUlid);
};

export const publish: Operations['publish'] = async ({ whole, planNumber }) => {
  const outputs = whole.outputs.filter((output) => output.planNumber === planNumber);
  if (outputs.some(({ status }) => status === 'completed')) {
    await completeVideo(whole);
    return { status: 'completed' };
  }
  const cause = outputs[0]?.errorLog ?? 'OUTPUT_NO_STREAMS: The template has no output for this source.';
  await failVideo(whole.video, cause);
  return { status: 'failed', error: stateErrors.jobFatal, cause };
};

export const fail: Operations['fail'] = ({ whole }, reason) => failVideo(whole.video, reason);
