import { timestamp } from '../../../shared/clock.ts';
import {
  type OutputStatus,
  outputTransitions,
  type StreamStatus,
  statusesBefore,
  streamTransitions,
  type VideoStatus,
} from '../../contracts/statuses.ts';
import { tryTransact, tryWrite } from '../items/conditional.ts';
import { below } from '../items/expression.ts';
import { getItem, getItems, type Item, queryItems, type Write } from '../items/items.ts';
import { type Key, keys } from '../items/keys.ts';
import { findVirtualTime } from '../queue/queue-table.ts';
import {
  type Output,
  outputsRecord,
  progressRecord,
  type Stream,
  type StreamEdit,
  streamEditRecord,
  streamsRecord,
  type Video,
  videoRecord,
} from '../records.ts';
import { type EventOwner, partEvent } from '../writes/event-writes.ts';
import { videoTransition } from '../writes/video-writes.ts';

/**
 * A video with its parts. Streams and outputs are in order of creation; `edits` are the running and the waiting stream
 * edits.
 */
export type WholeVideo = {
  video: Video;
  streams: Stream[];
  outputs: Output[];
  edits: StreamEdit[];
  done: Record<string, number>;
  /** while the source is being replaced and the new one is planned: the original as it was */
  replacedOriginal?: Stream | undefined;
  /** when units were last added to it */
  progressAt?: string;
};

/** The video, or Undefined when it does not exist or is deleted. */
export async function findVideo(ulid: string): Promise<Video | undefined> {
  const video = await getItem(videoRecord, keys.video(ulid));
  return video?.deletedAt === undefined ? video : undefined;
}

/** The videos with these ULIDs that exist, also deleted ones. */
export const findVideosOf = async (ulids: readonly Pick<Video, 'ulid'>[]): Promise<Video[]> =>
  (await getItems(ulids.map(({ ulid }) => keys.video(ulid)))).map((item) => videoRecord.parse(item));

/** The video with its streams, outputs and progress in one read; Undefined when it does not exist or is deleted. */
export async function findWholeVideo(ulid: string): Promise<WholeVideo | undefined> {
  return wholeVideo(await queryItems(keys.video(ulid).pk));
}

/** Assembles a video from the items of its partition. Undefined when the video is not among them, or is deleted. */
export function wholeVideo(items: Item[]): WholeVideo | undefined {
  const part = (sk: string): Item | undefined => items.find((item) => item.sk === sk);
  const stored = part('VIDEO');
  const video = stored && videoRecord.parse(stored);
  if (!video || video.deletedAt !== undefined) return undefined;
  const { streams, replacedOriginal } = streamsRecord.parse(part('STREAMS') ?? { planNumber: 0, streams: {} });
  const progress = part('PROGRESS') && progressRecord.parse(part('PROGRESS'));
  return {
    video,
    streams: inOrder(streams),
    ...(replacedOriginal && { replacedOriginal }),
    outputs: inOrder(outputsRecord.parse(part('OUTPUTS') ?? { planNumber: 0, outputs: {} }).outputs),
    edits: items
      .filter(({ kind }) => kind === 'stream-edit')
      .map((item) => streamEditRecord.parse(item))
      .sort((a, b) => a.planNumber - b.planNumber),
    // Parts are named by their plan. While a new plan is made, outputs of the earlier one keep their progress.
    done: progress?.done ?? {},
    ...(progress?.changedAt !== undefined && { progressAt: progress.changedAt }),
  };
}

const inOrder = <Part extends { ulid: string }>(parts: Record<string, Part>): Part[] =>
  Object.values(parts).sort((a, b) => (a.ulid < b.ulid ? -1 : 1));

/**
 * Moves a video to a status. False when its status cannot change to that one any more, its plan changed or it was
 * deleted.
 */
export const moveVideo = (video: Pick<Video, 'ulid' | 'planNumber' | 'createdAt'>, to: VideoStatus): Promise<boolean> =>
  tryWrite(videoTransition(video, to));

/**
 * Claims a pending video for an execution, which makes this plan of this query. False when the video is not pending any
 * more, its plan changed or it was deleted.
 */
export async function claimVideo(
  video: Video,
  { executionArn, planNumber, query }: Pick<Video, 'planNumber' | 'query'> & { executionArn: string },
): Promise<boolean> {
  const virtualTimeSeconds = await findVirtualTime(video.ownerUlid);
  const set = { executionArn, query, startedAt: timestamp(), virtualTimeSeconds };
  const { lastPlanNumber } = video;
  const numbers = { planNumber, lastPlanNumber: Math.max(planNumber, lastPlanNumber) };
  return tryWrite(videoTransition(video, 'downloading', { set: { ...set, ...numbers } }, { lastPlanNumber }));
}

/**
 * Moves an output to a status, with an event when it ends. False when its status cannot change to that one any more:
 * another call has moved it.
 */
export const moveOutput = (
  video: EventOwner,
  outputUlid: string,
  to: OutputStatus,
  changes: Partial<Output> = {},
): Promise<boolean> =>
  endPart(
    keys.outputs(video.ulid),
    {
      path: `outputs.${outputUlid}`,
      changes: { ...changes, status: to, ...(to === 'completed' && { completedAt: timestamp() }) },
      from: statusesBefore(outputTransitions, to),
      ...playabilityChanges(to),
    },
    to === 'completed' || to === 'failed' ? partEvent('output', to, video, outputUlid) : undefined,
  );

/** A completed output plays, if it did not before. A failed one does not play any more. */
function playabilityChanges(to: OutputStatus): Partial<Move> {
  if (to === 'completed') return { ifAbsent: { playableAt: timestamp() } };
  return to === 'failed' ? { remove: ['playableAt'] } : {};
}

/**
 * Moves a stream to a status, with an event when it ends. False when its status cannot change to that one any more.
 */
export const moveStream = (
  video: EventOwner,
  streamUlid: string,
  to: StreamStatus,
  changes: Partial<Stream> = {},
): Promise<boolean> =>
  endPart(
    keys.streams(video.ulid),
    {
      path: `streams.${streamUlid}`,
      changes: { ...changes, status: to },
      from: statusesBefore(streamTransitions, to),
    },
    to === 'completed' || to === 'failed' ? partEvent('stream', to, video, streamUlid) : undefined,
  );

/** Updates a running stream. False when it is not running. */
export const recordStreamProperties = (
  videoUlid: string,
  streamUlid: string,
  changes: Partial<Stream>,
): Promise<boolean> =>
  tryWrite(partMove(keys.streams(videoUlid), { path: `streams.${streamUlid}`, changes, from: ['running'] }));

/** Removes the error of an earlier run from a completed stream. False when it is not completed. */
export const clearStreamError = (videoUlid: string, streamUlid: string): Promise<boolean> =>
  tryWrite(
    partMove(keys.streams(videoUlid), {
      path: `streams.${streamUlid}`,
      changes: { errorLog: null },
      from: ['completed'],
    }),
  );

type Move = {
  path: string;
  changes: Record<string, unknown>;
  ifAbsent?: Record<string, unknown>;
  remove?: string[];
  from: readonly string[];
};

const partMove = (item: Key, { path, changes, ifAbsent = {}, remove = [], from }: Move): Write => ({
  update: item,
  set: below(path, changes),
  setIfAbsent: below(path, ifAbsent),
  remove: remove.map((name) => `${path}.${name}`),
  when: { oneOf: below(path, { status: from }) },
});

const endPart = (item: Key, move: Move, event: Write | undefined): Promise<boolean> =>
  event ? tryTransact([partMove(item, move), event]) : tryWrite(partMove(item, move));
