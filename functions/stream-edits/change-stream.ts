import { startStreamEditExecution } from '../aws/executions.ts';
import type { Stream, User } from '../table/records.ts';
import { type TrackReplacement, updateStream } from '../table/stream-edits/edited-streams.ts';
import type { WholeVideo } from '../table/videos/video-table.ts';
import type { InputParams } from '../templates/input-params.ts';
import { type Encode, planEncode } from './plan-encode.ts';

type Wanted = { name?: string | undefined; input_params?: InputParams | undefined };

/**
 * Renames a stream, and has it encoded again when its parameters come to something else.
 * @throws Conflict, ValidationFailed; VideoChanged when the video was changed since it was read
 */
export async function changeStream(whole: WholeVideo, stream: Stream, by: User, wanted: Wanted): Promise<void> {
  const { video } = whole;
  const encode = wanted.input_params && (await planEncode(whole, stream, wanted.input_params));
  const name = wanted.name ?? stream.name;
  if (name === stream.name && !encode) return;
  await updateStream(video, stream, { name, replacement: encode && replacementOf(encode) }, by);
  if (encode && video.editPlanNumber === undefined)
    await startStreamEditExecution(video.ulid, encode.change.planNumber);
}

const replacementOf = ({ change, track, outputs, file }: Encode): TrackReplacement => ({
  edit: change,
  track: track.planned.name,
  inputParams: track.planned.inputParams,
  outputs,
  output: file,
});
