import { outputPrefix } from '../../../shared/object-keys.ts';
import { ConcurrentChange, Conflict } from '../../common/errors.ts';
import type { PlaybackMode } from '../../contracts/statuses.ts';
import { ConditionFailed, transact, type Write } from '../items/items.ts';
import { keys } from '../items/keys.ts';
import { releaseRuns, reservationMoves } from '../quotas/reservations.ts';
import type { Output, Template, User, Video } from '../records.ts';
import { videoActivity } from '../writes/activity-writes.ts';
import { playbackChange, publicCount } from '../writes/playback-writes.ts';
import { retirement } from '../writes/retirement-writes.ts';
import { templateReaderWrite, templateReferenceWrite } from '../writes/template-reference-writes.ts';
import { videoDeletion } from '../writes/video-deletion.ts';
import { listingChanges } from '../writes/video-listing-writes.ts';
import { listedVideo } from '../writes/video-writes.ts';
import { findVideo } from './video-table.ts';

type VideoChanges = {
  name?: string | undefined;
  template?: Template | undefined;
  owner?: User | undefined;
  playback?: PlaybackMode | undefined;
};

/**
 * Changes the name, the template, the owner or the playback of a video, and records it in the activity of the user who
 * did it.
 * @throws Conflict for another template while the video is being processed, or when the video changed after it was read
 */
export async function changeVideo(
  video: Video,
  by: User,
  { name, template, owner, playback }: VideoChanges,
): Promise<Video> {
  const otherTemplate = template && template.ulid !== video.templateUlid ? template : undefined;
  const otherOwner = owner && owner.ulid !== video.ownerUlid ? owner : undefined;
  const otherPlayback = playback === video.playback ? undefined : playback;
  const set = {
    ...(name !== undefined && { name }),
    ...(otherTemplate && { templateUlid: otherTemplate.ulid, templateId: otherTemplate.id }),
    ...(otherOwner && { ownerUlid: otherOwner.ulid }),
    ...(otherPlayback && { playback: otherPlayback }),
    ...(otherPlayback === 'public' && { wasPublic: true }),
  };
  if (Object.keys(set).length === 0) return video;
  const writes: Write[] = [
    {
      update: keys.video(video.ulid),
      set: { ...set, ...(otherOwner && listedVideo(otherOwner.ulid, video)) },
      when: {
        equals: {
          templateUlid: video.templateUlid,
          ownerUlid: video.ownerUlid,
          // The lists by words depend on the name as it was read.
          ...((name !== undefined || otherOwner) && { name: video.name }),
          ...(otherPlayback && { playback: video.playback }),
        },
        absent: ['deletedAt'],
        ...(otherTemplate && { oneOf: { status: ['pending', 'completed', 'failed'] } }),
      },
    },
    ...(otherTemplate ? templateChange(video, otherTemplate) : []),
    ...(otherOwner ? ownerChange(video, otherOwner) : []),
    ...(otherPlayback ? [playbackChange(video.ulid), publicCount(otherPlayback === 'public' ? 1 : -1)] : []),
    ...readerChange(video, { ...video, ...set }),
    ...listingChanges(video, { ...video, ...set }),
    ...(otherOwner ? await reservationMoves(video, otherOwner.ulid) : []),
    videoActivity(by, video, 'updated', `Updated ${video.name}`, {
      old: { name: video.name, template_id: video.templateId, playback: video.playback },
      attributes: {
        name: name ?? video.name,
        template_id: otherTemplate?.id ?? video.templateId,
        playback: playback ?? video.playback,
      },
      ...(otherOwner && { user_id: otherOwner.id }),
    }),
  ];
  try {
    await transact(writes);
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    if (otherTemplate && error.failed.includes(0)) {
      throw new Conflict('video_in_progress', 'The video is being processed: its template cannot change now.');
    }
    throw new ConcurrentChange('video');
  }
  return { ...video, ...set };
}

/** Marks a video as deleted. Its files are deleted later. Nothing happens when it is deleted already. */
export async function hideVideo(video: Video, by: User): Promise<void> {
  try {
    await transact([
      ...videoDeletion(video),
      videoActivity(by, video, 'deleted', `Deleted ${video.name}`, { name: video.name }),
    ]);
    await releaseRuns(video);
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    const changed = await findVideo(video.ulid);
    if (changed) await hideVideo(changed, by);
  }
}

/** @throws Conflict unless the output has failed */
export async function deleteOutput(video: Video, output: Output, by: User): Promise<void> {
  const path = `outputs.${output.ulid}`;
  try {
    await transact([
      { update: keys.outputs(video.ulid), remove: [path], when: { equals: { [`${path}.status`]: 'failed' } } },
      { delete: keys.id('output', output.ulid) },
      retirement({ prefix: outputPrefix(video.ulid, output.ulid) }),
      videoActivity(by, video, 'updated', `Deleted output ${output.name} of ${video.name}`, { output: output.name }),
    ]);
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    throw new Conflict('output_not_failed', 'Only a failed output can be deleted.');
  }
}

const templateChange = (video: Video, template: Template): Write[] => [
  { update: keys.templateCounts(video.templateUlid), add: { references: -1 } },
  templateReferenceWrite(template.ulid, 1),
];

/** The owner of a video may read its template, also when it is another user's. */
const readerChange = (video: Video, changed: Video): Write[] =>
  changed.templateUlid === video.templateUlid && changed.ownerUlid === video.ownerUlid
    ? []
    : [
        { delete: keys.templateReader(video.templateUlid, video.ownerUlid, video.ulid) },
        templateReaderWrite(changed.templateUlid, changed.ownerUlid, video.ulid),
      ];

const ownerChange = (video: Video, owner: User): Write[] => [
  { check: keys.user(owner.ulid), when: { exists: true, absent: ['deletedAt'] } },
  { update: keys.userCounts(video.ownerUlid), add: { videos: -1 } },
  { update: keys.userCounts(owner.ulid), add: { videos: 1 } },
];
