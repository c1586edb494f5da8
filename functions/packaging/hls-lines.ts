/** The text of a playlist. Empty without lines. */
export const hlsLines = (lines: string[]): string => lines.map((line) => `${line}\n`).join('');

export const durationTag = '#EXTINF:';

/** The lines of one media segment. */
export const mediaSegmentLines = (segment: { path: string; durationSeconds: number }): string[] => [
  `${durationTag}${segment.durationSeconds.toFixed(6)},`,
  encodeURI(segment.path),
];
