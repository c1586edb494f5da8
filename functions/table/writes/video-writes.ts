import { encodeTime } from 'ulid';
import { now, timestamp } from '../../../shared/clock.ts';
import { statusesBefore, type VideoStatus, videoTransitions } from '../../contracts/statuses.ts';
import { type Due, due } from '../items/due-keys.ts';
import type { Changes, Condition, Scalar } from '../items/expression.ts';
import type { Item, Write } from '../items/items.ts';
import { keys, owned, statusSort } from '../items/keys.ts';
import { type Output, outputRecord, type Stream, streamRecord, type Video } from '../records.ts';

type Listed = Pick<Video, 'ulid' | 'createdAt'>;

/**
 * A video's position in its owner's lists, which are in order of creation. A video has the ULID of its upload, which
 * may have been opened days before. So the position is that ULID with the video's creation time in it.
 */
export const videoPosition = ({ ulid, createdAt }: Listed): string =>
  `${encodeTime(Date.parse(createdAt))}${ulid.slice(10)}`;

/** A video's position in its owner's list of all videos. */
export const listedVideo = (ownerUlid: string, video: Listed) => owned(ownerUlid, 'video', videoPosition(video));

/** A status with the video's position in its owner's list of this status. */
export const listedStatus = (video: Listed, status: VideoStatus): { status: VideoStatus; statusSort: string } => ({
  status,
  statusSort: statusSort(status, videoPosition(video)),
});

/** The condition that a video is not deleted, and fields of it are as they were read, also those that were absent. */
export function asRead<Name extends keyof Video>(video: Pick<Video, Name>, names: readonly Name[]): Condition {
  const equals = Object.fromEntries(names.map((name) => [name, video[name] as Scalar]));
  return { equals, absent: [...names.filter((name) => video[name] === undefined), 'deletedAt'] };
}

/** The item of a new video. */
export const videoItem = (video: Video): Item => ({
  ...keys.video(video.ulid),
  ...listedVideo(video.ownerUlid, video),
  kind: 'video',
  ...video,
  ...listedStatus(video, video.status),
});

/** Lists a video as working, so that reconcile finds videos whose execution died without reading all videos. */
export const markWorking = (videoUlid: string): Write => ({
  put: { ...keys.working(videoUlid), ...workingCheck(videoUlid), kind: 'working', ulid: videoUlid },
});

/**
 * Work on a video usually reports progress more often. After this time without any, reconcile asks whether its
 * execution still runs.
 */
export const quietMilliseconds = 60_000;

/** Has reconcile check a working video that makes no progress. */
export const workingCheck = (videoUlid: string): Due => due('working', videoUlid, timestamp(now() + quietMilliseconds));

/**
 * Moves a video to a status, if its status may change to that one, its plan and `equals` are what was read, and it is
 * not deleted.
 */
export const videoTransition = (
  video: Pick<Video, 'ulid' | 'planNumber' | 'createdAt'>,
  to: VideoStatus,
  changes: Changes = {},
  equals: Partial<Pick<Video, 'lastPlanNumber'>> = {},
): Write => ({
  update: keys.video(video.ulid),
  ...changes,
  set: { ...changes.set, ...listedStatus(video, to) },
  when: {
    equals: { ...equals, planNumber: video.planNumber },
    oneOf: { status: statusesBefore(videoTransitions, to) },
    absent: ['deletedAt'],
  },
});

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

/** Progress starts at zero for each part, so that later writes only add. */
export const progressItem = (videoUlid: string, planNumber: number, parts: string[]): Item => ({
  ...keys.progress(videoUlid),
  kind: 'progress',
  planNumber,
  done: Object.fromEntries(parts.map((part) => [part, 0])),
});
