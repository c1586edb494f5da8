import { describe, expect, test } from 'vitest';
import { besideEndless, plannedUpload, watch } from '../../../lab/simulate/planned-upload.ts';
import { concurrentUploads, createUploads, mixedUploads, workSeconds } from '../../../lab/simulate/workload.ts';
import { lowerBoundSeconds, simulate } from '../../../lab/simulate/world.ts';

const uploads = mixedUploads(600, 5);

describe('the simulated queue', () => {
  test('completes every video although a third of the workers are lost and some hosts are slow', () => {
    const pool = { nodeWorkers: 10, maxTasks: 20, lostShare: 0.3, slowShare: 0.02 };
    const { seconds, lost, jobs } = simulate(uploads, pool);
    expect(seconds.size).toBe(uploads.length);
    expect(jobs).toBe(uploads.reduce((sum, { chunks }) => sum + chunks.length + 1, 0));
    expect(lost).toBeGreaterThan(0);
  });

  test('keeps the workers busy: little longer than the work itself', () => {
    const pool = { nodeWorkers: 10, maxTasks: 0 };
    expect(simulate(uploads, pool).makespanSeconds / lowerBoundSeconds(uploads, pool)).toBeLessThan(1.1);
  });

  test('keeps many workers busy with the videos of many users', () => {
    const [many, pool] = [concurrentUploads(100, 5), { nodeWorkers: 1000, maxTasks: 0 }];
    expect(simulate(many, pool).makespanSeconds / lowerBoundSeconds(many, pool)).toBeLessThan(1.25);
  });

  test('is deterministic', () => {
    const pool = { nodeWorkers: 3, maxTasks: 5, lostShare: 0.1 };
    expect(simulate(uploads, pool)).toEqual(simulate(uploads, pool));
  });

  test('gives a speculative lease for a chunk that hangs, and completes sooner', () => {
    const one = createUploads(3)({ owner: 'ada', atSeconds: 0, chunks: 60, chunkSeconds: 40 });
    const { spares, makespanSeconds } = simulate([one], { nodeWorkers: 20, maxTasks: 0, slowShare: 0.1 }, 3);
    expect(spares).toBeGreaterThan(0);
    expect(makespanSeconds).toBeLessThan(40 * 8 + 3 * 53);
  });
});

describe('a viewer of a video that is uploaded while no task runs', () => {
  const pool = { nodeWorkers: 0, maxTasks: 20, lambdas: 1, secondsPerTask: 75 };
  const watched = (isColdStart: boolean) => {
    const upload = plannedUpload({ name: 'v', lengthSeconds: 1200, workers: 20, isColdStart });
    return watch(simulate([upload], pool).stored.get('v')!);
  };

  test('never waits: the early worker encodes the starter ahead until the tasks are there', () => {
    const { firstFrameSeconds, stalledSeconds } = watched(true);
    expect(firstFrameSeconds).toBeLessThan(15);
    expect(stalledSeconds).toBe(0);
    expect(watched(false).stalledSeconds).toBeGreaterThan(0);
  });
});

describe('a long video beside uploads without end that need 95 % of the workers', () => {
  test.each([
    ['other users', undefined],
    ['its owner', 'ada'],
  ])('of %s has a bounded wait; without ageing it would wait for the last of them', (_, owner) => {
    const { long, uploads, lastUploadSeconds } = besideEndless({ load: 0.95, workers: 4, ...(owner && { owner }) });
    const took = (ignoresAge: boolean) =>
      simulate(uploads, { nodeWorkers: 4, maxTasks: 0, ignoresAge }).seconds.get('long')!;
    expect(took(false)).toBeLessThan(2.5 * workSeconds([long]));
    expect(took(true)).toBeGreaterThan(lastUploadSeconds - long.atSeconds);
  });
});
