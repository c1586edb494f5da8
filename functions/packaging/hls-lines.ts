/** The text of a playlist. Empty without lines. */
export const hlsLines = (lines: string[]): string => lines.map((line) => `${line}\n`).join('');

/**
 * When a track starts, in seconds of the output clock, as a date from 1970 on. Video starts up to a frame later than
 * audio, since its frames keep their times. Shaka Player starts all tracks at the same time unless their playlists have
 * dates. If one playlist has a date, all of its output must have one (RFC 8216, 6.2.4).
 */
export const startDateTag = (startSeconds: number): string =>
  `#EXT-X-PROGRAM-DATE-TIME:${new Date(Math.round(startSeconds * 1000)).toISOString()}`;

/** Smaller differences are those of clocks. */
const leastDifferenceSeconds = 0.001;

/** Whether the playlists of tracks that start then need dates. */
export const needsStartDates = (startSeconds: readonly number[]): boolean =>
  Math.max(...startSeconds) - Math.min(...startSeconds) >= leastDifferenceSeconds;

export const durationTag = '#EXTINF:';

/** The lines of one media segment. */
export const mediaSegmentLines = (segment: { path: string; durationSeconds: number }): string[] => [
  `${durationTag}${segment.durationSeconds.toFixed(6)},`,
  encodeURI(segment.path),
];

/** A line with the attributes that have a value. */
export function hlsTag(name: string, attributes: Record<string, string | undefined>): string {
  const present = Object.entries(attributes).filter(([, value]) => value !== undefined);
  return `#${name}:${present.map(([key, value]) => `${key}=${value}`).join(',')}`;
}

/** Attribute strings cannot be escaped, so quotes and control characters are removed. */
export function quoted(text: string): string {
  return `"${text.replace(/["\p{Cc}\u2028\u2029]/gu, '')}"`;
}
