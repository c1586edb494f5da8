import { now } from '../../shared/clock.ts';
import { isExecutionRunning, startStreamEditExecution } from '../aws/executions.ts';
import { type DrainLimits, drain } from '../common/drain.ts';
import { failStreamEdit } from '../runs/stream-edit-run/end-stream-edit.ts';
import type { StreamEdit } from '../table/records.ts';
import { dueStreamEdits, postponeStreamEdit } from '../table/stream-edits/stream-edit-table.ts';
import { findWholeVideo } from '../table/videos/video-table.ts';
import { repairDelayMilliseconds } from './repair-delay.ts';
import { resendResults } from './resend-results.ts';

export type RepairedStreamEdits = { streamEdits: number; results: number };

/**
 * Repairs stream edits that no execution works on: starts those that were never started, and fails those whose
 * execution has ended, also before it claimed the edit. Sends results of ended jobs again to states that wait for them.
 */
export async function reconcileStreamEdits(limits: DrainLimits): Promise<RepairedStreamEdits> {
  const repaired: RepairedStreamEdits = { streamEdits: 0, results: 0 };
  const check = async (edit: StreamEdit): Promise<void> => {
    const { videoUlid, planNumber } = edit;
    const whole = await findWholeVideo(videoUlid);
    if (whole?.video.editPlanNumber !== planNumber) return;
    const isWorkedOn =
      edit.executionArn === undefined
        ? await startStreamEditExecution(videoUlid, planNumber)
        : await isExecutionRunning(edit.executionArn);
    if (!isWorkedOn) {
      // Does nothing when the last state of the execution has ended the edit between the reads.
      await failStreamEdit(edit, 'INTERNAL: The processing was stopped. Send the change again.');
      repaired.streamEdits++;
    } else if (edit.executionArn === undefined) {
      repaired.streamEdits++;
    } else if (Date.parse(edit.createdAt) < now() - repairDelayMilliseconds) {
      repaired.results += (await resendResults({ ...whole, edits: [edit] }, edit.createdAt)).results;
    }
  };
  await drain(
    dueStreamEdits(),
    async (edit) => {
      try {
        await check(edit);
      } finally {
        await postponeStreamEdit(edit);
      }
    },
    limits,
  );
  return repaired;
}
