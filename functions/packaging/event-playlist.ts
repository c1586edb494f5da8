import { durationTag, hlsLines, mediaSegmentLines, startDateTag } from './hls-lines.ts';

/** A segment of a running playlist. `path` is relative to the playlist. */
export type ListedSegment = { path: string; durationSeconds: number };

/** A media playlist that grows while its track is encoded. */
export type EventPlaylist = {
  /** how many segments are listed, and how long they play */
  count: number;
  seconds: number;
  /** no more segments will be added */
  isEnded: boolean;
};

const typeTag = '#EXT-X-PLAYLIST-TYPE:EVENT';
const endTag = '#EXT-X-ENDLIST';

/**
 * Players start three target durations before the end of a growing playlist unless it says where to start. Shaka
 * ignores an offset of 0.
 */
export const startTag = '#EXT-X-START:TIME-OFFSET=0.01,PRECISE=YES';

/**
 * A growing playlist without segments. Segments are only ever added to it (RFC 8216, 4.3.3.5).
 * @param targetSeconds of the longest segment, rounded
 * @param datedSeconds when the track starts, if the playlists of the output have dates
 */
export const emptyEventPlaylist = ({
  targetSeconds,
  datedSeconds,
  initPath,
}: {
  targetSeconds: number;
  datedSeconds?: number | undefined;
  initPath: string;
}): string =>
  hlsLines([
    '#EXTM3U',
    '#EXT-X-VERSION:7',
    '#EXT-X-INDEPENDENT-SEGMENTS',
    `#EXT-X-TARGETDURATION:${targetSeconds}`,
    '#EXT-X-MEDIA-SEQUENCE:0',
    typeTag,
    startTag,
    `#EXT-X-MAP:URI="${encodeURI(initPath)}"`,
    ...(datedSeconds === undefined ? [] : [startDateTag(datedSeconds)]),
  ]);

export const addSegments = (playlist: string, segments: ListedSegment[]): string =>
  playlist + hlsLines(segments.flatMap(mediaSegmentLines));

/** Players stop reloading an ended playlist, and know the duration. */
export const endPlaylist = (playlist: string): string => playlist + hlsLines([endTag]);

/** What a stored playlist says. Undefined when it is not a growing one: the output is packaged. */
export function readEventPlaylist(playlist: string): EventPlaylist | undefined {
  const lines = playlist.split('\n');
  if (!lines.includes(typeTag)) return undefined;
  const durations = lines.filter((line) => line.startsWith(durationTag)).map((line) => line.slice(durationTag.length));
  const seconds = durations.reduce((sum, duration) => sum + Number.parseFloat(duration), 0);
  return { count: durations.length, seconds, isEnded: lines.includes(endTag) };
}
