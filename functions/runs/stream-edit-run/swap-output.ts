import type { BuiltOutput } from '../../packaging/build-output.ts';
import { filesOfOutput } from '../../packaging/output-files.ts';
import type { Output, StreamEdit } from '../../table/records.ts';
import { replaceOutput } from '../../table/stream-edits/rebuilt-outputs.ts';

/**
 * Makes a completed output play the files that were rebuilt for it, in one write. Its earlier manifests are deleted
 * later, when no viewer can be reading them. Nothing happens when an earlier call has swapped it, or it was deleted.
 */
export async function swapOutput(edit: StreamEdit, output: Output, built: BuiltOutput): Promise<void> {
  const { videoUlid, action, streamUlid } = edit;
  const joins = action === 'encode' && !output.streams.includes(streamUlid);
  const rebuilt = { ...built, ...(joins && { streams: [...output.streams, streamUlid] }) };
  await replaceOutput(edit, output, rebuilt, await filesOfOutput(videoUlid, output));
}
