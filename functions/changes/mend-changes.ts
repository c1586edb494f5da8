import { queryIndex } from '../../shared/table/items.ts';
import { findStreamChange } from '../../shared/table/stream-changes.ts';
import { findVideo } from '../../shared/table/videos.ts';
import { eachApart } from '../each-apart.ts';
import { isRunning, startStreamChange } from '../executions.ts';
import { failChange } from './end-change.ts';

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
  if (await isRunning(change.executionArn)) return false;
  // Its last state may have ended it between the reads, and then this does nothing.
  await failChange(change, 'INTERNAL: The processing was stopped. Send the change again.');
  return true;
}
