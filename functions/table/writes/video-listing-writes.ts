import { wordsOf } from '../../common/name-words.ts';
import { sha256 } from '../../common/secret.ts';
import type { Write } from '../items/items.ts';
import { type Key, keys } from '../items/keys.ts';
import type { Video } from '../records.ts';
import { videoPosition } from './video-writes.ts';

type Listed = Pick<Video, 'ulid' | 'ownerUlid' | 'name' | 'templateId' | 'externalUserId' | 'tags' | 'createdAt'>;

/** What stands for an external user id in a key: the id is text of the client. As JSON, null differs from 'null'. */
export const externalUserKey = (externalUserId: string | null): string => sha256(JSON.stringify(externalUserId));

/** What stands for a tag in the key of a listed video: a tag may have the character that ends it there. */
export const tagKey = (tag: string): string => sha256(tag);

/**
 * Changes the lists by word, template, external user and tag that a video is in, from those of one state to those of
 * another: undefined before it is created and after it is deleted. At most 34 items in each state. The transaction has
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
  const { ownerUlid, name, templateId, externalUserId, tags = [] } = video;
  const position = videoPosition(video);
  return [
    ...wordsOf(name).map((word) => keys.listed(ownerUlid, 'WORD', word, position)),
    keys.listed(ownerUlid, 'TEMPLATE', String(templateId), position),
    keys.listed(ownerUlid, 'EXTERNAL', externalUserKey(externalUserId), position),
    ...tags.map((tag) => keys.listed(ownerUlid, 'TAG', tagKey(tag), position)),
  ];
}

/** Counts the tags of an owner's videos, as `listingChanges` lists the videos. At most 32 items. */
export function tagCounts(before: Tagged | undefined, after: Tagged | undefined): Write[] {
  const isSameOwner = before?.ownerUlid === after?.ownerUlid;
  const kept = (tag: string, other: Tagged | undefined): boolean => isSameOwner && (other?.tags ?? []).includes(tag);
  const counted = (video: Tagged | undefined, other: Tagged | undefined, videos: 1 | -1): Write[] =>
    (video?.tags ?? [])
      .filter((tag) => !kept(tag, other))
      .map((tag) => ({
        update: keys.tag(video!.ownerUlid, tag),
        set: { kind: 'tag' },
        add: { videos },
      }));
  return [...counted(before, after, -1), ...counted(after, before, 1)];
}

type Tagged = Pick<Video, 'ownerUlid' | 'tags'>;

const textOf = ({ pk, sk }: Key): string => `${pk}\n${sk}`;
