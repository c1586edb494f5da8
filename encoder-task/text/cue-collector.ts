import { captionLimits } from '../../shared/captions/caption-limits.ts';
import type { Cue } from '../../shared/captions/cue.ts';
import { serializeCue } from '../../shared/captions/web-vtt.ts';

/** Source time in seconds that is 0 on the output clock, and the end of the output on that clock. */
export type OutputClock = { originSeconds: number; durationSeconds: number };

/** A text in seconds of the source. Without a duration it is shown until the next one. */
export type TimedText = { startSeconds: number; durationSeconds: number | null; text: string; settings?: string };

/** The cues of one track, or one sentence for the uploader that says why there are none. */
export type Collected = { cues: Cue[] } | { error: string };

type OpenCue = Omit<Cue, 'endMs'> & { endMs: number | null };

/**
 * Collects the cues of one track on the output clock. Texts that are not shown during the output are left out. A track
 * that exceeds the limits gets an error, and its cues are released.
 */
export function createCueCollector({ originSeconds, durationSeconds }: OutputClock): {
  add: (timed: TimedText) => void;
  addDamaged: () => void;
  /** whether the track has failed, so that nothing more of it is needed */
  hasFailed: () => boolean;
  finish: () => Collected;
} {
  let cues: OpenCue[] = [];
  let bytes = 0;
  let damaged = 0;
  let error: string | undefined;
  const durationMs = Math.round(durationSeconds * 1000);
  const fail = (reason: string): void => {
    error = reason;
    cues = [];
  };
  return {
    add: ({ startSeconds, durationSeconds: shownSeconds, text, settings = '' }) => {
      if (error !== undefined || text === '') return;
      const startMs = Math.round((startSeconds - originSeconds) * 1000);
      const endMs = shownSeconds === null ? null : Math.round((startSeconds + shownSeconds - originSeconds) * 1000);
      if (startMs >= Math.min(durationMs, captionLimits.maxTimeMs) || (endMs !== null && endMs <= 0)) return;
      const cue = { startMs: Math.max(0, startMs), endMs, settings, text };
      bytes += Buffer.byteLength(serializeCue({ ...cue, endMs: endMs ?? durationMs }));
      if (cues.length === captionLimits.maxCues) fail(tooManyCues);
      else if (bytes > captionLimits.maxFileBytes) fail(tooManyBytes);
      else cues.push(cue);
    },
    addDamaged: () => {
      damaged += 1;
    },
    hasFailed: () => error !== undefined,
    finish: () => {
      if (error !== undefined) return { error };
      const closed = closeCues(cues, durationMs);
      if (closed.length > 0) return { cues: closed };
      return { error: damaged > 0 ? allDamaged : noText };
    },
  };
}

const tooManyCues = `The text track has more than ${captionLimits.maxCues} cues. Upload a shorter WebVTT or SubRip file.`;
const tooManyBytes = `The text track is larger than ${captionLimits.maxFileBytes / 2 ** 20} MiB. Upload a smaller WebVTT or SubRip file.`;
const allDamaged = 'The text track is damaged: none of its texts can be read. Upload a WebVTT or SubRip file instead.';
const noText = 'The text track has no text that is shown during the video.';

/** In order of time, each once, with an end. */
function closeCues(open: OpenCue[], durationMs: number): Cue[] {
  const cues: Cue[] = [];
  const sorted = open.sort((a, b) => a.startMs - b.startMs);
  for (const [index, cue] of sorted.entries()) {
    const next = cue.endMs === null ? nextStart(sorted, index) : undefined;
    const endMs = Math.min(cue.endMs ?? next ?? durationMs, durationMs, captionLimits.maxTimeMs);
    const last = cues.at(-1);
    const isRepeated = last?.startMs === cue.startMs && last.endMs === endMs && last.text === cue.text;
    if (endMs > cue.startMs && !isRepeated) cues.push({ ...cue, endMs });
  }
  return cues;
}

function nextStart(sorted: OpenCue[], index: number): number | undefined {
  const { startMs } = sorted[index]!;
  for (let next = index + 1; next < sorted.length; next++) {
    if (sorted[next]!.startMs > startMs) return sorted[next]!.startMs;
  }
  return undefined;
}
