import { expect, test } from 'vitest';
import { packageFiles } from '../../../functions/job-results/job-files.ts';
import type { PlannedOutput } from '../../../functions/planning/encoding-plan.ts';
import { contentTypeOf } from '../../../shared/media/content-types.ts';

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
