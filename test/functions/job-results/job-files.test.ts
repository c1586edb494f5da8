import { expect, test } from 'vitest';
import { packageFiles } from '../../../functions/job-results/job-files.ts';
import type { PlannedOutput } from '../../../functions/planning/encoding-plan.ts';
import { frameGrid, timeFrames } from '../../../functions/planning/video/frame-grid.ts';
import { contentTypeOf } from '../../../shared/media/content-types.ts';
import { videoTrack } from '../planning/source-fixture.ts';

const rate10 = { num: 10, den: 1 };

const mp4: PlannedOutput = {
  name: 'mp4',
  format: 'mp4',
  container: 'mp4',
  video: ['v720'],
  audio: ['stereo-en'],
  segmentSeconds: 6,
  faststart: true,
  error: null,
};

test('a progressive file is an MP4, or an M4A without video', () => {
  expect(packageFiles(mp4, 12)).toEqual(['video.mp4']);
  expect(packageFiles({ ...mp4, audio: [] }, 12)).toEqual(['video.mp4']);
  expect(packageFiles({ ...mp4, video: [] }, 12)).toEqual(['audio.m4a']);
  expect(['video.mp4', 'audio.m4a'].map(contentTypeOf)).toEqual(['video/mp4', 'audio/mp4']);
});

test.each([
  [6, 5],
  [3, 0.9],
  [20, 13.4],
  [6, 2],
])('MPEG-TS segments of %d s are allowed to be whole GOPs of %d s', (segmentSeconds, gopSeconds) => {
  const ts: PlannedOutput = { ...mp4, format: 'hls', container: 'ts', segmentSeconds };
  const timing = timeFrames(videoTrack({ frameCount: 10 * 600, averageFrameRate: rate10 }), rate10, false);
  const { segmentFrames } = frameGrid(timing, { originSeconds: 0, gopSeconds, segmentSeconds });
  expect(packageFiles(ts, 600).length).toBeGreaterThanOrEqual(Math.ceil(timing.frameCount / segmentFrames));
});
