import { causeText } from '../../../shared/protocol/job-errors.ts';
import { buildOutput } from '../../packaging/build-output.ts';
import { claimStreamEdit } from '../../table/stream-edits/stream-edit-table.ts';
import type { StreamEditRun } from '../../table/videos/run.ts';
import { moveOutput, noteStream } from '../../table/videos/video-table.ts';
import type { RunOperations } from '../run-operations.ts';
import { failStreamEdit, publishStreamEdit } from './end-stream-edit.ts';
import { outputsOfEdit, planEdit, recordWork } from './plan-edit.ts';
import { startRebuild } from './start-rebuild.ts';
import { swapOutput } from './swap-output.ts';

/** The run of one stream edit. Outputs are rebuilt next to the files that play, and then swapped in one write. */
export function streamEditRun({ whole, edit, planNumber }: StreamEditRun): RunOperations {
  const { videoUlid, streamUlid } = edit;
  return {
    claim: async (executionArn) => ((await claimStreamEdit(edit, executionArn)) ? 'process' : 'already-created'),

    plan: (probe) => planEdit(whole, edit, probe),

    async recordOutputs(plan) {
      const outputs = outputsOfEdit(whole, edit);
      await recordWork(whole, outputs, plan, planNumber);
      // Also the completed ones: they play an earlier plan until they are rebuilt.
      return outputs;
    },

    startPackaging: () => startRebuild(whole, edit),

    async packageOutput(output) {
      if (output.status === 'completed' && output.builtByPlan === planNumber) return;
      const built = await buildOutput(videoUlid, planNumber, output);
      if (output.status === 'completed') await swapOutput(edit, output, built);
      else await moveOutput(videoUlid, output.ulid, 'completed', built);
    },

    async failOutput(outputUlid, error) {
      // When the user repeats the edit, the stream is encoded again: no finished parts are reused.
      const errorLog = causeText(error, { ofFinishedParts: false });
      // Has no effect on a completed output, which keeps its files.
      await moveOutput(videoUlid, outputUlid, 'failed', { errorLog });
      // The stream fails only when no output could be rebuilt; Publish decides that.
      await noteStream(videoUlid, streamUlid, { errorLog });
    },

    publish: () => publishStreamEdit(whole, edit),

    fail: (reason) => failStreamEdit(edit, reason),
  };
}
