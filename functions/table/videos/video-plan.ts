import { tryTransact } from '../items/conditional.ts';
import { partIdItem } from '../items/id-items.ts';
import { takeIds, writeBatch } from '../items/items.ts';
import { keys } from '../items/keys.ts';
import type { Output, Stream, Video } from '../records.ts';
import { partEvent } from '../writes/event-writes.ts';
import { outputsItem, progressItem, streamsItem, videoTransition } from '../writes/video-writes.ts';
import type { WholeVideo } from './video-table.ts';

/** The first of `count` new integer ids of streams. */
export const takeStreamIds = async (count: number): Promise<number> =>
  count > 0 ? takeIds(keys.counter('stream'), count) : 0;

/** What a plan makes of a video: `streams` and `outputs` are all that the video has from now on. */
export type PlannedVideo = Pick<Video, 'durationSeconds' | 'aspectRatio' | 'originSeconds'> &
  Pick<WholeVideo, 'replacedOriginal'> & { streams: Stream[]; outputs: Output[] };

/**
 * Stores what was planned for a downloading video and moves the video to running. False when an earlier call has stored
 * a plan.
 */
export async function storePlannedVideo(video: Video, planned: PlannedVideo): Promise<boolean> {
  const { ulid, planNumber } = video;
  const { durationSeconds, aspectRatio, originSeconds, streams, outputs, replacedOriginal } = planned;
  const parts = [...new Set(newOutputs(video, planned).flatMap(({ work }) => Object.keys(work)))];
  await writeBatch(partIds(video, planned).map((put) => ({ put })));
  return tryTransact([
    videoTransition(video, 'running', { set: { durationSeconds, aspectRatio, originSeconds } }),
    { put: { ...streamsItem(ulid, planNumber, streams), ...(replacedOriginal && { replacedOriginal }) } },
    { put: outputsItem(ulid, planNumber, outputs) },
    { put: progressItem(ulid, planNumber, parts) },
    ...newOutputs(video, planned)
      .filter(({ status }) => status === 'failed')
      .map((output) => partEvent('output', 'failed', video, output.ulid)),
  ]);
}

const newOutputs = ({ planNumber }: Video, { outputs }: PlannedVideo): Output[] =>
  outputs.filter((output) => output.planNumber === planNumber);

/** Ids of the plan's own parts; those of the original and of earlier plans exist. */
function partIds(video: Video, planned: PlannedVideo) {
  const { ulid: videoUlid, planNumber } = video;
  const { streams } = planned;
  const newStreams = streams.filter((stream) => stream.planNumber === planNumber && stream.type !== 'original');
  return [
    ...newStreams.flatMap(({ id, ulid }) => [id, ulid].map((name) => partIdItem('stream', name, ulid, videoUlid))),
    ...newOutputs(video, planned).map(({ ulid }) => partIdItem('output', ulid, ulid, videoUlid)),
  ];
}
