import { timestamp } from '../../../shared/clock.ts';
import { below, type Changes } from '../items/expression.ts';
import { ConditionFailed, getItem, type Item, queryItems, type Write, write } from '../items/items.ts';
import { keys } from '../items/keys.ts';
import {
  type Output,
  outputRecord,
  outputsRecord,
  progressRecord,
  type Stream,
  type StreamEdit,
  streamEditRecord,
  streamRecord,
  streamsRecord,
  type Video,
  videoRecord,
} from '../records.ts';
import {
  type OutputStatus,
  outputTransitions,
  type StreamStatus,
  statusesBefore,
  streamTransitions,
  type VideoStatus,
  videoTransitions,
} from '../statuses.ts';

/** A video with all that is shown of it. Streams and outputs are in order of their making, `changes` are those under way and those that wait. */
export type WholeVideo = {
  video: Video;
  streams: Stream[];
  outputs: Output[];
  edits: StreamEdit[];
  done: Record<string, number>;
};

/** The video, or undefined when there is none or it is deleted. */
export async function findVideo(ulid: string): Promise<Video | undefined> {
  const video = await getItem(videoRecord, keys.video(ulid));
  return video?.deletedAt === undefined ? video : undefined;
}

/** The video with its streams, outputs and progress in one read; undefined when there is none or it is deleted. */
export async function findWholeVideo(ulid: string): Promise<WholeVideo | undefined> {
  return wholeVideo(await queryItems(keys.video(ulid).pk));
}

/** The parts of one video's partition put together; undefined when the video is not among them or deleted. */
export function wholeVideo(items: Item[]): WholeVideo | undefined {
  const part = (sk: string): Item | undefined => items.find((item) => item.sk === sk);
  const stored = part('VIDEO');
  const video = stored && videoRecord.parse(stored);
  if (!video || video.deletedAt !== undefined) return undefined;
  const progress = part('PROGRESS') && progressRecord.parse(part('PROGRESS'));
  return {
    video,
    streams: inOrder(streamsRecord.parse(part('STREAMS') ?? { planNumber: 0, streams: {} }).streams),
    outputs: inOrder(outputsRecord.parse(part('OUTPUTS') ?? { planNumber: 0, outputs: {} }).outputs),
    edits: items
      .filter(({ kind }) => kind === 'stream-edit')
      .map((item) => streamEditRecord.parse(item))
      .sort((a, b) => a.planNumber - b.planNumber),
    done: progress?.planNumber === video.planNumber ? progress.done : {},
  };
}

const inOrder = <Part extends { ulid: string }>(parts: Record<string, Part>): Part[] =>
  Object.values(parts).sort((a, b) => (a.ulid < b.ulid ? -1 : 1));

/** The write that moves a video of this run to a status, if it is in one before that and not deleted. */
export const videoMove = (
  video: Pick<Video, 'ulid' | 'planNumber'>,
  to: VideoStatus,
  changes: Changes = {},
): Write => ({
  update: keys.video(video.ulid),
  ...changes,
  set: { ...changes.set, status: to },
  when: {
    equals: { planNumber: video.planNumber },
    oneOf: { status: statusesBefore(videoTransitions, to) },
    absent: ['deletedAt'],
  },
});

/** Moves an output. False when it was no longer in a status before `to`: somebody else moved it, which is as good as done. */
export const moveOutput = (
  videoUlid: string,
  outputUlid: string,
  to: OutputStatus,
  changes: Partial<Output> = {},
): Promise<boolean> =>
  movePart({
    item: keys.outputs(videoUlid),
    path: `outputs.${outputUlid}`,
    changes: { ...changes, status: to, ...(to === 'completed' && { completedAt: timestamp() }) },
    from: statusesBefore(outputTransitions, to),
  });

/** Moves a stream. False when it was no longer in a status before `to`. */
export const moveStream = (
  videoUlid: string,
  streamUlid: string,
  to: StreamStatus,
  changes: Partial<Stream> = {},
): Promise<boolean> =>
  movePart({
    item: keys.streams(videoUlid),
    path: `streams.${streamUlid}`,
    changes: { ...changes, status: to },
    from: statusesBefore(streamTransitions, to),
  });

/** Notes facts about a stream that is being made. False when it is not, or no longer. */
export const noteStream = (videoUlid: string, streamUlid: string, facts: Partial<Stream>): Promise<boolean> =>
  movePart({ item: keys.streams(videoUlid), path: `streams.${streamUlid}`, changes: facts, from: ['running'] });

async function movePart(move: {
  item: ReturnType<typeof keys.streams>;
  path: string;
  changes: Record<string, unknown>;
  from: readonly string[];
}): Promise<boolean> {
  const { item, path, changes, from } = move;
  try {
    await write({ update: item, set: below(path, changes), when: { oneOf: below(path, { status: from }) } });
    return true;
  } catch (error) {
    if (error instanceof ConditionFailed) return false;
    throw error;
  }
}

export const streamsItem = (videoUlid: string, planNumber: number, streams: Stream[]): Item => ({
  ...keys.streams(videoUlid),
  kind: 'streams',
  planNumber,
  streams: Object.fromEntries(streams.map((stream) => [stream.ulid, streamRecord.parse(stream)])),
});

export const outputsItem = (videoUlid: string, planNumber: number, outputs: Output[]): Item => ({
  ...keys.outputs(videoUlid),
  kind: 'outputs',
  planNumber,
  outputs: Object.fromEntries(outputs.map((output) => [output.ulid, outputRecord.parse(output)])),
});

/** Progress starts at nothing done for each part, so that later writes only ever add. */
export const progressItem = (videoUlid: string, planNumber: number, parts: string[]): Item => ({
  ...keys.progress(videoUlid),
  kind: 'progress',
  planNumber,
  done: Object.fromEntries(parts.map((part) => [part, 0])),
});
