import { isDeepStrictEqual } from 'node:util';
import { outputPrefix } from '../../../shared/object-keys.ts';
import { ConcurrentChange, Conflict, ValidationFailed } from '../../common/errors.ts';
import { descriptionLimits } from '../../common/limits.ts';
import { tooManyPairs } from '../../contracts/fields/description-fields.ts';
import type { PlaybackMode } from '../../contracts/statuses.ts';
import { due, dueFields } from '../items/due-keys.ts';
import { ConditionFailed, transact, type Write, writeBatch } from '../items/items.ts';
import { keys } from '../items/keys.ts';
import { reservationMoves } from '../quotas/reservations.ts';
import type { Output, Template, User, Video } from '../records.ts';
import { videoActivity } from '../writes/activity-writes.ts';
import { playbackChange, publicCount } from '../writes/playback-writes.ts';
import { retirement } from '../writes/retirement-writes.ts';
import { templateReaderWrite, templateReferenceWrite } from '../writes/template-reference-writes.ts';
import { listingChanges, tagCounts } from '../writes/video-listing-writes.ts';
import { asRead, listedVideo } from '../writes/video-writes.ts';
import { transcriptMove } from './caption-table.ts';

type VideoChanges = {
  name?: string | undefined;
  template?: Template | undefined;
  owner?: User | undefined;
  playback?: PlaybackMode | undefined;
  /** pairs to be set; null removes one */
  metadata?: Readonly<Record<string, string | null>> | undefined;
  tags?: readonly string[] | undefined;
  /** null: it is kept */
  expiresAt?: string | null | undefined;
};

/**
 * Changes a video, and records it in the activity of the user who did it.
 * @throws Conflict for another template while the video is being processed, or when the video changed after it was read
 * @throws ValidationFailed when the pairs of the metadata become too many
 */
export async function changeVideo(video: Video, by: User, changes: VideoChanges): Promise<Video> {
  const changed = changedVideo(video, changes);
  const names = changedFields.filter((name) => !isDeepStrictEqual(video[name], changed[name]));
  if (names.length === 0) return video;
  const isChanged = (...some: ChangedField[]): boolean => some.some((name) => names.includes(name));
  const otherTemplate = isChanged('templateUlid') ? changes.template : undefined;
  const otherOwner = isChanged('ownerUlid') ? changes.owner : undefined;
  const read = asRead(video, [
    'templateUlid',
    'ownerUlid',
    // The lists by words and tags depend on what was read.
    ...(isChanged('name', 'ownerUlid') ? ['name' as const] : []),
    ...(isChanged('metadata', 'tags', 'ownerUlid') ? ['descriptionVersion' as const] : []),
    ...(isChanged('playback') ? ['playback' as const] : []),
  ]);
  const lists = listingChanges(video, changed);
  const writes: Write[] = [
    {
      update: keys.video(video.ulid),
      set: {
        ...Object.fromEntries(names.map((name) => [name, changed[name]])),
        ...(changed.playback === 'public' && isChanged('playback') && { wasPublic: true }),
        ...(otherOwner && listedVideo(otherOwner.ulid, video)),
        ...(isChanged('expiresAt') && changed.expiresAt && due('expiring', video.ulid, changed.expiresAt)),
      },
      remove: [
        ...names.filter((name) => changed[name] === undefined),
        ...(isChanged('expiresAt') && !changed.expiresAt ? dueFields : []),
      ],
      when: {
        ...read,
        ...(otherTemplate && { oneOf: { status: ['pending', 'completed', 'failed'] } }),
      },
    },
    ...(otherTemplate ? templateChange(video, otherTemplate) : []),
    ...(otherOwner ? ownerChange(video, otherOwner) : []),
    ...(isChanged('playback') ? [playbackChange(video.ulid), publicCount(changed.playback === 'public' ? 1 : -1)] : []),
    ...readerChange(video, changed),
    ...tagCounts(video, changed),
    ...(otherOwner ? await reservationMoves(video, otherOwner.ulid) : []),
    ...(otherOwner ? [await transcriptMove(video)] : []),
    videoActivity(by, video, 'updated', `Updated ${video.name}`, {
      old: shownProperties(video),
      attributes: shownProperties(changed),
      ...(otherOwner && { user_id: otherOwner.id }),
    }),
  ];
  try {
    await transact([...writes, ...(await listsThatFit(lists, maxTransactionItems - writes.length))]);
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    if (otherTemplate && error.failed.includes(0)) {
      throw new Conflict('video_in_progress', 'The video is being processed: its template cannot change now.');
    }
    throw new ConcurrentChange('video');
  }
  return changed;
}

/** What `changeVideo` may change in the record. */
const changedFields = [
  'name',
  'templateUlid',
  'templateId',
  'ownerUlid',
  'playback',
  'metadata',
  'tags',
  'descriptionVersion',
  'expiresAt',
] as const satisfies readonly (keyof Video)[];
type ChangedField = (typeof changedFields)[number];

function changedVideo(video: Video, changes: VideoChanges): Video {
  const { name, template, owner, playback, metadata, tags, expiresAt } = changes;
  const description = {
    metadata: metadata ? mergedMetadata(video.metadata, metadata) : video.metadata,
    tags: tags ? (tags.length > 0 ? [...tags] : undefined) : video.tags,
  };
  const isSame = isDeepStrictEqual(description, { metadata: video.metadata, tags: video.tags });
  return {
    ...video,
    ...(name !== undefined && { name }),
    ...(template && { templateUlid: template.ulid, templateId: template.id }),
    ...(owner && { ownerUlid: owner.ulid }),
    ...(playback && { playback }),
    ...(!isSame && { ...description, descriptionVersion: (video.descriptionVersion ?? 0) + 1 }),
    ...(expiresAt !== undefined && { expiresAt: expiresAt ?? undefined }),
  };
}

/** @throws ValidationFailed when there are too many pairs */
function mergedMetadata(
  present: Video['metadata'],
  changes: Readonly<Record<string, string | null>>,
): Video['metadata'] {
  const merged = Object.entries({ ...present, ...changes }).filter(([, value]) => value !== null);
  if (merged.length > descriptionLimits.maxPairs) {
    const error = { code: 'too_many', message: tooManyPairs, limit: descriptionLimits.maxPairs } as const;
    throw new ValidationFailed({ metadata: [error] });
  }
  return merged.length > 0 ? (Object.fromEntries(merged) as Record<string, string>) : undefined;
}

const shownProperties = ({ name, templateId, playback, tags, expiresAt }: Video) => ({
  name,
  template_id: templateId,
  playback,
  ...(tags && { tags }),
  ...(expiresAt !== undefined && { expires_at: expiresAt }),
});

const maxTransactionItems = 100;

/**
 * The changes of lists that fit into a transaction. All do, except for a video with very many words and tags that gets
 * another owner: it is put into the new owner's lists first. A list only proposes videos, whose records decide.
 */
async function listsThatFit(lists: Write[], room: number): Promise<Write[]> {
  if (lists.length <= room) return lists;
  await writeBatch(lists.filter((list) => 'put' in list));
  return lists.filter((list) => !('put' in list));
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
