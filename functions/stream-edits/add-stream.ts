import { startStreamEditExecution } from '../aws/executions.ts';
import { Conflict, ValidationFailed } from '../common/errors.ts';
import { newStream } from '../planning/planned-stream.ts';
import type { Quota, Stream, StreamEdit } from '../table/records.ts';
import { addStreams, type Charged, type StreamAddition } from '../table/stream-edits/edited-streams.ts';
import { nextPlan } from '../table/videos/reprocess-video.ts';
import { requireSource } from '../table/videos/source-of-video.ts';
import { takeStreamIds } from '../table/videos/video-plan.ts';
import type { WholeVideo } from '../table/videos/video-table.ts';
import type { InputParams } from '../templates/input-params.ts';
import { conflictAfterQuota } from './conflict-after-quota.ts';
import { firstAudioStream, newMuxedOutput } from './muxed-output.ts';
import { acceptingOutputs, groupBySegmentLength, muxedGroup, type OutputGroup } from './output-groups.ts';
import { findSource, planTrack } from './plan-track.ts';

type NewStreamRequest = { name: string; type: StreamEdit['type']; input_params: InputParams };

/** All streams of a video are one item of the table, which holds at most 400 KB. */
const maxStreams = 64;

/**
 * Adds a stream to a completed video, and requests an edit that encodes it and rebuilds the outputs that it joins. When
 * those have different segment lengths, it adds one stream and one edit for each length.
 * @returns the first stream
 * @throws SourceDeleted, ValidationFailed, QuotaExceeded, Conflict, in this order; VideoChanged when the video was
 * changed since it was read
 */
export async function addStream(whole: WholeVideo, request: NewStreamRequest, { by, quota }: Charged): Promise<Stream> {
  const { video } = whole;
  requireSource(video);
  const additions = await planAdditions(whole, request, quota);
  const [first] = additions;
  await addStreams(video, additions, request.name, { by, quota });
  if (video.editPlanNumber === undefined) await startStreamEditExecution(video.ulid, first!.edit.planNumber);
  return first!.stream;
}

async function planAdditions(
  whole: WholeVideo,
  { name, type, input_params: params }: NewStreamRequest,
  quota: Quota | null,
): Promise<StreamAddition[]> {
  const { video, streams } = whole;
  const isCompleted = video.status === 'completed';
  // Before its end, it is not known which outputs the stream can join.
  const groups =
    type === 'muxed' || !isCompleted
      ? [muxedGroup]
      : await groupBySegmentLength(whole, acceptingOutputs(whole, type, params.codec));
  if (isCompleted) refuse(whole, type, groups);
  const probe = video.query === null ? undefined : await findSource(video);
  const takenNames = new Set(streams.map(({ track }) => track));
  const tracks =
    probe && groups.map((group) => ({ group, ...planTrack({ ...group, video, probe, type, params, takenNames }) }));
  if (!tracks || !isCompleted) {
    const cpuSeconds = tracks?.[0]?.cpuSeconds ?? 0;
    const message = 'The video is not completed. Streams can be added when it is.';
    throw await conflictAfterQuota(video, { quota, cpuSeconds }, new Conflict('video_not_completed', message));
  }
  const firstId = await takeStreamIds(tracks.length);
  return tracks.map(({ group, entry, planned, cpuSeconds }, position): StreamAddition => {
    const { segmentSeconds } = group;
    const planNumber = nextPlan(video) + position;
    const stream: Stream = {
      ...newStream(planned, { id: firstId + position, planNumber }),
      name: position === 0 ? name : `${name} (${segmentSeconds} s)`,
      type,
      ...(type === 'muxed' && audioFieldsOf(streams)),
    };
    const muxedOutput = type === 'muxed' ? newMuxedOutput(stream, whole) : undefined;
    const outputs = muxedOutput ? [muxedOutput] : group.outputs;
    return {
      stream,
      output: muxedOutput,
      cpuSeconds,
      edit: {
        planNumber,
        action: 'encode',
        streamUlid: stream.ulid,
        type,
        entry,
        segmentSeconds,
        replaced: null,
        outputs: outputs.map(({ ulid }) => ulid),
      },
    };
  });
}

/** The fields of a muxed stream that follow from its audio. */
function audioFieldsOf(streams: Stream[]): Partial<Stream> {
  const [audio] = firstAudioStream(streams);
  return { language: audio?.language ?? null, channels: audio?.channels ?? null };
}

function refuse({ streams }: WholeVideo, type: StreamEdit['type'], groups: OutputGroup[]): void {
  const reason = (): string | undefined => {
    if (type === 'muxed')
      return firstAudioStream(streams).length > 0 ? undefined : 'The video has no audio stream to mux with the video.';
    return groups.length > 0 ? undefined : 'No HLS or DASH output of the video takes such a stream. Choose muxed.';
  };
  const message = reason();
  if (message) throw new ValidationFailed({ type: [message] });
  if (streams.length + groups.length > maxStreams) {
    throw new ValidationFailed({
      video_id: [`The video has ${streams.length} streams. The maximum is ${maxStreams}.`],
    });
  }
}
