import { isExecutionRunning, startStreamEditExecution } from '../aws/executions.ts';
import { forEachSettled } from '../common/for-each-settled.ts';
import { failStreamEdit } from '../runs/stream-edit-run/end-stream-edit.ts';
import { queryIndex } from '../table/items/items.ts';
import { findStreamEdit } from '../table/stream-edits/stream-edit-table.ts';
import { findVideo } from '../table/videos/video-table.ts';

/** Stream changes that should be under way and that no execution works on: begins those that nobody began, ends those whose execution died. */
export async function reconcileStreamEdits(): Promise<number> {
  let mended = 0;
  await forEachSettled(await queryIndex('byOwner', 'all#stream-edit'), async ({ ownerSort }) => {
    const [videoUlid = '', planNumber] = String(ownerSort).split('#');
    if (await mendChange(videoUlid, Number(planNumber))) mended++;
  });
  return mended;
}

async function mendChange(videoUlid: string, planNumber: number): Promise<boolean> {
  const video = await findVideo(videoUlid);
  if (video?.editPlanNumber !== planNumber) return false;
  const change = await findStreamEdit(videoUlid, planNumber);
  if (!change) return false;
  if (change.executionArn === undefined) {
    await startStreamEditExecution(videoUlid, planNumber);
    return true;
  }
  if (await isExecutionRunning(change.executionArn)) return false;
  // Its last state may have ended it between the reads, and then this does nothing.
  await failStreamEdit(change, 'INTERNAL: The processing was stopped. Send the change again.');
  return true;
}
