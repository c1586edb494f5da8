import { hasWords } from '../../common/name-words.ts';
import type { VideoStatus } from '../../contracts/statuses.ts';
import type { Video } from '../records.ts';
import { externalUserKey } from '../writes/video-listing-writes.ts';
import { type FindCandidates, findAll, findByStatus, findListed } from './candidates.ts';
import { findByWord } from './word-candidates.ts';

export type VideoFilter = {
  status?: VideoStatus | undefined;
  templateId?: number | undefined;
  /** null: videos without one */
  externalUserId?: string | null | undefined;
  /** beginnings of words of the name, as `wordsOf` makes them */
  words?: readonly string[] | undefined;
};

export const matchesFilter = (video: Video, { status, templateId, externalUserId, words }: VideoFilter): boolean =>
  (status === undefined || video.status === status) &&
  (templateId === undefined || video.templateId === templateId) &&
  (externalUserId === undefined || video.externalUserId === externalUserId) &&
  (words === undefined || hasWords(video.name, words));

/** Whether the candidates of a filter are all matches, because they are listed by its only condition. */
export const isListed = ({ words = [], ...others }: VideoFilter): boolean =>
  Object.values(others).filter((value) => value !== undefined).length + words.length <= 1;

/** Finds the candidates of a filter in the list that is likely the shortest of those that have all its matches. */
export function candidatesOf(
  ownerUlid: string,
  { status, templateId, externalUserId, words = [] }: VideoFilter,
): FindCandidates {
  if (externalUserId !== undefined) return findListed(ownerUlid, 'EXTERNAL', externalUserKey(externalUserId));
  // Most videos are completed; few have another status.
  if (status !== undefined && status !== 'completed') return findByStatus(ownerUlid, status);
  const [longest] = words.toSorted((a, b) => b.length - a.length);
  if (longest !== undefined) return findByWord(ownerUlid, longest);
  if (templateId !== undefined) return findListed(ownerUlid, 'TEMPLATE', String(templateId));
  return status === undefined ? findAll(ownerUlid) : findByStatus(ownerUlid, status);
}
