import { tryWrite } from '../items/conditional.ts';
import { below } from '../items/expression.ts';
import { streamIdKeys } from '../items/id-items.ts';
import { writeBatch } from '../items/items.ts';
import { keys } from '../items/keys.ts';
import type { Output, Stream, Video } from '../records.ts';

type Planned = Pick<Video, 'ulid' | 'planNumber'>;

/**
 * Records the streams that an output of a plan keeps, with the work that they take. False when the output has ended.
 */
export const recordDecidedOutput = (
  { ulid, planNumber }: Planned,
  outputUlid: string,
  { streams, work }: Pick<Output, 'streams' | 'work'>,
): Promise<boolean> => {
  const path = `outputs.${outputUlid}`;
  return tryWrite({
    update: keys.outputs(ulid),
    set: { [`${path}.streams`]: streams, [`${path}.work`]: work },
    when: { equals: { [`${path}.builtByPlan`]: planNumber }, oneOf: { [`${path}.status`]: ['pending', 'running'] } },
  });
};

/** Records the quality that a stream of a plan is encoded with. False when the stream has ended. */
export const recordCrf = ({ ulid, planNumber }: Planned, streamUlid: string, crf: number): Promise<boolean> => {
  const path = `streams.${streamUlid}`;
  return tryWrite({
    update: keys.streams(ulid),
    set: { [`${path}.inputParams.crf`]: crf },
    when: { equals: { [`${path}.planNumber`]: planNumber }, oneOf: { [`${path}.status`]: ['pending', 'running'] } },
  });
};

/**
 * Removes streams of a plan that are not encoded, in one write with the warnings of the original, which say why. False
 * when one of them has ended or is removed already.
 */
export async function removeLeftOut(
  { ulid, planNumber }: Planned,
  streams: readonly Pick<Stream, 'id' | 'ulid'>[],
  { original, warnings }: { original: Pick<Stream, 'ulid'>; warnings: string[] },
): Promise<boolean> {
  // Before their streams, which lead a repeated call to the rest of them.
  await writeBatch(streamIdKeys(streams).map((key) => ({ delete: key })));
  const paths = streams.map((stream) => `streams.${stream.ulid}`);
  return tryWrite({
    update: keys.streams(ulid),
    set: below(`streams.${original.ulid}.meta`, { warnings }),
    remove: paths,
    when: {
      equals: Object.fromEntries(paths.map((path) => [`${path}.planNumber`, planNumber])),
      oneOf: Object.fromEntries(paths.map((path) => [`${path}.status`, ['pending', 'running']])),
    },
  });
}
