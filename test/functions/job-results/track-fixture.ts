import type { PackagedTrack } from '../../../functions/job-results/packaged-track.ts';

/** Segments of equal length from `startTicks`, two in each chunk folder. */
const segments = (name: string, bytes: number[], durationTicks: number, startTicks = 0) =>
  bytes.map((size, index) => ({
    path: `../r1/chunk-${index >> 1}/${name}/${String(index).padStart(5, '0')}.m4s`,
    bytes: size,
    startTicks: startTicks + index * durationTicks,
    durationTicks,
  }));

/** Four segments of 6.006 s at 29.97 frames per second. The third has the highest bit rate. */
export const videoTrack = (changes: Partial<PackagedTrack> = {}, startTicks = 0): PackagedTrack => {
  const name = changes.name ?? 'v720';
  return {
    name,
    kind: 'video',
    codecs: 'avc1.64001f',
    timescale: 30_000,
    init: { path: `../r1/chunk-0/${name}/init.mp4`, bytes: 800 },
    segments: segments(name, [600_600, 600_600, 750_750, 450_450], 180_180, startTicks),
    width: 1280,
    height: 720,
    frameRate: { num: 30000, den: 1001 },
    ...changes,
  };
};

/** Four segments of 6 s. */
export const audioTrack = (changes: Partial<PackagedTrack> = {}): PackagedTrack => {
  const name = changes.name ?? 'stereo';
  return {
    name,
    kind: 'audio',
    codecs: 'mp4a.40.2',
    timescale: 48_000,
    init: { path: `../r1/audio/${name}/init.mp4`, bytes: 700 },
    segments: segments(name, [96_000, 96_000, 96_000, 96_000], 288_000),
    language: 'en',
    channels: 2,
    ...changes,
  };
};
