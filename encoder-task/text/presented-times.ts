import type { MovieTrack } from '../isobmff/track.ts';
import type { TextPacket } from './text-packets.ts';

type Shown = Pick<TextPacket, 'startSeconds' | 'durationSeconds'>;

/**
 * When a text of an MP4 is presented, from its time in the media of its track: once in each edit that has a part of it
 * (ISO/IEC 14496-12, 8.6.6). FFmpeg is not used for this, because it lets an edit of a text track start with a whole
 * text.
 */
export function presentedTimes({ edits, timescale }: Pick<MovieTrack, 'edits' | 'timescale'>, shown: Shown): Shown[] {
  if (edits.length === 0) return [shown];
  const endSeconds = shown.startSeconds + (shown.durationSeconds ?? Number.POSITIVE_INFINITY);
  const presented: Shown[] = [];
  let editStart = 0;
  for (const { mediaTime, segmentDuration } of edits) {
    // In fragmented files the duration of the last edit may be 0: it lasts until the end.
    const editSeconds = segmentDuration === 0 ? Number.POSITIVE_INFINITY : segmentDuration / timescale;
    if (mediaTime !== -1) {
      const mediaStart = mediaTime / timescale;
      const [from, to] = [Math.max(shown.startSeconds, mediaStart), Math.min(endSeconds, mediaStart + editSeconds)];
      if (from < to) {
        const durationSeconds = Number.isFinite(to) ? to - from : null;
        presented.push({ startSeconds: editStart + from - mediaStart, durationSeconds });
      }
    }
    editStart += editSeconds;
  }
  return presented;
}
