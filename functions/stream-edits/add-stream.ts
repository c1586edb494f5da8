import { startStreamEditExecution } from '../aws/executions.ts';
import { Conflict, ValidationFailed } from '../common/errors.ts';
import { newStream } from '../planning/new-stream.ts';
import { probeOf } from '../queue/probe-job.ts';
import { videoActivity } from '../table/accounts/activity-table.ts';
import { takeIds, transact, type Write } from '../table/items/items.ts';
import { keys } from '../table/items/keys.ts';
import { partIdItem } from '../table/items/record-ids.ts';
import type { Output, Stream, StreamEdit, User } from '../table/records.ts';
import { beginStreamEdits, type NewStreamEdit, streamsPut } from '../table/videos/stream-edit-table.ts';
import { nextPlan } from '../table/videos/video-lifecycle.ts';
import type { WholeVideo } from '../table/videos/video-table.ts';
import type { InputParams } from '../templates/input-params.ts';
import { fileTarget, openOutputs, type Target, targetsOf } from './edit-targets.ts';
import { planTrack } from './edit-track.ts';
import { firstAudioStream, muxedOutputWrites, newMuxedOutput } from './muxed-output.ts';

type Wanted = { name: string; type: StreamEdit['type']; input_params: InputParams };
type Addition = { stream: Stream; change: NewStreamEdit; output?: Output };

/** Streams and outputs are one item each, which holds 400 KB. */
const maxStreams = 64;

/**
 * Puts a stream into a finished video, to be encoded by an execution of its own; one for each length of segments that the outputs have.
 * @returns the first of them
 * @throws Conflict, ValidationFailed; ConditionFailed when the video was changed since it was read
 */
export async function addStream(whole: WholeVideo, by: User, wanted: Wanted): Promise<Stream> {
  const { video } = whole;
  const additions = await plannedAdditions(whole, wanted);
  const [first] = additions;
  await transact([
    ...beginStreamEdits(
      video,
      additions.map(({ change }) => change),
    ),
    streamsPut(
      video.ulid,
      additions.map(({ stream }) => stream),
    ),
    ...additions.flatMap((addition) => recordsOf(video.ulid, addition)),
    videoActivity(by, video, 'updated', `Added stream ${wanted.name} to ${video.name}`, { stream: wanted.name }),
  ]);
  if (video.editPlanNumber === undefined) await startStreamEditExecution(video.ulid, first!.change.planNumber);
  return first!.stream;
}

async function plannedAdditions(whole: WholeVideo, { name, type, input_params: params }: Wanted): Promise<Addition[]> {
  const { video, streams } = whole;
  if (video.status !== 'completed') throw new Conflict('The video is not completed: streams can be added when it is.');
  const targets = type === 'muxed' ? [fileTarget] : await targetsOf(whole, openOutputs(whole, type, params.codec));
  refuse(whole, type, targets);
  const probe = await probeOf(video.ulid);
  const takenNames = new Set(streams.map(({ track }) => track));
  const firstId = await takeIds(keys.counter('stream'), targets.length);
  return targets.map((target, position): Addition => {
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
      ...(file && { output: file }),
      change: {
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

const recordsOf = (videoUlid: string, { stream, output }: Addition): Write[] => [
  ...[stream.id, stream.ulid].map((name) => ({ put: partIdItem('stream', name, stream.ulid, videoUlid) })),
  ...(output ? muxedOutputWrites(videoUlid, output) : []),
];
