import { posix } from 'node:path';
import { growingCacheControl } from '../../delivery/urls/delivered-headers.ts';
import { contentTypeOf } from '../../shared/media/content-types.ts';
import { readText, replaceText } from '../aws/object-store.ts';
import {
  addSegments,
  type EventPlaylist,
  emptyEventPlaylist,
  endPlaylist,
  readEventPlaylist,
} from '../packaging/event-playlist.ts';
import type { AvailableSegment } from './available-segments.ts';

/** A growing media playlist as it is stored. */
export type StoredPlaylist = EventPlaylist & { key: string; body: string; etag: string };

/** Undefined when there is none, or another kind of playlist: then the output is packaged. */
export async function findGrowingPlaylist(key: string): Promise<StoredPlaylist | undefined> {
  const stored = await readText(key);
  const read = stored && readEventPlaylist(stored.body);
  return read && { key, ...stored, ...read };
}

/**
 * Adds segments to a growing playlist, and ends it when `isEnd`. False when the stored one has changed since it was
 * read: packaging replaces it, and then it must not be written any more.
 */
export async function extendPlaylist(
  playlist: StoredPlaylist,
  segments: AvailableSegment[],
  isEnd: boolean,
): Promise<boolean> {
  if (playlist.isEnded || (segments.length === 0 && !isEnd)) return true;
  return writeGrowing(playlist.key, playlist.etag, bodyWith(playlist, segments, isEnd));
}

/** Starts a growing playlist. `replaced` is one of an earlier execution that has failed. */
export async function startPlaylist(
  key: string,
  replaced: StoredPlaylist | undefined,
  start: {
    targetSeconds: number;
    datedSeconds: number | undefined;
    initKey: string;
    segments: AvailableSegment[];
    isEnd: boolean;
  },
): Promise<boolean> {
  const { initKey, segments, isEnd, ...times } = start;
  const body = emptyEventPlaylist({ ...times, initPath: posix.relative(posix.dirname(key), initKey) });
  return writeGrowing(key, replaced?.etag, bodyWith({ key, body }, segments, isEnd));
}

function bodyWith(
  { key, body }: Pick<StoredPlaylist, 'key' | 'body'>,
  segments: AvailableSegment[],
  isEnd: boolean,
): string {
  const folder = posix.dirname(key);
  const listed = segments.map((segment) => ({ ...segment, path: posix.relative(folder, segment.key) }));
  const extended = addSegments(body, listed);
  return isEnd ? endPlaylist(extended) : extended;
}

/** Writes a playlist that is about to change, in place of the one with this ETag. */
export const writeGrowing = (key: string, etag: string | undefined, body: string): Promise<boolean> =>
  replaceText(key, etag, { body, contentType: contentTypeOf(key), cacheControl: growingCacheControl });
