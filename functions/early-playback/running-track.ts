import { renditionRange } from '../../shared/media/video-range.ts';
import { type PackagedTrack, renditionProperties } from '../job-results/packaged-track.ts';
import type { Plan } from '../planning/encoding-plan.ts';
import { typicalBitrateBps } from '../planning/video/ladder.ts';
import { frameSize } from '../planning/video/rungs.ts';
import { rungOf, type SegmentedTrack } from './track-parts.ts';

/** Peaks of constant quality over its usual bitrate. */
const peakFactor = 2;

/**
 * A track that is being encoded, for the multivariant playlist. Its bandwidth is the planned maximum, as one segment of
 * one second: sizes are known when the track is finished.
 */
export function runningTrack(plan: Plan, { name, kind }: SegmentedTrack, codecs: string): PackagedTrack {
  const base = { name, kind, codecs, timescale: 1, init: { path: '', bytes: 0 } };
  const oneSecond = (bitrateBps: number) => [
    { path: '', bytes: Math.ceil(bitrateBps / 8), startTicks: 0, durationTicks: 1 },
  ];
  if (kind === 'audio') {
    const rendition = plan.audio.find((one) => one.name === name)!;
    return { ...base, segments: oneSecond(rendition.bitrateBps), ...renditionProperties(rendition) };
  }
  const {
    rung,
    grid: { frameRate },
  } = rungOf(plan, name);
  const { rate, codec } = rung;
  const size = frameSize(rung);
  const maxBitrateBps =
    rate.maxBitrateBps ??
    peakFactor * typicalBitrateBps(size, { codec, frameRate, crf: rate.mode === 'crf' ? rate.crf : 0 });
  return {
    ...base,
    ...size,
    frameRate,
    sampleAspectRatio: rung.sampleAspectRatio,
    videoRange: plan.source ? renditionRange(plan.source, rung) : 'SDR',
    segments: oneSecond(maxBitrateBps),
  };
}
