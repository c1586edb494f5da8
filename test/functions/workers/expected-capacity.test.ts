import { expect, test } from 'vitest';
import { expectedForVideo } from '../../../functions/workers/expected-capacity.ts';

const pool = { nodes: { workers: 0, capacity: 0 }, maxTasks: 20, coresPerTask: 4, runningVideos: 1 };

test('a video alone gets all tasks that may run and all live nodes', () => {
  expect(expectedForVideo(pool)).toEqual({ capacity: 80, workers: 20 });
  expect(expectedForVideo({ ...pool, nodes: { workers: 3, capacity: 7.5 } })).toEqual({ capacity: 87.5, workers: 23 });
});

test('videos share the workers, and each has one at least', () => {
  expect(expectedForVideo({ ...pool, runningVideos: 8 })).toEqual({ capacity: 10, workers: 2 });
  expect(expectedForVideo({ ...pool, runningVideos: 40 })).toEqual({ capacity: 2, workers: 1 });
});

test('on one machine, the tasks share its cores', () => {
  const machine = { ...pool, maxTasks: 4, coresPerTask: 0.5 };
  expect(expectedForVideo(machine)).toEqual({ capacity: 2, workers: 4 });
  // The slot of the video is freed when it was deleted while it was planned.
  expect(expectedForVideo({ ...machine, runningVideos: 0 }).capacity).toBe(2);
});
