import { isDeepStrictEqual } from 'node:util';
import { Conflict, ValidationFailed } from '../../shared/errors.ts';
import type { InputParams } from '../../shared/input-params.ts';
import type { Output, Stream, StreamChange, User } from '../../shared/records.ts';
import { codecIssue } from '../../shared/routes/streams.ts';
import { isFinal } from '../../shared/statuses.ts';
import { videoActivity } from '../../shared/table/activity.ts';
import { transact, type Write } from '../../shared/table/items.ts';
import { keys } from '../../shared/table/keys.ts';
import { type NewStreamChange, streamChangesBegin } from '../../shared/table/stream-changes.ts';
import { nextPlan } from '../../shared/table/video-lifecycle.ts';
import type { WholeVideo } from '../../shared/table/videos.ts';
import { startStreamChange } from '../executions.ts';
import { probeOf } from '../jobs/probe-job.ts';
import { openOutputs, refusesCodec, targetsOf } from './targets.ts';
import { planTrack, type Track } from './track.ts';

type Wanted = { name?: string | undefined; input_params?: InputParams | undefined };
type Encode = { track: Track; change: NewStreamChange; outputs: Output[] };

/**
 * Renames a stream, and has it encoded again when its parameters come to something else.
 * @throws Conflict, ValidationFailed; ConditionFailed when the video was changed since it was read
 */
export async function changeStream(whole: WholeVideo, stream: Stream, by: User, wanted: Wanted): Promise<void> {
  const { video } = whole;
  const encode = wanted.input_params && (await encodedAgain(whole, stream, wanted.input_params));
  const name = wanted.name ?? stream.name;
  if (name === stream.name && !encode) return;
  await transact([
    streamUpdate(video.ulid, stream, { name, ...(encode && encoding(encode)) }),
    ...(encode ? streamChangesBegin(video, [encode.change]) : []),
    ...(encode ? filesAgain(video.ulid, encode) : []),
    videoActivity(by, video, 'updated', `Changed stream ${stream.name} of ${video.name}`, {
      old: { name: stream.name, input_params: stream.inputParams },
      attributes: { name, input_params: encode?.track.planned.inputParams ?? stream.inputParams },
    }),
  ]);
  if (encode && video.changing === undefined) await startStreamChange(video.ulid, encode.change.run);
}

async function encodedAgain(whole: WholeVideo, stream: Stream, params: InputParams): Promise<Encode | undefined> {
  const { video, streams } = whole;
  const type = stream.type as StreamChange['type'];
  refuseCodec(codecIssue(type, params));
  const users = whole.outputs.filter((output) => output.streams.includes(stream.ulid) && isRebuilt(output, type));
  if (refusesCodec(users, params)) {
    refuseCodec('Choose h264 or aac: an output of the stream is MPEG-TS, which carries no other codec here.');
  }
  if (video.status !== 'completed')
    throw new Conflict('The video is not completed: its streams can change when it is.');
  // One that never came to anything has no output yet.
  const outputs = users.length > 0 ? users : openOutputs(whole, type, params.codec ?? '');
  const [target] = await targetsOf(
    whole,
    outputs.filter(({ format }) => format !== 'mp4'),
  );
  const others = streams.filter(({ ulid }) => ulid !== stream.ulid);
  const isShared = others.some(({ ulid, type: other }) => other === 'video' && shares(target?.outputs ?? [], ulid));
  const track = planTrack({
    video,
    probe: await probeOf(video.ulid),
    type,
    params,
    segmentSeconds: target?.segmentSeconds ?? 6,
    gopSeconds: isShared ? (target?.gopSeconds ?? null) : null,
    takenNames: new Set(streams.map((one) => one.track)),
  });
  if (isDeepStrictEqual(track.planned.inputParams, stream.inputParams) && stream.status === 'completed')
    return undefined;
  if (!isFinal(stream.status)) throw new Conflict('The stream is being encoded: it can change when that is done.');
  return { track, outputs, change: changeOf(stream, nextPlan(video), track, outputs, target?.segmentSeconds ?? 6) };
}

/** A muxed stream's own file may have failed, and is then made after all. */
const isRebuilt = ({ status }: Output, type: Stream['type']): boolean =>
  status === 'completed' || (type === 'muxed' && status === 'failed');

const shares = (outputs: Output[], streamUlid: string): boolean =>
  outputs.some((output) => output.streams.includes(streamUlid));

const changeOf = (
  { ulid, type, bytes, run, track: name }: Stream,
  newRun: number,
  { entry }: Track,
  outputs: Output[],
  segmentSeconds: number,
): NewStreamChange => ({
  run: newRun,
  action: 'encode',
  streamUlid: ulid,
  type: type as StreamChange['type'],
  entry,
  segmentSeconds,
  replaced: bytes === null ? null : { run, track: name },
  outputs: outputs.map((output) => output.ulid),
});

const encoding = ({ change, track }: Encode): Partial<Stream> => ({
  run: change.run,
  track: track.planned.name,
  inputParams: track.planned.inputParams,
  status: 'pending',
  errorLog: null,
});

const streamUpdate = (videoUlid: string, { ulid, status, run }: Stream, changes: Partial<Stream>): Write => ({
  update: keys.streams(videoUlid),
  set: Object.fromEntries(Object.entries(changes).map(([name, content]) => [`streams.${ulid}.${name}`, content])),
  when: { equals: { [`streams.${ulid}.status`]: status, [`streams.${ulid}.run`]: run } },
});

/** A file that failed before starts anew. */
function filesAgain(videoUlid: string, { outputs, change }: Encode): Write[] {
  return outputs
    .filter(({ status }) => status === 'failed')
    .map(({ ulid }) => ({
      update: keys.outputs(videoUlid),
      set: {
        [`outputs.${ulid}.status`]: 'pending',
        [`outputs.${ulid}.builtBy`]: change.run,
        [`outputs.${ulid}.errorLog`]: null,
      },
      when: { equals: { [`outputs.${ulid}.status`]: 'failed' } },
    }));
}

function refuseCodec(message: string | undefined): void {
  if (message) throw new ValidationFailed({ 'input_params.codec': [message] });
}
