import { causeText } from '../../../shared/protocol/job-errors.ts';
import { publishCaptions } from '../../captions/publish-captions.ts';
import { finishedTracks } from '../../job-results/finished-tracks.ts';
import { buildOutput } from '../../packaging/build-output.ts';
import { readPlan } from '../../stored-plans/stored-plans.ts';
import type { StreamEdit } from '../../table/records.ts';
import { claimStreamEdit } from '../../table/stream-edits/stream-edit-table.ts';
import { isBuiltByPlan, type StreamEditRun } from '../../table/videos/run.ts';
import { moveOutput, moveStream, recordStreamProperties, type WholeVideo } from '../../table/videos/video-table.ts';
import type { RunOperations } from '../run-operations.ts';
import { failStreamEdit, publishStreamEdit } from './end-stream-edit.ts';
import { outputsOfEdit, planEdit, recordWork } from './plan-edit.ts';
import { swapOutput } from './swap-output.ts';

// The operations on the run of one stream edit. Outputs are rebuilt next to the files that play, then swapped in one
// write.
type Operations = RunOperations<StreamEditRun>;

export const claim: Operations['claim'] = async ({ edit, planNumber }, executionArn) => ({
  decision: (await claimStreamEdit(edit, executionArn)) ? 'process' : 'already-created',
  planNumber,
});

export const plan: Operations['plan'] = ({ whole, edit }, probe) => planEdit(whole, edit, probe);

export const recordOutputs: Operations['recordOutputs'] = async ({ whole, edit, planNumber }, planned) => {
  const outputs = outputsOfEdit(whole, edit);
  await recordWork(whole, outputs, planned, planNumber);
  // Also the completed ones: they play an earlier plan until they are rebuilt.
  return outputs;
};

export const startPackaging: Operations['startPackaging'] = ({ whole, edit }) => startRebuild(whole, edit);

export const packageOutput: Operations['packageOutput'] = async ({ whole, edit, planNumber }, output) => {
  if (!isBuiltByPlan(output, planNumber)) {
    const built = await buildOutput(edit.videoUlid, planNumber, output);
    if (output.status === 'completed') await swapOutput(edit, output, built);
    else await moveOutput(whole.video, output.ulid, 'completed', built);
  }
  // They may have changed since the manifests were written.
  await publishCaptions(edit.videoUlid);
};

export const failOutput: Operations['failOutput'] = async ({ whole, edit }, outputUlid, error) => {
  // When the user repeats the edit, the stream is encoded again: no finished parts are reused.
  const errorLog = causeText(error, { ofFinishedParts: false });
  // Has no effect on a completed output, which keeps its files.
  await moveOutput(whole.video, outputUlid, 'failed', { errorLog });
  // The stream fails only when no output could be rebuilt; Publish decides that.
  await recordStreamProperties(edit.videoUlid, edit.streamUlid, { errorLog });
};

export const publish: Operations['publish'] = ({ whole, edit }) => publishStreamEdit(whole, edit);

export const fail: Operations['fail'] = ({ edit }, reason) => failStreamEdit(edit, reason);

/**
 * Starts the outputs of an edit, unless its stream could not be encoded. Completed outputs play their present files
 * until they are swapped.
 */
async function startRebuild(whole: WholeVideo, edit: StreamEdit): Promise<'package' | 'failed'> {
  const { videoUlid, planNumber, streamUlid } = edit;
  const plan = await readPlan(videoUlid, planNumber);
  const tracks = await finishedTracks(videoUlid, planNumber, plan);
  if (plan.streams.some(({ name }) => !tracks.has(name))) return 'failed';
  // Still pending when every job of it was done in an earlier execution: no worker has reported on it.
  if (edit.action === 'encode') await moveStream(whole.video, streamUlid, 'running');
  for (const { ulid, status } of outputsOfEdit(whole, edit)) {
    if (status === 'pending') await moveOutput(whole.video, ulid, 'running');
  }
  return 'package';
}
