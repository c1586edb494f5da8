import type { Cue } from '../../../shared/captions/cue.ts';
import { serializeWebVtt } from '../../../shared/captions/web-vtt.ts';
import { hlsLines, mediaSegmentLines, startDateTag } from '../hls-lines.ts';
import type { SubtitleLayout } from './subtitle-layout.ts';

type SubtitleFile = { file: string; body: string };

export const subtitlePlaylistFile = 'subtitles.m3u8';

/**
 * The WebVTT segments of a text track and, as the last file, their playlist. A cue is in each segment during which it
 * is shown, so that a viewer who seeks sees it.
 */
export function subtitleFiles(cues: readonly Cue[], layout: SubtitleLayout): SubtitleFile[] {
  const segments = withinBudget(cues, layout.segments);
  const header = [`X-TIMESTAMP-MAP=MPEGTS:${wrapped(layout.clockStartTicks)},LOCAL:00:00:00.000`];
  const files = cuesBySegment(cues, segments).map((shown, index) => ({
    file: `${String(index).padStart(4, '0')}.vtt`,
    body: serializeWebVtt(shown, header),
  }));
  return [...files, { file: subtitlePlaylistFile, body: playlist(segments, files, layout) }];
}

/** Time stamps of MPEG-TS have 33 bits. */
const wrapped = (ticks: number): number => ((ticks % 2 ** 33) + 2 ** 33) % 2 ** 33;

type Segment = SubtitleLayout['segments'][number];

/** How many characters the copies of cues may have in all segments, beyond the cues themselves. */
const maxCopiedCharacters = 8 * 2 ** 20;
/** of the times of a cue */
const timingCharacters = 32;

/**
 * The segments, fewer where long cues would be in too many of them: ten thousand cues that are shown all the time would
 * be copied into each segment.
 */
function withinBudget(cues: readonly Cue[], segments: readonly Segment[]): readonly Segment[] {
  if (segments.length <= 1) return segments;
  const copies = (cue: Cue): number => lastShown(cue, segments) - firstShown(cue, segments);
  const copied = cues.reduce((sum, cue) => sum + copies(cue) * (cue.text.length + timingCharacters), 0);
  if (copied <= maxCopiedCharacters) return segments;
  const pairs = segments.flatMap((segment, index) =>
    index % 2 === 0 ? [{ startMs: segment.startMs, endMs: (segments[index + 1] ?? segment).endMs }] : [],
  );
  return withinBudget(cues, pairs);
}

function cuesBySegment(cues: readonly Cue[], segments: readonly Segment[]): Cue[][] {
  const shown: Cue[][] = segments.map(() => []);
  for (const cue of cues) {
    for (let index = firstShown(cue, segments); index <= lastShown(cue, segments); index++) shown[index]!.push(cue);
  }
  return shown;
}

/** The segment in which a cue begins; the first one for a cue before it. */
const firstShown = ({ startMs }: Cue, segments: readonly Segment[]): number => segmentAt(startMs, segments);

/** The segment in which a cue ends; the last one for a cue after it. */
const lastShown = ({ endMs }: Cue, segments: readonly Segment[]): number => segmentAt(endMs - 1, segments);

function segmentAt(timeMs: number, segments: readonly Segment[]): number {
  let [low, high] = [0, segments.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (segments[middle]!.startMs <= timeMs) low = middle;
    else high = middle - 1;
  }
  return low;
}

function playlist(segments: readonly Segment[], files: readonly SubtitleFile[], { isDated }: SubtitleLayout): string {
  const seconds = segments.map(({ startMs, endMs }) => (endMs - startMs) / 1000);
  return hlsLines([
    '#EXTM3U',
    '#EXT-X-VERSION:3',
    `#EXT-X-TARGETDURATION:${Math.max(1, Math.round(Math.max(...seconds)))}`,
    '#EXT-X-MEDIA-SEQUENCE:0',
    '#EXT-X-PLAYLIST-TYPE:VOD',
    ...(isDated ? [startDateTag(segments[0]!.startMs / 1000)] : []),
    ...files.flatMap(({ file: path }, index) => mediaSegmentLines({ path, durationSeconds: seconds[index]! })),
    '#EXT-X-ENDLIST',
  ]);
}
