import type HLS from 'hls-parser';
import { readPlaylist } from './read-playlist.ts';
import type { ReadRendition } from './read-rendition.ts';
import { fileName, type Rendition, type Report } from './rendition.ts';

/** A media playlist and the rendition of its segments. */
export type MediaPlaylist = {
  url: URL;
  targetSeconds: number;
  rendition: Rendition;
  isDated: boolean;
  /** the sum of the listed durations */
  seconds: number;
  /** the last segment is shorter than listed */
  isLengthened: boolean;
};

/** Playlists have six decimals. */
const rounding = 1e-5;
/** MPEG-TS times are in 1/90,000 s, and the playlists of MPEG-TS segments in 1/1000 s. */
const transportRounding = 2e-3;

/** Players that add up durations ignore less than a microsecond. */
const lengthRounding = 5e-7;

/** Checks a media playlist against its segments. */
export async function checkMediaPlaylist(
  url: URL,
  read: ReadRendition,
  report: Report,
): Promise<MediaPlaylist | undefined> {
  const wrong = (what: string): void => report(fileName(url), what);
  const playlist = await parse(url, wrong);
  if (!playlist) return undefined;
  if (playlist.isIFrame) wrong('is an I-frame playlist instead of a media playlist');
  checkHead(playlist, wrong);
  const rendition = await readListed(playlist, url, read);
  if (!rendition) return undefined;
  const tolerance = playlist.segments[0]?.map ? rounding : transportRounding;
  const isLengthened = checkDurations(playlist, rendition, tolerance, wrong);
  return { ...propertiesOf(playlist), url, rendition, isLengthened };
}

const propertiesOf = ({ segments, targetDuration }: HLS.types.MediaPlaylist) => ({
  targetSeconds: targetDuration,
  isDated: segments[0]?.programDateTime !== undefined,
  seconds: segments.reduce((sum, { duration }) => sum + duration, 0),
});

/** Returns whether the last segment is shorter than listed, which is right if another playlist is longer. */
function checkDurations(
  { segments }: HLS.types.MediaPlaylist,
  rendition: Rendition,
  tolerance: number,
  wrong: (what: string) => void,
): boolean {
  let excess = 0;
  for (const [index, { duration, uri }] of segments.entries()) {
    const segment = rendition.segments[index];
    if (!segment) continue;
    excess = duration - segment.durationSeconds;
    const isLast = index === segments.length - 1;
    if (isLast ? excess < -tolerance : Math.abs(excess) > tolerance) {
      wrong(`${uri} lasts ${segment.durationSeconds} s, not ${duration}`);
    }
  }
  return excess > tolerance;
}

/** Shaka Player does not end after a switch to a shorter playlist, nor if those with dates differ at all. */
export function checkLengths(playlists: MediaPlaylist[], report: Report): void {
  for (const playlist of playlists) {
    const alike = playlists.filter(({ isDated, rendition }) => isDated || rendition.kind === playlist.rendition.kind);
    const longest = Math.max(...alike.map(({ seconds }) => seconds));
    if (longest - playlist.seconds > lengthRounding) {
      report(fileName(playlist.url), `lasts ${playlist.seconds} s, and another playlist ${longest} s`);
    }
    if (alike.every(({ isLengthened }) => isLengthened)) {
      report(fileName(playlist.url), 'lists a longer duration of its last segment than any playlist needs');
    }
  }
}

/** Checks that each byte range of an I-frame playlist is exactly the bytes that a decoder needs for the key frame. */
export async function checkIFramePlaylist(
  url: URL,
  read: ReadRendition,
  report: Report,
): Promise<MediaPlaylist | undefined> {
  const wrong = (what: string): void => report(fileName(url), what);
  const playlist = await parse(url, wrong);
  if (!playlist) return undefined;
  if (!playlist.isIFrame) wrong('has no EXT-X-I-FRAMES-ONLY');
  checkHead(playlist, wrong);
  const rendition = await readListed(playlist, url, read);
  if (!rendition) return undefined;
  for (const [index, { uri, byterange }] of playlist.segments.entries()) {
    const segment = rendition.segments[index];
    if (!segment) continue;
    if (byterange?.offset !== 0 || byterange.length !== segment.keyFrameEnd) {
      const range = byterange ? `${byterange.length}@${byterange.offset}` : 'the whole segment';
      wrong(`the key frame of ${uri} is ${segment.keyFrameEnd}@0, not ${range}`);
    }
  }
  const isLengthened = checkDurations(playlist, rendition, rounding, (what) => wrong(`the key frame of ${what}`));
  return { ...propertiesOf(playlist), url, rendition, isLengthened };
}

async function parse(url: URL, wrong: (what: string) => void): Promise<HLS.types.MediaPlaylist | undefined> {
  const playlist = await readPlaylist(url, wrong);
  if (!playlist?.isMasterPlaylist) return playlist;
  wrong('is a master playlist instead of a media playlist');
  return undefined;
}

function checkHead(
  { segments, endlist, playlistType, targetDuration }: HLS.types.MediaPlaylist,
  wrong: (what: string) => void,
): void {
  if (segments.length === 0) wrong('has no segment');
  if (!endlist || playlistType !== 'VOD') wrong('has no EXT-X-ENDLIST or is not of the type VOD');
  for (const { duration, uri, discontinuity } of segments) {
    // RFC 8216, 4.3.3.1: rounded to the nearest second
    if (Math.round(duration) > targetDuration)
      wrong(`${uri} is longer than the target duration of ${targetDuration} s`);
    if (!(duration > 0)) wrong(`${uri} lasts ${duration} s`);
    if (discontinuity) wrong(`${uri} has a discontinuity`);
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
