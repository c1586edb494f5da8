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

/** The run of one stream edit. Its outputs are rebuilt beside what plays, and swapped in one write each. */
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
      // The same edit, sent again, encodes its stream again: no finished parts are reused.
      const errorLog = causeText(error, { ofFinishedParts: false });
      // Does nothing to a completed output, which goes on to play what it did.
      await moveOutput(videoUlid, outputUlid, 'failed', { errorLog });
      // The stream fails only when no output could be rebuilt; Publish decides that.
      await noteStream(videoUlid, streamUlid, { errorLog });
    },

    publish: () => publishStreamEdit(whole, edit),

    fail: (reason) => failStreamEdit(edit, reason),
  };
}
