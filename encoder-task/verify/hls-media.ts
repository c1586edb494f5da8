import type HLS from 'hls-parser';
import { readPlaylist } from './read-playlist.ts';
import type { ReadRendition } from './read-rendition.ts';
import { fileName, type Rendition, type Report } from './rendition.ts';

/** A media playlist that could be read, with what it lists. */
export type MediaPlaylist = { url: URL; targetSeconds: number; rendition: Rendition };

/** Playlists write six decimals. */
const rounding = 1e-5;
/** Transport streams carry times in 1/90,000 s, and our playlists of them in 1/1000 s. */
const transportRounding = 2e-3;

/** Checks a media playlist against the files it lists. */
export async function checkMediaPlaylist(
  url: URL,
  read: ReadRendition,
  report: Report,
): Promise<MediaPlaylist | undefined> {
  const wrong = (what: string): void => report(fileName(url), what);
  const playlist = await parse(url, wrong);
  if (!playlist) return undefined;
  if (playlist.isIFrame) wrong('lists key frames, where whole segments are needed');
  checkHead(playlist, wrong);
  const rendition = await readListed(playlist, url, read);
  if (!rendition) return undefined;
  const tolerance = playlist.segments[0]?.map ? rounding : transportRounding;
  for (const [index, { duration, uri }] of playlist.segments.entries()) {
    const facts = rendition.segments[index];
    if (facts && Math.abs(duration - facts.durationSeconds) > tolerance) {
      wrong(`${uri} lasts ${facts.durationSeconds} s, not ${duration}`);
    }
  }
  return { url, targetSeconds: playlist.targetDuration, rendition };
}

/** Checks that a key frame playlist's byte ranges are all that a decoder needs of a key frame, and no more. */
export async function checkKeyFramePlaylist(
  url: URL,
  read: ReadRendition,
  report: Report,
): Promise<MediaPlaylist | undefined> {
  const wrong = (what: string): void => report(fileName(url), what);
  const playlist = await parse(url, wrong);
  if (!playlist) return undefined;
  if (!playlist.isIFrame) wrong('does not say that it lists key frames only');
  checkHead(playlist, wrong);
  const rendition = await readListed(playlist, url, read);
  if (!rendition) return undefined;
  for (const [index, { duration, uri, byterange }] of playlist.segments.entries()) {
    const facts = rendition.segments[index];
    if (!facts) continue;
    if (byterange?.offset !== 0 || byterange.length !== facts.keyFrameEnd) {
      const range = byterange ? `${byterange.length}@${byterange.offset}` : 'all of it';
      wrong(`the key frame of ${uri} is ${facts.keyFrameEnd}@0, not ${range}`);
    }
    if (Math.abs(duration - facts.durationSeconds) > rounding) {
      wrong(`the key frame of ${uri} stands for ${facts.durationSeconds} s, not ${duration}`);
    }
  }
  return { url, targetSeconds: playlist.targetDuration, rendition };
}

async function parse(url: URL, wrong: (what: string) => void): Promise<HLS.types.MediaPlaylist | undefined> {
  const playlist = await readPlaylist(url, wrong);
  if (!playlist?.isMasterPlaylist) return playlist;
  wrong('is a master playlist, not one of media');
  return undefined;
}

function checkHead(
  { segments, endlist, playlistType, targetDuration }: HLS.types.MediaPlaylist,
  wrong: (what: string) => void,
): void {
  if (segments.length === 0) wrong('lists nothing');
  if (!endlist || playlistType !== 'VOD') wrong('does not say that it is whole');
  for (const { duration, uri, discontinuity } of segments) {
    // RFC 8216, 4.3.3.1: rounded to the nearest second
    if (Math.round(duration) > targetDuration)
      wrong(`${uri} is longer than the target duration of ${targetDuration} s`);
    if (!(duration > 0)) wrong(`${uri} lasts ${duration} s`);
    if (discontinuity) wrong(`${uri} does not follow on`);
  }
}

function readListed(
  { segments }: HLS.types.MediaPlaylist,
  url: URL,
  read: ReadRendition,
): Promise<Rendition | undefined> {
  const map = segments[0]?.map?.uri;
  return read(
    map ? new URL(map, url) : null,
    segments.map(({ uri }) => new URL(uri, url)),
  );
}
