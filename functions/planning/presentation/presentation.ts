import type { ProbeResult } from '../../../shared/protocol/probe-result.ts';
import type { Variants } from '../plan-tracks.ts';
import type { Presentation } from '../video/frame-grid.ts';
import { videoSpan } from '../video/rung-groups.ts';

/** A track that is encoded, and the source times between which it has pictures or sound. */
export type EncodedSpan = {
  kind: 'video' | 'audio';
  streamIndex: number;
  isStill?: boolean;
  startSeconds: number;
  endSeconds: number;
};

/** The tracks of the source that are encoded, each once. */
export function encodedSpans({ video: track }: Pick<ProbeResult, 'video'>, { video, audio }: Variants): EncodedSpan[] {
  const rungs = video.map(({ item }) => item);
  const tracks = new Map(audio.map(({ item }) => [item.track.streamIndex, item.track]));
  return [
    ...(track && rungs.length > 0
      ? [
          {
            kind: 'video' as const,
            streamIndex: track.streamIndex,
            isStill: track.frameCount === 1,
            ...videoSpan(track, rungs),
          },
        ]
      : []),
    ...[...tracks.values()].map(({ streamIndex, startSeconds, durationSeconds }) => ({
      kind: 'audio' as const,
      streamIndex,
      startSeconds,
      endSeconds: startSeconds + durationSeconds,
    })),
  ];
}

/**
 * From the earliest start to the latest end of all tracks that are encoded. Every rendition covers all of it: players
 * stop, or wait forever, where one of two renditions ends. Null when nothing is encoded.
 */
export function presentationOf(spans: EncodedSpan[]): Presentation | null {
  if (spans.length === 0) return null;
  const originSeconds = Math.min(...spans.map(({ startSeconds }) => startSeconds));
  return { originSeconds, durationSeconds: Math.max(...spans.map(({ endSeconds }) => endSeconds)) - originSeconds };
}

/** Encoders of sound fill the last packet, and cameras start and stop sound and picture at slightly different times. */
const longestTailSeconds = 0.1;

/**
 * The presentation with a copied video, which has no frames that hold a picture: that of the video where sound is only
 * a few packets longer. Otherwise hardly any video could be copied.
 */
export function presentationOfVideo(spans: EncodedSpan[], presentation: Presentation): Presentation {
  const video = spans.find(({ kind }) => kind === 'video');
  if (!video) return presentation;
  const { startSeconds: originSeconds, endSeconds } = video;
  const durationSeconds = endSeconds - originSeconds;
  const beforeSeconds = originSeconds - presentation.originSeconds;
  const afterSeconds = presentation.durationSeconds - durationSeconds - beforeSeconds;
  return Math.max(beforeSeconds, afterSeconds) < longestTailSeconds ? { originSeconds, durationSeconds } : presentation;
}
