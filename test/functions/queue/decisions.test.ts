import { describe, expect, test } from 'vitest';
import { nextWaiting } from '../../../functions/admission/next-waiting.ts';
import { isStraggler } from '../../../functions/queue/stragglers/straggler.ts';
import { launchCount } from '../../../functions/workers/launch-count.ts';
import { isLeftToNodes } from '../../../functions/workers/overflow.ts';

describe('tasks to start', () => {
  const demand = {
    queuedJobs: 100,
    queuedSeconds: 3600,
    nodeCapacity: 0,
    secondsPerTask: 180,
    idleTasks: 0,
    runningTasks: 0,
    maxTasks: 50,
  };

  test('are one for each three minutes of queued work', () => {
    expect(launchCount(demand)).toBe(20);
    expect(launchCount({ ...demand, queuedSeconds: 1 })).toBe(1);
    expect(launchCount({ ...demand, queuedJobs: 0, queuedSeconds: 0 })).toBe(0);
  });

  test('are reduced by the work that nodes do at their speed', () => {
    expect(launchCount({ ...demand, nodeCapacity: 16 })).toBe(12);
    expect(launchCount({ ...demand, nodeCapacity: 16 * 2 })).toBe(4);
    expect(launchCount({ ...demand, nodeCapacity: 1000 })).toBe(0);
  });

  test('are reduced by starting and idle tasks, and never above the limit', () => {
    expect(launchCount({ ...demand, idleTasks: 15, runningTasks: 30 })).toBe(5);
    expect(launchCount({ ...demand, runningTasks: 45 })).toBe(5);
    expect(launchCount({ ...demand, runningTasks: 60 })).toBe(0);
  });

  test('are never more than jobs', () => {
    expect(launchCount({ ...demand, queuedJobs: 3 })).toBe(3);
  });
});

describe('a job', () => {
  test('is left to nodes with enough free workers for twenty seconds', () => {
    expect(isLeftToNodes({ freeNodeSlots: 2, queuedJobs: 2, waitedSeconds: 20 })).toBe(true);
    expect(isLeftToNodes({ freeNodeSlots: 2, queuedJobs: 3, waitedSeconds: 0 })).toBe(false);
    expect(isLeftToNodes({ freeNodeSlots: 2, queuedJobs: 1, waitedSeconds: 21 })).toBe(false);
    expect(isLeftToNodes({ freeNodeSlots: 0, queuedJobs: 1, waitedSeconds: 0 })).toBe(false);
  });

  test('is a straggler when it is slower than its estimate and than its siblings', () => {
    const siblingSeconds = [10, 11, 12, 13, 40];
    expect(isStraggler({ runningSeconds: 41, estimateSeconds: 10, siblingSeconds })).toBe(true);
    expect(isStraggler({ runningSeconds: 40, estimateSeconds: 10, siblingSeconds })).toBe(false);
    expect(isStraggler({ runningSeconds: 41, estimateSeconds: 14, siblingSeconds })).toBe(false);
    expect(isStraggler({ runningSeconds: 1000, estimateSeconds: 10, siblingSeconds: [10, 10, 10, 10] })).toBe(false);
  });
});

describe('a free slot', () => {
  const line = [
    { videoUlid: '1', ownerUlid: 'ada' },
    { videoUlid: '2', ownerUlid: 'ada' },
    { videoUlid: '3', ownerUlid: 'ben' },
  ];
  const chosen = (inWork: string[], free: number) => nextWaiting(line, inWork, free).map(({ videoUlid }) => videoUlid);

  test('is given to the first video, then to the other owners in order', () => {
    expect(chosen([], 1)).toEqual(['1']);
    expect(chosen([], 2)).toEqual(['1', '3']);
    expect(chosen([], 9)).toEqual(['1', '3', '2']);
  });

  test('is given to the owner with the fewest running videos', () => {
    expect(chosen(['ada', 'ada', 'ben'], 1)).toEqual(['3']);
    expect(chosen(['ada', 'ben', 'ben'], 1)).toEqual(['1']);
  });
});
