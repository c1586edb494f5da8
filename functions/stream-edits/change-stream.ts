import { startStreamEditExecution } from '../aws/executions.ts';
import { videoActivity } from '../table/accounts/activity-table.ts';
import { below } from '../table/items/expression.ts';
import { transact, type Write } from '../table/items/items.ts';
import { keys } from '../table/items/keys.ts';
import type { Stream, User } from '../table/records.ts';
import { beginStreamEdits } from '../table/videos/stream-edit-table.ts';

import type { WholeVideo } from '../table/videos/video-table.ts';
import type { InputParams } from '../templates/input-params.ts';
import { muxedOutputWrites } from './muxed-output.ts';
import { type Encode, planEncode } from './plan-encode.ts';

type Wanted = { name?: string | undefined; input_params?: InputParams | undefined };

/**
 * Renames a stream, and has it encoded again when its parameters come to something else.
 * @throws Conflict, ValidationFailed; ConditionFailed when the video was changed since it was read
 */
export async function changeStream(whole: WholeVideo, stream: Stream, by: User, wanted: Wanted): Promise<void> {
  const { video } = whole;
  const encode = wanted.input_params && (await planEncode(whole, stream, wanted.input_params));
  const name = wanted.name ?? stream.name;
  if (name === stream.name && !encode) return;
  await transact([
    streamUpdate(video.ulid, stream, { name, ...(encode && encoding(encode)) }),
    ...(encode ? beginStreamEdits(video, [encode.change]) : []),
    ...(encode ? filesAgain(video.ulid, encode) : []),
    ...(encode?.file ? muxedOutputWrites(video.ulid, encode.file) : []),
    videoActivity(by, video, 'updated', `Changed stream ${stream.name} of ${video.name}`, {
      old: { name: stream.name, input_params: stream.inputParams },
      attributes: { name, input_params: encode?.track.planned.inputParams ?? stream.inputParams },
    }),
  ]);
  if (encode && video.editPlanNumber === undefined)
    await startStreamEditExecution(video.ulid, encode.change.planNumber);
}

const encoding = ({ change, track }: Encode): Partial<Stream> => ({
  planNumber: change.planNumber,
  track: track.planned.name,
  inputParams: track.planned.inputParams,
  status: 'pending',
  errorLog: null,
});

const streamUpdate = (videoUlid: string, { ulid, status, planNumber }: Stream, changes: Partial<Stream>): Write => ({
  update: keys.streams(videoUlid),
  set: below(`streams.${ulid}`, changes),
  when: { equals: below(`streams.${ulid}`, { status, planNumber }) },
});

/** A file that failed before starts anew. */
function filesAgain(videoUlid: string, { outputs, change }: Encode): Write[] {
  return outputs
    .filter(({ status }) => status === 'failed')
    .map(({ ulid }) => ({
      update: keys.outputs(videoUlid),
      set: below(`outputs.${ulid}`, { status: 'pending', builtByPlan: change.planNumber, errorLog: null }),
      when: { equals: below(`outputs.${ulid}`, { status: 'failed' }) },
    }));
}
