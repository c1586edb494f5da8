import { startStreamEditExecution } from '../aws/executions.ts';
import { Conflict, ValidationFailed } from '../common/errors.ts';
import { newStream } from '../planning/new-stream.ts';
import { probeOf } from '../queue/probe-job.ts';
import type { Stream, StreamEdit, User } from '../table/records.ts';
import { addStreams, type StreamAddition } from '../table/stream-edits/edited-streams.ts';
import { nextPlan } from '../table/videos/video-lifecycle.ts';
import { takeStreamIds } from '../table/videos/video-plan.ts';
import type { WholeVideo } from '../table/videos/video-table.ts';
import type { InputParams } from '../templates/input-params.ts';
import { fileTarget, openOutputs, type Target, targetsOf } from './edit-targets.ts';
import { planTrack } from './edit-track.ts';
import { firstAudioStream, newMuxedOutput } from './muxed-output.ts';

type Wanted = { name: string; type: StreamEdit['type']; input_params: InputParams };

/** Streams and outputs are one item each, which holds 400 KB. */
const maxStreams = 64;

/**
 * Puts a stream into a finished video, to be encoded by an execution of its own; one for each length of segments that the outputs have.
 * @returns the first of them
 * @throws Conflict, ValidationFailed; VideoChanged when the video was changed since it was read
 */
export async function addStream(whole: WholeVideo, by: User, wanted: Wanted): Promise<Stream> {
  const { video } = whole;
  const additions = await plannedAdditions(whole, wanted);
  const [first] = additions;
  await addStreams(video, additions, wanted.name, by);
  if (video.editPlanNumber === undefined) await startStreamEditExecution(video.ulid, first!.edit.planNumber);
  return first!.stream;
}

async function plannedAdditions(
  whole: WholeVideo,
  { name, type, input_params: params }: Wanted,
): Promise<StreamAddition[]> {
  const { video, streams } = whole;
  if (video.status !== 'completed') throw new Conflict('The video is not completed: streams can be added when it is.');
  const targets = type === 'muxed' ? [fileTarget] : await targetsOf(whole, openOutputs(whole, type, params.codec));
  refuse(whole, type, targets);
  const probe = await probeOf(video.ulid);
  const takenNames = new Set(streams.map(({ track }) => track));
  const firstId = await takeStreamIds(targets.length);
  return targets.map((target, position): StreamAddition => {
    const { segmentSeconds } = target;
    const { entry, planned } = planTrack({ ...target, video, probe, type, params, takenNames });
    const planNumber = nextPlan(video) + position;
    const stream: Stream = {
      ...newStream(planned, { id: firstId + position, planNumber }),
      name: position === 0 ? name : `${name} (${segmentSeconds} s)`,
      type,
      ...(type === 'muxed' && audioFacts(streams)),
    };
    const file = type === 'muxed' ? newMuxedOutput(stream, whole) : undefined;
    const rebuilt = file ? [file] : target.outputs;
    return {
      stream,
      output: file,
      edit: {
        planNumber,
        action: 'encode',
        streamUlid: stream.ulid,
        type,
        entry,
        segmentSeconds,
        replaced: null,
        outputs: rebuilt.map(({ ulid }) => ulid),
      },
    };
  });
}

/** What a file takes over from the audio track that goes into it. */
function audioFacts(streams: Stream[]): Partial<Stream> {
  const [audio] = firstAudioStream(streams);
  return { language: audio?.language ?? null, channels: audio?.channels ?? null };
}

function refuse({ streams }: WholeVideo, type: StreamEdit['type'], targets: Target[]): void {
  const reason = (): string | undefined => {
    if (type === 'muxed')
      return firstAudioStream(streams).length > 0 ? undefined : 'The video has no audio stream to go with it.';
    return targets.length > 0 ? undefined : 'No HLS or DASH output of the video takes such a stream. Choose muxed.';
  };
  const message = reason();
  if (message) throw new ValidationFailed({ type: [message] });
  if (streams.length + targets.length > maxStreams) {
    throw new ValidationFailed({
      video_id: [`The video has ${streams.length} streams, and ${maxStreams} is the most.`],
    });
  }
}
