import { now, timestamp } from '../../../shared/clock.ts';
import { type Due, due } from '../items/due-keys.ts';
import type { Write } from '../items/items.ts';
import { keys, sweepPosition } from '../items/keys.ts';
import type { DeletionReason, Video } from '../records.ts';
import { videoEvent } from './event-writes.ts';
import { playbackChange, publicCount } from './playback-writes.ts';
import { listingChanges, tagCounts } from './video-listing-writes.ts';
import { asRead } from './video-writes.ts';

/** Has a deleted video swept again, after those that were not swept for longer. */
export const sweepLater = (videoUlid: string): Due => due('deleted', videoUlid, timestamp(now() + 1));

/**
 * Has the files of a deleted video deleted by the next sweep. The item stays until they are. Expired videos are swept
 * after those that users have deleted.
 */
export const sweepWaiting = (videoUlid: string, reason: DeletionReason = 'requested'): Write => ({
  put: { ...keys.waitingSweep(sweepPosition(videoUlid, reason === 'expired')), kind: 'waiting-sweep' },
});

/**
 * Marks a video as deleted, takes it from all lists and counts, ends its playback, and has its files deleted. The
 * condition of the first write fails when the video is deleted, or has another name, owner, template, playback or tags
 * than the one that was read: its lists and their counts would become wrong. An expired one must not have been
 * extended.
 */
export const videoDeletion = (video: Video, reason: DeletionReason = 'requested'): Write[] => [
  {
    update: keys.video(video.ulid),
    set: { deletedAt: timestamp(), deletionReason: reason, ...sweepLater(video.ulid) },
    remove: ['ownerKey', 'ownerSort', 'statusSort'],
    when: asRead(video, [
      'name',
      'ownerUlid',
      'templateUlid',
      'playback',
      'descriptionVersion',
      ...(reason === 'expired' ? ['expiresAt' as const] : []),
    ]),
  },
  ...listingChanges(video, undefined),
  ...tagCounts(video, undefined),
  playbackChange(video.ulid),
  ...(video.playback === 'public' ? [publicCount(-1)] : []),
  sweepWaiting(video.ulid, reason),
  { delete: keys.working(video.ulid) },
  { delete: keys.id('video', video.id) },
  { update: keys.userCounts(video.ownerUlid), add: { videos: -1 } },
  { update: keys.templateCounts(video.templateUlid), add: { references: -1 } },
  { delete: keys.templateReader(video.templateUlid, video.ownerUlid, video.ulid) },
  videoEvent('video.deleted', video, { ...video, deletionReason: reason }),
];
