import { outputPrefix } from '../../../shared/object-keys.ts';
import { tryTransact } from '../items/conditional.ts';
import { due } from '../items/due-keys.ts';
import { below, type Changes } from '../items/expression.ts';
import { partIdKeys } from '../items/id-items.ts';
import { type Write, writeBatch } from '../items/items.ts';
import { keys } from '../items/keys.ts';
import type { OriginalChange, StorageDelivery, Video } from '../records.ts';
import { videoEvent } from '../writes/event-writes.ts';
import { countedOutcome } from '../writes/outcome-writes.ts';
import { runRelease } from '../writes/reservation-writes.ts';
import { attemptsRetirement, retirement, sourceRetention, sourceRetirement } from '../writes/retirement-writes.ts';
import { storageDeliveriesCreated } from '../writes/storage-delivery-writes.ts';
import { videoTransition } from '../writes/video-writes.ts';
import type { WholeVideo } from './video-table.ts';

type Parts = Pick<WholeVideo, 'outputs' | 'streams'>;

/** The files beside the outputs that a video shows. */
export type Thumbnails = Pick<Video, 'thumbnailPath' | 'storyboardPath' | 'previewPath' | 'thumbnailImages'>;

export type VideoEnding = { original: OriginalChange | undefined } & (
  | {
      status: 'completed';
      thumbnails: Thumbnails;
      /** when the source is deleted; absent: it is kept */
      sourceDueAt?: string | undefined;
      /** when the video expires, unless its owner has said it */
      expiresAt?: string | undefined;
      /** copies of its files to storages */
      deliveries?: readonly StorageDelivery[];
    }
  | { status: 'failed' }
);

/**
 * Moves a video to its final status and takes it from the list of working videos. A completed video loses the streams
 * and outputs of earlier plans in the same transaction, and a source that was replaced. False when the video has ended
 * before, was deleted or has another plan.
 */
export function finishVideo(whole: WholeVideo, ending: VideoEnding): Promise<boolean> {
  const { video } = whole;
  const counted = countedOutcome(video, ending.status);
  const set = { ...(ending.status === 'completed' && ending.thumbnails), ...counted.mark.set };
  const { replaced } = video;
  // Outputs of an earlier plan play on.
  const playsOn = ending.status === 'completed' || whole.outputs.some(({ status }) => status === 'completed');
  return tryTransact([
    videoTransition(video, ending.status, {
      set,
      ...(ending.status === 'completed' && ending.expiresAt !== undefined && expiry(video.ulid, ending.expiresAt)),
      remove: [...(playsOn ? [] : ['playableAt']), ...(replaced ? ['replaced', 'posterIsChosen'] : [])],
    }),
    ...(replaced ? [sourceRetirement(replaced.sourceKey)] : []),
    { delete: keys.working(video.ulid) },
    { delete: keys.earlyPlayback(video.ulid) },
    attemptsRetirement(video.ulid),
    runRelease(video, video),
    ...counted.writes,
    videoEvent(`video.${ending.status}`, video),
    ...(ending.status === 'completed'
      ? [
          ...removeReplaced(whole, ending.original),
          sourceRetention(video.ulid, ending.sourceDueAt),
          ...storageDeliveriesCreated(ending.deliveries ?? []),
        ]
      : updateOriginal(video, ending.original)),
  ]);
}

/** The owner may set an expiry at the same time. */
const expiry = (videoUlid: string, expiresAt: string): Changes => ({
  setIfAbsent: { expiresAt, ...due('expiring', videoUlid, expiresAt) },
});

/** Streams and outputs that plans before the present one made. The original stream belongs to no plan. */
export function replacedParts({ video, outputs, streams }: WholeVideo): Parts {
  const isReplaced = ({ planNumber }: { planNumber: number }): boolean => planNumber < video.planNumber;
  return {
    outputs: outputs.filter(isReplaced),
    streams: streams.filter((stream) => isReplaced(stream) && stream.type !== 'original'),
  };
}

/** Deletes the items that lead from the ids of streams and outputs to their video. */
export const deletePartIds = (parts: Parts): Promise<void> =>
  writeBatch(partIdKeys(parts).map((key) => ({ delete: key })));

const updateOriginal = ({ ulid }: Video, original: OriginalChange | undefined): Write[] =>
  original ? [{ update: keys.streams(ulid), set: changesOf(original) }] : [];

function removeReplaced(whole: WholeVideo, original: OriginalChange | undefined): Write[] {
  const { ulid, planNumber } = whole.video;
  const { outputs, streams } = replacedParts(whole);
  return [
    ...(original || streams.length > 0 || whole.replacedOriginal
      ? [
          {
            update: keys.streams(ulid),
            ...(original && { set: changesOf(original) }),
            remove: ['replacedOriginal', ...streams.map((stream) => `streams.${stream.ulid}`)],
            when: { equals: { planNumber } },
          },
        ]
      : []),
    ...(outputs.length > 0
      ? [{ update: keys.outputs(ulid), remove: outputs.map((output) => `outputs.${output.ulid}`) }]
      : []),
    // The caller deletes these files next. When it dies before that, only these items still lead to them.
    ...outputs.map((output) => retirement({ prefix: outputPrefix(ulid, output.ulid) })),
  ];
}

const changesOf = ({ ulid, ...changes }: OriginalChange) => below(`streams.${ulid}`, changes);
