import { tryTransact, tryWrite } from '../items/conditional.ts';
import { below } from '../items/expression.ts';
import { keys } from '../items/keys.ts';
import type { Output, RetiredFiles, StreamEdit } from '../records.ts';
import { retirement } from '../writes/retirement-writes.ts';
import type { StreamEditId } from './stream-edit-table.ts';

/** What a rebuilt output plays from now on. */
export type RebuiltOutput = { entryKey: string; bytes: number; captionsVersion: number; streams?: string[] };

/**
 * Replaces the files of a completed output by those that a stream edit made. False when an earlier call did, the output
 * was deleted, or its manifests were replaced since it was read.
 */
export function replaceOutput(
  { videoUlid, planNumber }: Pick<StreamEdit, 'videoUlid' | 'planNumber'>,
  output: Output,
  rebuilt: RebuiltOutput,
  retired: RetiredFiles[],
): Promise<boolean> {
  const path = `outputs.${output.ulid}`;
  return tryTransact([
    {
      update: keys.outputs(videoUlid),
      set: below(path, { ...rebuilt, builtByPlan: planNumber }),
      when: { equals: below(path, asRead(output)) },
    },
    ...retired.map(retirement),
  ]);
}

/**
 * Replaces the manifests of a completed output by those that list other captions. False when the output was rebuilt or
 * deleted since it was read.
 */
export const replaceManifests = (
  videoUlid: string,
  output: Output,
  rebuilt: RebuiltOutput,
  retired: RetiredFiles[],
): Promise<boolean> =>
  tryTransact([
    {
      update: keys.outputs(videoUlid),
      set: below(`outputs.${output.ulid}`, rebuilt),
      when: { equals: below(`outputs.${output.ulid}`, asRead(output)) },
    },
    ...retired.map(retirement),
  ]);

const asRead = ({ builtByPlan, entryKey }: Output) => ({ status: 'completed', builtByPlan, entryKey });

/**
 * Records how much work an output takes, which its progress is counted against. False when another plan builds it, or
 * it was deleted.
 */
export const recordOutputWork = (
  { videoUlid, planNumber }: StreamEditId,
  output: Pick<Output, 'ulid'>,
  work: Output['work'],
): Promise<boolean> =>
  tryWrite({
    update: keys.outputs(videoUlid),
    set: { [`outputs.${output.ulid}.work`]: work },
    when: { equals: { [`outputs.${output.ulid}.builtByPlan`]: planNumber } },
  });
