import type { VideoCodec } from '../../shared/media/codecs.ts';
import type { Rung } from '../../shared/protocol/encode-spec.ts';
import { estimatedCpuSeconds, seekCpuSeconds } from '../planning/estimated-cpu-seconds.ts';
import type { PhasedGroup } from '../planning/video/phases.ts';

export type Range = { min: number; max: number };

/**
 * Measured CPU seconds relative to the planner's estimate. The contents of a video change them more than anything else:
 * the lower bounds are near those of filmed 720p, the upper ones near those of the generated noise of docs/cost.md.
 */
const measuredRatio: Record<VideoCodec, Range> = {
  h264: { min: 0.3, max: 2.7 },
  hevc: { min: 0.4, max: 1.1 },
  vp9: { min: 0.35, max: 1.1 },
  av1: { min: 0.6, max: 1.4 },
};

/** A first pass takes as long as the second at most. */
const passes = (rung: Rung): Range => ({ min: 1, max: rung.rate.mode === 'bitrate' && rung.rate.twoPass ? 2 : 1 });

/** CPU seconds of one minute of one audio rendition. */
const audioSecondsPerMinute: Range = { min: 0.5, max: 3.5 };
/** CPU seconds of the probe, and of the job that makes poster and sprite, without images and preview. */
const smallJobSeconds: Range = { min: 0.3, max: 5 };

export type CpuWork = {
  groups: (Pick<PhasedGroup, 'grid' | 'rungs' | 'startFrame' | 'endFrame'> & { chunks: number })[];
  audioRenditions: number;
  hasThumbnails: boolean;
  /** for images and the preview */
  seeks: number;
  durationSeconds: number;
};

/** The CPU seconds of all jobs of a video, without remuxing. */
export function cpuRange({ groups, audioRenditions, hasThumbnails, seeks, durationSeconds }: CpuWork): Range {
  const audioMinutes = (audioRenditions * durationSeconds) / 60;
  const smallJobs = hasThumbnails ? 2 : 1;
  return sum([
    ...groups.map(groupRange),
    scaled(audioSecondsPerMinute, audioMinutes),
    scaled(smallJobSeconds, smallJobs),
    scaled(seekCpuSeconds, seeks),
  ]);
}

/** The estimate is linear in frames and rungs, so it needs no sum over the chunks. */
function groupRange({ grid, rungs, startFrame, endFrame, chunks }: CpuWork['groups'][number]): Range {
  const frames = { startFrame, endFrame };
  if (rungs.every(({ copied }) => copied)) {
    const seconds = estimatedCpuSeconds(frames, grid, rungs);
    return { min: seconds, max: seconds };
  }
  const startUpSeconds = estimatedCpuSeconds({ startFrame: 0, endFrame: 0 }, grid, []);
  const decodeSeconds = estimatedCpuSeconds(frames, grid, []) + (chunks - 1) * startUpSeconds;
  const encodes = rungs.map((rung) => {
    const seconds = estimatedCpuSeconds(frames, grid, [inOnePass(rung)]) - estimatedCpuSeconds(frames, grid, []);
    const ratio = measuredRatio[rung.codec];
    return scaled({ min: ratio.min * passes(rung).min, max: ratio.max * passes(rung).max }, seconds);
  });
  return sum([{ min: decodeSeconds, max: decodeSeconds }, ...encodes]);
}

const inOnePass = (rung: Rung): Rung =>
  rung.rate.mode === 'bitrate' ? { ...rung, rate: { ...rung.rate, twoPass: false } } : rung;

const scaled = ({ min, max }: Range, factor: number): Range => ({ min: min * factor, max: max * factor });

const sum = (ranges: Range[]): Range =>
  ranges.reduce((total, { min, max }) => ({ min: total.min + min, max: total.max + max }), { min: 0, max: 0 });
