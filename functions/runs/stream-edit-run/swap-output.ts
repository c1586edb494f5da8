import type { BuiltOutput } from '../../packaging/build-output.ts';
import { filesOfOutput } from '../../packaging/output-files.ts';
import type { Output, StreamEdit } from '../../table/records.ts';
import { replaceOutput } from '../../table/stream-edits/rebuilt-outputs.ts';
import { findWholeVideo } from '../../table/videos/video-table.ts';

/**
 * Makes a completed output play the files that were rebuilt for it, in one write. Its earlier manifests are deleted
 * later, when no viewer can be reading them. Nothing happens when an earlier call has swapped it, or it was deleted.
 */
export async function swapOutput(edit: StreamEdit, output: Output, built: BuiltOutput): Promise<void> {
  const { videoUlid, action, streamUlid } = edit;
  const joins = action === 'encode' && !output.streams.includes(streamUlid);
  const rebuilt = { ...built, ...(joins && { streams: [...output.streams, streamUlid] }) };
  if (await replaceOutput(edit, output, rebuilt, await filesOfOutput(videoUlid, output))) return;
  const whole = await findWholeVideo(videoUlid);
  const current = whole?.outputs.find(({ ulid }) => ulid === output.ulid);
  // A change of the captions has replaced the manifests since they were read.
  const isReplaced = current?.builtByPlan === output.builtByPlan && current.entryKey !== output.entryKey;
  if (isReplaced) await swapOutput(edit, current, built);
}
