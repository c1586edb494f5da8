import { isExecutionRunning, startStreamEditExecution } from '../aws/executions.ts';
import { forEachSettled } from '../common/for-each-settled.ts';
import { failStreamEdit } from '../runs/stream-edit-run/end-stream-edit.ts';
import { findStreamEdit, listStreamEdits } from '../table/stream-edits/stream-edit-table.ts';
import { findVideo } from '../table/videos/video-table.ts';

/**
 * Repairs stream edits that no execution works on: starts those that were never started, and fails those whose
 * execution has died.
 */
export async function reconcileStreamEdits(): Promise<number> {
  let repaired = 0;
  await forEachSettled(await listStreamEdits(), async ({ videoUlid, planNumber }) => {
    if (await repairStreamEdit(videoUlid, planNumber)) repaired++;
  });
  return repaired;
}

async function repairStreamEdit(videoUlid: string, planNumber: number): Promise<boolean> {
  const video = await findVideo(videoUlid);
  if (video?.editPlanNumber !== planNumber) return false;
  const edit = await findStreamEdit(videoUlid, planNumber);
  if (!edit) return false;
  if (edit.executionArn === undefined) {
    await startStreamEditExecution(videoUlid, planNumber);
    return true;
  }
  if (await isExecutionRunning(edit.executionArn)) return false;
  // Does nothing when the last state of the execution has ended the edit between the reads.
  await failStreamEdit(edit, 'INTERNAL: The processing was stopped. Send the change again.');
  return true;
}
