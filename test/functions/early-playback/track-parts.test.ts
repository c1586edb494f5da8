import { expect, test } from 'vitest';
import { audioTrack, rungTrack } from '../../../functions/early-playback/track-parts.ts';
import { jobTracks } from '../../../functions/job-results/job-files.ts';
import type { Plan } from '../../../functions/planning/encoding-plan.ts';
import type { Job } from '../../../functions/table/records.ts';

const grid = { segmentFrames: 50 };
const rungs = [{ name: 'v360' }];
const plan = {
  durationSeconds: 11.99,
  audio: [{ name: 'stereo', segmentSeconds: 2 }],
  groups: [
    { index: 0, grid, rungs, chunks: [{ index: 0, startFrame: 0, endFrame: 150 }] },
    { index: 1, grid, rungs, chunks: [{ index: 0, startFrame: 150, endFrame: 290 }] },
  ],
} as unknown as Plan;

test.each([
  ['audio', audioTrack(plan, 'stereo')],
  ['video', rungTrack(plan, 'v360')],
])('the parts of %s have exactly the segments that their jobs may store', (_, { parts }) => {
  expect(parts.length).toBeGreaterThan(0);
  for (const { job, firstSegment, segmentCount } of parts) {
    const numbers = Array.from({ length: segmentCount }, (_unused, offset) => firstSegment + offset);
    expect(numbers).toEqual(jobTracks(plan, job as Job).segments);
  }
});
