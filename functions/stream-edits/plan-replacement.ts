import { isDeepStrictEqual } from 'node:util';
import { timestamp } from '../../shared/clock.ts';
import { codecsIn } from '../../shared/media/codecs.ts';
import { isSegmented } from '../../shared/media/output-formats.ts';
import type { ProbeResult } from '../../shared/protocol/probe-result.ts';
import { Conflict, ValidationFailed } from '../common/errors.ts';
import { codecIssue } from '../contracts/routes/stream-routes.ts';
import { isFinal } from '../contracts/statuses.ts';
import { changedTrack } from '../planning/video/change-picture.ts';
import { displaySize } from '../planning/video/display-size.ts';
import { readPlan } from '../stored-plans/stored-plans.ts';
import type { Output, Quota, Stream, StreamEdit, Video } from '../table/records.ts';
import type { TrackReplacement } from '../table/stream-edits/edited-streams.ts';
import { nextPlan } from '../table/videos/reprocess-video.ts';
import { requireSource } from '../table/videos/source-of-video.ts';
import type { WholeVideo } from '../table/videos/video-table.ts';
import { type InputParams, inputParamsSchema } from '../templates/input-params.ts';
import { templateQuerySchema } from '../templates/template-query.ts';
import { conflictAfterQuota } from './conflict-after-quota.ts';
import { mergeParams } from './merge-params.ts';
import { newMuxedOutput } from './muxed-output.ts';
import { acceptingOutputs, allCarry, groupBySegmentLength, muxedGroup, type OutputGroup } from './output-groups.ts';
import { audioChoices, findSource, planTrack, type SourceTrack, type TrackPlan } from './plan-track.ts';

/**
 * The track that replaces that of a stream when it gets new parameters, and the edit that encodes it. Undefined when
 * the parameters give the track that the stream has.
 * @throws SourceDeleted, ValidationFailed, QuotaExceeded, Conflict, in this order
 */
export async function planReplacement(
  whole: WholeVideo,
  stream: Stream,
  requested: InputParams,
  quota: Quota | null,
): Promise<TrackReplacement | undefined> {
  const { video } = whole;
  requireSource(video);
  const type = stream.type as StreamEdit['type'];
  const source = await findSource(video);
  const params = mergeParams(stream.inputParams, requested, { isPortrait: isPortrait(video, source) });
  refuseOtherParams(type, params.codec, requested);
  const outputs = whole.outputs.filter((output) => output.streams.includes(stream.ulid) && isRebuilt(output, type));
  if (!allCarry(outputs, params)) refuse({ 'input_params.codec': [transportStreamCodecs] });

  const group = await outputGroupOf(whole, stream, outputs, params);
  const sourceTrack = type === 'audio' ? await sourceTrackOf(video.ulid, stream, requested) : undefined;
  const track = source && trackWith(params, { whole, stream, type, group, sourceTrack }, source);
  const conflict = conflictOf(video, stream);
  if (!track || conflict) {
    throw await conflictAfterQuota(video, { quota, cpuSeconds: track?.cpuSeconds ?? 0 }, conflict ?? notCompleted());
  }
  const isSame = isDeepStrictEqual(track.planned.inputParams, stream.inputParams);
  if (isSame && stream.status === 'completed') return undefined;
  return replacementWith(track, { whole, stream, type, group, sourceTrack });
}

/** Undefined while the video has no plan. */
function trackWith(params: InputParams, replaced: Replaced, source: ProbeResult): TrackPlan | undefined {
  const { whole, type, group, sourceTrack } = replaced;
  const { video, streams } = whole;
  if (video.query === null) return undefined;
  const { segmentSeconds, gopSeconds } = group;
  return planTrack({
    video,
    type,
    segmentSeconds,
    gopSeconds,
    params: sourceTrack === undefined ? params : { ...params, language: undefined },
    probe: { ...source, audio: audioChoices(sourceTrack ?? {}, source.audio) },
    takenNames: new Set(streams.map((one) => one.track)),
  });
}

const notCompleted = (): Conflict =>
  new Conflict('video_not_completed', 'The video is not completed. Its streams can be changed when it is.');

function conflictOf(video: Video, stream: Stream): Conflict | undefined {
  if (video.status !== 'completed') return notCompleted();
  if (isFinal(stream.status)) return undefined;
  return new Conflict('stream_in_progress', 'The stream is being encoded. It can be changed when that is done.');
}

