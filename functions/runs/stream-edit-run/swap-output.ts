import type { BuiltOutput } from '../../packaging/build-output.ts';
import { filesOfOutput } from '../../packaging/output-files.ts';
import { below } from '../../table/items/expression.ts';
import { ConditionFailed, transact } from '../../table/items/items.ts';
import { keys } from '../../table/items/keys.ts';
import type { Output, StreamEdit } from '../../table/records.ts';
import { retirement } from '../../table/videos/retired-files.ts';

/**
 * Makes a completed output play the files that were rebuilt for it, in one write. Its earlier manifests are deleted
 * later, when no viewer can be reading them.
 */
export async function swapOutput(edit: StreamEdit, output: Output, built: BuiltOutput): Promise<void> {
  const { videoUlid, planNumber, action, streamUlid } = edit;
  const path = `outputs.${output.ulid}`;
  const joins = action === 'encode' && !output.streams.includes(streamUlid);
  try {
    await transact([
      {
        update: keys.outputs(videoUlid),
        set: below(path, {
          ...built,
          builtByPlan: planNumber,
          ...(joins && { streams: [...output.streams, streamUlid] }),
        }),
        when: { equals: below(path, { status: 'completed', builtByPlan: output.builtByPlan }) },
      },
      ...(await filesOfOutput(videoUlid, output)).map(retirement),
    ]);
  } catch (error) {
    // An earlier call has swapped it, or the output was deleted.
    if (!(error instanceof ConditionFailed)) throw error;
  }
}
