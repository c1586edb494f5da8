import { causeText, stateErrors } from '../../../shared/protocol/job-errors.ts';
import { buildOutput } from '../../packaging/build-output.ts';
import { planVideo } from '../../planning/plan-video.ts';
import { readFrames } from '../../planning/stored-frame-index.ts';
import type { VideoRun } from '../../table/videos/run.ts';
import { moveOutput } from '../../table/videos/video-table.ts';
import { templateQuerySchema } from '../../templates/template-query.ts';
import type { PublishResult, RunOperations } from '../run-operations.ts';
import { completeVideo } from './complete-video.ts';
import { failVideo } from './fail-video.ts';
import { recordOutputs } from './record-outputs.ts';
import { settleStreams } from './settle-streams.ts';
import { startOutputs } from './start-outputs.ts';
import { startVideo } from './start-video.ts';

/** The run of a whole video: every output of the template, from the source. */
export function videoRun({ whole, planNumber }: VideoRun): RunOperations {
  const { video } = whole;
  return {
    claim: (executionArn) => startVideo(video, executionArn),

    async plan(probe) {
      const query = templateQuerySchema.parse(video.query);
      return planVideo({ probe, frames: probe.video ? await readFrames(video.ulid) : null, query });
    },

    recordOutputs: (plan, probe) => recordOutputs(video.ulid, plan, probe),

    startPackaging: () => startOutputs(whole),

    async packageOutput(output) {
      // An earlier call may have completed the output and died before its streams.
      const isBuilt = output.status === 'completed' && output.builtByPlan === planNumber;
      if (!isBuilt) {
        await moveOutput(video.ulid, output.ulid, 'completed', await buildOutput(video.ulid, planNumber, output));
      }
      await settleStreams(video.ulid, output.ulid);
    },

    async failOutput(outputUlid, error) {
      const errorLog = causeText(error, { ofFinishedParts: true });
      await moveOutput(video.ulid, outputUlid, 'failed', { errorLog });
      await settleStreams(video.ulid, outputUlid);
    },

    async publish(): Promise<PublishResult> {
      const outputs = whole.outputs.filter((output) => output.planNumber === planNumber);
      if (outputs.some(({ status }) => status === 'completed')) {
        await completeVideo(whole);
        return { status: 'completed' };
      }
      const cause = outputs[0]?.errorLog ?? 'OUTPUT_NO_STREAMS: The template has no output for this source.';
      await failVideo(video, cause);
      return { status: 'failed', error: stateErrors.jobFatal, cause };
    },

    fail: (reason) => failVideo(video, reason),
  };
}
