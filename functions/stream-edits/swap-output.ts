import { manifestsPrefix, runPrefix } from '../../shared/object-keys.ts';
import { readPlan } from '../planning/stored-plans.ts';
import { below } from '../table/items/expression.ts';
import { ConditionFailed, transact } from '../table/items/items.ts';
import { jobSort, keys } from '../table/items/keys.ts';
import type { Output, StreamEdit } from '../table/records.ts';
import { type RetiredFiles, retirement } from '../table/videos/retired-files.ts';

type Made = { entryKey: string; bytes: number };

/** Lets an output play what was rebuilt beside it, from one moment to the next. Its earlier files go when nobody can be reading them. */
export async function swapOutput(change: StreamEdit, output: Output, made: Made): Promise<void> {
  const { videoUlid, planNumber, action, streamUlid } = change;
  const path = `outputs.${output.ulid}`;
  const isNew = action === 'encode' && !output.streams.includes(streamUlid);
  try {
    await transact([
      {
        update: keys.outputs(videoUlid),
        set: below(path, {
          ...made,
          builtByPlan: planNumber,
          ...(isNew && { streams: [...output.streams, streamUlid] }),
        }),
        when: { equals: below(path, { status: 'completed', builtByPlan: output.builtByPlan }) },
      },
      ...(await filesOf(videoUlid, output)).map(retirement),
    ]);
  } catch (error) {
    // Done by an earlier call, or the output is gone.
    if (!(error instanceof ConditionFailed)) throw error;
  }
}

/** What was made for an output alone: its manifests, and what was remuxed for it. */
export async function filesOf(videoUlid: string, { ulid, name, builtByPlan }: Output): Promise<RetiredFiles[]> {
  const plan = await readPlan(videoUlid, builtByPlan);
  const group = plan.outputs.findIndex((planned) => planned.name === name);
  const jobs = jobSort({ kind: 'package', group, index: 0 }).replaceAll('#', '-').slice(0, -'00000'.length);
  return [
    { prefix: manifestsPrefix(videoUlid, ulid, builtByPlan) },
    ...(group === -1 ? [] : [{ prefix: `${runPrefix(videoUlid, builtByPlan)}${jobs}` }]),
  ];
}
