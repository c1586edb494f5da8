import { createHash } from 'node:crypto';
import { wordsOf } from '../../common/name-words.ts';
import type { Write } from '../items/items.ts';
import { type Key, keys } from '../items/keys.ts';
import type { Video } from '../records.ts';
import { videoPosition } from './video-writes.ts';

type Listed = Pick<Video, 'ulid' | 'ownerUlid' | 'name' | 'templateId' | 'externalUserId' | 'createdAt'>;

/** What stands for an external user id in a key: the id is text of the client. As JSON, null differs from 'null'. */
export const externalUserKey = (externalUserId: string | null): string =>
  createHash('sha256').update(JSON.stringify(externalUserId)).digest('hex');

/**
 * Changes the lists by word, template and external user that a video is in, from those of one state to those of
 * another: undefined before it is created and after it is deleted. At most 18 items in each state. The transaction has
 * to check that the video is as it was read.
 */
export function listingChanges(before: Listed | undefined, after: Listed | undefined): Write[] {
  const present = new Map(keysOf(before).map((key) => [textOf(key), key]));
  const wanted = new Map(keysOf(after).map((key) => [textOf(key), key]));
  return [
    ...[...present].filter(([text]) => !wanted.has(text)).map(([, key]): Write => ({ delete: key })),
    ...[...wanted]
      .filter(([text]) => !present.has(text))
      .map(([, key]): Write => ({ put: { ...key, kind: 'listed', ulid: after?.ulid } })),
  ];
}

function keysOf(video: Listed | undefined): Key[] {
  if (!video) return [];
  const { ownerUlid, name, templateId, externalUserId } = video;
  const position = videoPosition(video);
  return [
    ...wordsOf(name).map((word) => keys.listed(ownerUlid, 'WORD', word, position)),
    keys.listed(ownerUlid, 'TEMPLATE', String(templateId), position),
    keys.listed(ownerUlid, 'EXTERNAL', externalUserKey(externalUserId), position),
  ];
}

const textOf = ({ pk, sk }: Key): string => `${pk}\n${sk}`;
