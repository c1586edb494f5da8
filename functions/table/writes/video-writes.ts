import { encodeTime } from 'ulid';
import type { Changes } from '../items/expression.ts';
import type { Item, Write } from '../items/items.ts';
import { keys, owned } from '../items/keys.ts';
import { type Output, outputRecord, type Stream, streamRecord, type Video } from '../records.ts';
import { statusesBefore, type VideoStatus, videoTransitions } from '../statuses.ts';

/**
 * A video's place in its owner's list, which is in order of creation. A video has the ULID of its upload, which may
 * have been opened days before the video was created. So the place is that ULID with the video's creation time in it.
 */
export const listedVideo = (ownerUlid: string, { ulid, createdAt }: Pick<Video, 'ulid' | 'createdAt'>) =>
  owned(ownerUlid, 'video', `${encodeTime(Date.parse(createdAt))}${ulid.slice(10)}`);

/** Lists a video as working, so that reconcile finds videos whose execution died without reading all videos. */
export const markWorking = (videoUlid: string): Write => ({
  put: { ...keys.working(videoUlid), ...owned('all', 'working', videoUlid), kind: 'working', ulid: videoUlid },
});

/**
 * Moves a video to a status, if its status may change to that one, its plan is the one that was read, and it is not
 * deleted.
 */
export const videoTransition = (
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