/** The outputs that use the stream, or those that it joins when its first encode failed. */
async function outputGroupOf(
  whole: WholeVideo,
  stream: Stream,
  current: Output[],
  { codec }: InputParams,
): Promise<OutputGroup> {
  if (stream.type === 'muxed') return { ...muxedGroup, outputs: current };
  const outputs = current.length > 0 ? current : acceptingOutputs(whole, stream.type, codec);
  const segmented = outputs.filter(({ format }) => isSegmented(format));
  const [group = muxedGroup] = await groupBySegmentLength(whole, segmented);
  // Video streams of one output have the same GOP length. The only one may get another.
  const hasOtherVideo = whole.streams.some(
    ({ ulid, type }) =>
      ulid !== stream.ulid && type === 'video' && group.outputs.some((output) => output.streams.includes(ulid)),
  );
  return {
    outputs: current.length > 0 ? current : group.outputs,
    segmentSeconds: group.segmentSeconds,
    gopSeconds: hasOtherVideo ? group.gopSeconds : null,
  };
}

/** The source's audio track that the stream was encoded from. Undefined when another language is requested. */
async function sourceTrackOf(
  videoUlid: string,
  stream: Stream,
  { language }: InputParams,
): Promise<SourceTrack | undefined> {
  const isSameLanguage = language === undefined || language === stream.inputParams.language;
  // A stream without bytes was never encoded.
  if (!isSameLanguage || stream.bytes === null) return undefined;
  const { audio } = await readPlan(videoUlid, stream.planNumber);
  const rendition = audio.find(({ name }) => name === stream.track);
  if (!rendition) return undefined;
  const { streamIndex: sourceStreamIndex, chosenTrack } = rendition;
  return { sourceStreamIndex, ...(chosenTrack !== undefined && { chosenTrack }) };
}

const isPortrait = ({ query }: Video, source: ProbeResult | undefined): boolean => {
  if (!source?.video || query === null) return false;
  const { width, height } = displaySize(changedTrack(source.video, templateQuerySchema.parse(query).picture));
  return height > width;
};

/** Completed outputs are rebuilt. So is the failed file of a muxed stream, which is the only output of the stream. */
const isRebuilt = ({ status }: Output, type: Stream['type']): boolean =>
  status === 'completed' || (type === 'muxed' && status === 'failed');

type Replaced = {
  whole: WholeVideo;
  stream: Stream;
  type: StreamEdit['type'];
  group: OutputGroup;
  sourceTrack: SourceTrack | undefined;
};

function replacementWith({ entry, planned, cpuSeconds }: TrackPlan, replaced: Replaced): TrackReplacement {
  const { whole, stream, type, group, sourceTrack } = replaced;
  const { ulid, bytes } = stream;
  const planNumber = nextPlan(whole.video);
  // The failed output of a muxed stream may have been deleted.
  const output =
    type === 'muxed' && group.outputs.length === 0
      ? newMuxedOutput({ ulid, planNumber, track: planned.name, createdAt: timestamp() }, whole)
      : undefined;
  return {
    edit: {
      planNumber,
      action: 'encode',
      streamUlid: ulid,
      type,
      entry,
      segmentSeconds: group.segmentSeconds,
      replaced:
        bytes === null ? null : { planNumber: stream.planNumber, track: stream.track, inputParams: stream.inputParams },
      ...sourceTrack,
      outputs: (output ? [output] : group.outputs).map((one) => one.ulid),
    },
    track: planned.name,
    cpuSeconds,
    inputParams: planned.inputParams,
    outputs: group.outputs,
    output,
  };
}

const transportStreamChoice = new Intl.ListFormat('en', { type: 'disjunction' }).format(codecsIn('ts'));
const transportStreamCodecs = `Choose ${transportStreamChoice}: an output of the stream is MPEG-TS and carries no other.`;

/** Refuses parameters that do not apply to the type of the stream or to its codec. */
function refuseOtherParams(type: StreamEdit['type'], codec: InputParams['codec'], requested: InputParams): void {
  const message = codecIssue(type, { codec });
  if (message) refuse({ 'input_params.codec': [message] });
  const { error } = inputParamsSchema.safeParse({ ...requested, codec });
  if (!error) return;
  refuse(Object.fromEntries(error.issues.map((issue) => [['input_params', ...issue.path].join('.'), [issue.message]])));
}

function refuse(errors: Record<string, string[]>): never {
  throw new ValidationFailed(errors);
}
