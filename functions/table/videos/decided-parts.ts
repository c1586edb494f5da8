import { tryWrite } from '../items/conditional.ts';
import { keys } from '../items/keys.ts';
import type { Output, Video } from '../records.ts';

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
