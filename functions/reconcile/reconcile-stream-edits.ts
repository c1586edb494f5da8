import { isExecutionRunning, startStreamChange } from '../aws/executions.ts';
import { eachApart } from '../common/for-each-settled.ts';
import { failChange } from '../stream-edits/end-stream-edit.ts';
import { queryIndex } from '../table/items/items.ts';
import { findStreamChange } from '../table/videos/stream-edit-table.ts';
import { findVideo } from '../table/videos/video-table.ts';

/** Stream changes that should be under way and that no execution works on: begins those that nobody began, ends those whose execution died. */
export async function mendChanges(): Promise<number> {
  let mended = 0;
  await eachApart(await queryIndex('byOwner', 'all#change'), async ({ ownerSort }) => {
    const [videoUlid = '', run] = String(ownerSort).split('#');
    if (await mendChange(videoUlid, Number(run))) mended++;
  });
  return mended;
}

async function mendChange(videoUlid: string, run: number): Promise<boolean> {
  const video = await findVideo(videoUlid);
  if (video?.changing !== run) return false;
  const change = await findStreamChange(videoUlid, run);
  if (!change) return false;
  if (change.executionArn === undefined) {
    await startStreamChange(videoUlid, run);
    return true;
  }
  if (await isExecutionRunning(change.executionArn)) return false;
  // Its last state may have ended it between the reads, and then this does nothing.
  await failChange(change, 'INTERNAL: The processing was stopped. Send the change again.');
  return true;
}
