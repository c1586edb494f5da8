import { isDeepStrictEqual } from 'node:util';
import { timestamp } from '../../shared/clock.ts';
import { codecsIn } from '../../shared/media/codecs.ts';
import type { ProbeResult } from '../../shared/protocol/probe-result.ts';
import { Conflict, ValidationFailed } from '../common/errors.ts';
import { codecIssue } from '../contracts/routes/stream-routes.ts';
import { readPlan } from '../planning/stored-plans.ts';
import { displaySize } from '../planning/video/display-size.ts';
import { probeOf } from '../queue/probe-job.ts';
import type { Output, Stream, StreamEdit } from '../table/records.ts';
import { isFinal } from '../table/statuses.ts';
import type { NewStreamEdit } from '../table/stream-edits/edited-streams.ts';
import { nextPlan } from '../table/videos/video-lifecycle.ts';
import type { WholeVideo } from '../table/videos/video-table.ts';
import { type InputParams, inputParamsSchema } from '../templates/input-params.ts';
import { changedParams } from './changed-params.ts';
import { fileTarget, openOutputs, refusesCodec, targetsOf } from './edit-targets.ts';
import { planTrack, selectableAudio, type Track } from './edit-track.ts';
import { newMuxedOutput } from './muxed-output.ts';

/** A stream's new encode, the outputs that use the stream, and the file that is made for it if it has none. */
export type Encode = { track: Track; change: NewStreamEdit; outputs: Output[]; file: Output | undefined };

type Planned = { track: Track; outputs: Output[]; segmentSeconds: number; sourceStreamIndex: number | undefined };

/**
 * The encode that a stream's new parameters ask for; undefined when they come to what the stream is.
 * @throws Conflict, ValidationFailed
 */
export async function planEncode(whole: WholeVideo, stream: Stream, asked: InputParams): Promise<Encode | undefined> {
  const { video, streams } = whole;
  const type = stream.type as StreamEdit['type'];
  const source = await probeOf(video.ulid);
  const params = changedParams(stream.inputParams, asked, { isPortrait: isPortrait(source) });
  refuseForeign(type, params.codec, asked);
  const users = whole.outputs.filter((output) => output.streams.includes(stream.ulid) && isRebuilt(output, type));
  if (refusesCodec(users, params)) refuse({ 'input_params.codec': [transportStreamCodecs] });
  if (video.status !== 'completed') {
    throw new Conflict('The video is not completed: its streams can change when it is.');
  }
  if (!isFinal(stream.status)) throw new Conflict('The stream is being encoded: it can change when that is done.');
  const { outputs, segmentSeconds, gopSeconds } = await destination(whole, stream, users, params);
  const sourceStreamIndex = type === 'audio' ? await keptAudio(video.ulid, stream, asked) : undefined;
  const track = planTrack({
    ...{ video, type, segmentSeconds, gopSeconds },
    params: sourceStreamIndex === undefined ? params : { ...params, language: undefined },
    probe: { ...source, audio: selectableAudio({ sourceStreamIndex }, source.audio) },
    takenNames: new Set(streams.map((one) => one.track)),
  });
  const isSame = isDeepStrictEqual(track.planned.inputParams, stream.inputParams);
  if (isSame && stream.status === 'completed') return undefined;
  return encodeOf(whole, stream, { track, outputs, segmentSeconds, sourceStreamIndex });
}

type Destination = { outputs: Output[]; segmentSeconds: number; gopSeconds: number | null };

/** The outputs to be rebuilt: those that use the stream, or those that it would join if its first encode failed. */
async function destination(
  whole: WholeVideo,
  stream: Stream,
  users: Output[],
  { codec }: InputParams,
): Promise<Destination> {
  if (stream.type === 'muxed') return { ...fileTarget, outputs: users };
  const outputs = users.length > 0 ? users : openOutputs(whole, stream.type, codec);
  const segmented = outputs.filter(({ format }) => format !== 'mp4');
  const [target = fileTarget] = await targetsOf(whole, segmented);
  // The video of an output shares its key frames, so a stream that is the only one may have others.
  const isShared = whole.streams.some(
    ({ ulid, type }) =>
      ulid !== stream.ulid && type === 'video' && target.outputs.some((output) => output.streams.includes(ulid)),
  );
  return {
    outputs: users.length > 0 ? users : target.outputs,
    segmentSeconds: target.segmentSeconds,
    gopSeconds: isShared ? target.gopSeconds : null,
  };
}

/** The source's audio track that a stream was made of, unless another language is asked for. */
async function keptAudio(videoUlid: string, stream: Stream, { language }: InputParams): Promise<number | undefined> {
  const isKept = language === undefined || language === stream.inputParams.language;
  // A stream that was never encoded has no track to keep.
  if (!isKept || stream.bytes === null) return undefined;
  const { audio } = await readPlan(videoUlid, stream.planNumber);
  return audio.find(({ name }) => name === stream.track)?.streamIndex;
}

const isPortrait = ({ video }: ProbeResult): boolean => {
  if (!video) return false;
  const { width, height } = displaySize(video);
  return height > width;
};

/** The file of a muxed stream may have failed, and is then made after all. */
const isRebuilt = ({ status }: Output, type: Stream['type']): boolean =>
  status === 'completed' || (type === 'muxed' && status === 'failed');

function encodeOf(whole: WholeVideo, stream: Stream, { track, outputs, ...rest }: Planned): Encode {
  const { ulid, type, bytes, planNumber, track: name, inputParams } = stream;
  const newRun = nextPlan(whole.video);
  // The file that failed before may have been deleted.
  const isWithoutFile = type === 'muxed' && outputs.length === 0;
  const file = isWithoutFile
    ? newMuxedOutput({ ulid, planNumber: newRun, track: track.planned.name, createdAt: timestamp() }, whole)
    : undefined;
  const change: NewStreamEdit = {
    planNumber: newRun,
    action: 'encode',
    streamUlid: ulid,
    type: type as StreamEdit['type'],
    entry: track.entry,
    segmentSeconds: rest.segmentSeconds,
    replaced: bytes === null ? null : { planNumber, track: name, inputParams },
    ...(rest.sourceStreamIndex !== undefined && { sourceStreamIndex: rest.sourceStreamIndex }),
    outputs: (file ? [file] : outputs).map((output) => output.ulid),
  };
  return { track, outputs, change, file };
}

const tsChoice = new Intl.ListFormat('en', { type: 'disjunction' }).format(codecsIn('ts'));
const transportStreamCodecs = `Choose ${tsChoice}: an output of the stream is MPEG-TS, which carries no other codec here.`;

/** Parameters that do not apply to the stream's kind, or not to its codec. */
function refuseForeign(type: StreamEdit['type'], codec: InputParams['codec'], asked: InputParams): void {
  const message = codecIssue(type, { codec });
  if (message) refuse({ 'input_params.codec': [message] });
  const { error } = inputParamsSchema.safeParse({ ...asked, codec });
  if (!error) return;
  refuse(Object.fromEntries(error.issues.map((issue) => [['input_params', ...issue.path].join('.'), [issue.message]])));
}

function refuse(errors: Record<string, string[]>): never {
  throw new ValidationFailed(errors);
}
