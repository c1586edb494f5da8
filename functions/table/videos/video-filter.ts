import { hasWords, isTranscriptWord } from '../../common/name-words.ts';
import type { VideoStatus } from '../../contracts/statuses.ts';
import type { Video } from '../records.ts';
import { externalUserKey, tagKey } from '../writes/video-listing-writes.ts';
import { type FindCandidates, findAll, findByStatus, findListed } from './candidates.ts';
import { byNumberOfVideos } from './tag-table.ts';
import { findByWord, findInAny } from './word-candidates.ts';

export type VideoFilter = {
  status?: VideoStatus | undefined;
  templateId?: number | undefined;
  /** null: videos without one */
  externalUserId?: string | null | undefined;
  /** a video must have all of them */
  tags?: readonly string[] | undefined;
  /** beginnings of words of the name, as `wordsOf` makes them */
  words?: readonly string[] | undefined;
  /** the words may be those of the captions too */
  inTranscript?: boolean | undefined;
};

/** @param spoken words of the video's captions */
export const matchesFilter = (
  video: Video,
  { status, templateId, externalUserId, tags, words }: VideoFilter,
  spoken?: readonly string[],
): boolean =>
  (status === undefined || video.status === status) &&
  (templateId === undefined || video.templateId === templateId) &&
  (externalUserId === undefined || video.externalUserId === externalUserId) &&
  (tags === undefined || tags.every((tag) => video.tags?.includes(tag) === true)) &&
  (words === undefined || hasWords(video.name, words, spoken));

/** Whether the candidates of a filter are all matches, because they are listed by its only condition. */
export const isListed = ({ words = [], tags = [], inTranscript: _, ...others }: VideoFilter): boolean =>
  Object.values(others).filter((value) => value !== undefined).length + words.length + tags.length <= 1;

/** Finds the candidates of a filter in the list that is likely the shortest of those that have all its matches. */
export async function candidatesOf(
  ownerUlid: string,
  { status, templateId, externalUserId, tags = [], words = [], inTranscript: isInTranscript = false }: VideoFilter,
): Promise<FindCandidates> {
  const [rarest] = tags.length > 1 ? await byNumberOfVideos(ownerUlid, tags) : tags;
  if (rarest !== undefined) return findListed(ownerUlid, 'TAG', tagKey(rarest));
  if (externalUserId !== undefined) return findListed(ownerUlid, 'EXTERNAL', externalUserKey(externalUserId));
  // Most videos are completed; few have another status.
  if (status !== undefined && status !== 'completed') return findByStatus(ownerUlid, status);
  const [longest] = words.toSorted((a, b) => b.length - a.length);
  if (longest !== undefined) {
    const named = findByWord(ownerUlid, 'WORD', longest);
    if (!isInTranscript || !isTranscriptWord(longest)) return named;
    return findInAny([named, findByWord(ownerUlid, 'SPOKEN', longest)]);
  }
  if (templateId !== undefined) return findListed(ownerUlid, 'TEMPLATE', String(templateId));
  return status === undefined ? findAll(ownerUlid) : findByStatus(ownerUlid, status);
}
