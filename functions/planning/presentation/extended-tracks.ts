import type { Decision } from '../../../shared/protocol/decisions.ts';
import type { Presentation } from '../video/frame-grid.ts';
import type { EncodedSpan } from './presentation.ts';

/** Frames, and packets of sound, end at different times in most files. */
const leastDecisionSeconds = 0.1;
/** A longer gap is likely to be a mistake of the uploader. */
const leastWarningSeconds = 1;

type Side = 'start' | 'end';
type Extension = { kind: EncodedSpan['kind']; isStill: boolean; streams: number[]; side: Side; seconds: number };

/** What is added to tracks that are shorter than the presentation. Those that lack the same time are named together. */
export function extendedTracks(
  spans: EncodedSpan[],
  presentation: Presentation,
): { decisions: Decision[]; warnings: string[] } {
  const all = joined(spans.flatMap((span) => extensionsOf(span, presentation)));
  return {
    decisions: all.map((extension) => {
      const { kind: track, streams, side, seconds } = extension;
      return { code: 'track_extended', message: sentence(extension, spans), facts: { track, streams, side, seconds } };
    }),
    warnings: all.filter(({ seconds }) => seconds > leastWarningSeconds).map((extension) => sentence(extension, spans)),
  };
}

function extensionsOf(span: EncodedSpan, { originSeconds, durationSeconds }: Presentation): Extension[] {
  const { kind, isStill = false, streamIndex, startSeconds, endSeconds } = span;
  const gaps = { start: startSeconds - originSeconds, end: originSeconds + durationSeconds - endSeconds };
  return (['start', 'end'] as const)
    .filter((side) => gaps[side] >= leastDecisionSeconds)
    .map((side) => ({ kind, isStill, streams: [streamIndex], side, seconds: Math.round(gaps[side] * 10) / 10 }));
}

const joined = (extensions: Extension[]): Extension[] =>
  [...Map.groupBy(extensions, ({ kind, side, seconds }) => [kind, side, seconds].join()).values()].map((same) => ({
    ...same[0]!,
    streams: same.flatMap(({ streams }) => streams),
  }));

function sentence({ kind, streams, side, seconds, isStill }: Extension, spans: EncodedSpan[]): string {
  const gap = `${seconds.toFixed(1)} s`;
  if (isStill) return `The video is one picture: it is shown for ${gap} more, as long as the audio.`;
  const [track, added] = kind === 'audio' ? [audioName(streams, spans), silence] : ['The video', held];
  const other = referenceOf(kind, side, spans);
  return side === 'start'
    ? `${track} starts ${gap} after ${other}: ${added.start}.`
    : `${track} ends ${gap} before ${other}: ${added.end}.`;
}

const silence = { start: 'it begins with silence', end: 'it continues with silence' };
const held = { start: 'its first picture is shown until then', end: 'its last picture is held' };

function audioName(streams: number[], spans: EncodedSpan[]): string {
  if (spans.filter(({ kind }) => kind === 'audio').length === streams.length) return 'The audio';
  return `The audio of ${streams.length > 1 ? 'streams' : 'stream'} ${streams.slice(0, maxNamed).join(', ')}`;
}

/** A sentence has at most 300 characters, and a file may have 64 tracks. The facts have all of them. */
const maxNamed = 10;

/** What the track is compared with: the one that defines this side of the presentation. */
function referenceOf(kind: EncodedSpan['kind'], side: Side, spans: EncodedSpan[]): string {
  const reference =
    side === 'start'
      ? spans.reduce((first, span) => (span.startSeconds < first.startSeconds ? span : first))
      : spans.reduce((last, span) => (span.endSeconds > last.endSeconds ? span : last));
  if (reference.kind === 'video') return 'the video';
  return kind === 'video' && spans.filter((span) => span.kind === 'audio').length === 1
    ? 'the audio'
    : `the audio of stream ${reference.streamIndex}`;
}
