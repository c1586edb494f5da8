import { describe, expect, test } from 'vitest';
import { taskHourDollars } from '../../../shared/pricing/task-hour.ts';
import { assumptions, dollarsOf, type VideoWork, videoCost, videoUse } from '../../../shared/pricing/video-cost.ts';

const task = { cpuUnits: 4096, memoryMib: 8192, scratchGib: 50 };
const minutesOf = (minutes: number): VideoWork => ({
  durationSeconds: 60 * minutes,
  cpuSeconds: 300 * minutes,
  chunks: 2 * minutes,
  renditions: 2,
  segmentSeconds: 6,
  outputs: { manifests: 1, copies: 0 },
});

describe('a video', () => {
  test('pays for the whole run time of tasks, which is longer than encoding', () => {
    const { encoding } = videoCost(minutesOf(10), task, 0);
    const hours = (300 * 10) / assumptions.arm64Speed / 4 / assumptions.busyShare / 3600;
    expect(encoding).toBeCloseTo(hours * taskHourDollars(task, 0), 12);
  });

  test('costs in proportion to its duration, except for fixed costs per video', () => {
    const [one, ten] = [videoCost(minutesOf(1), task, 1), videoCost(minutesOf(10), task, 1)];
    expect(ten.encoding).toBeCloseTo(10 * one.encoding, 12);
    expect(ten.stepFunctions).toBeLessThan(10 * one.stepFunctions);
  });

  test('has two transitions per chunk and output, and one more for each remux', () => {
    const { stepFunctions } = videoCost(minutesOf(10), task, 0);
    expect(stepFunctions).toBeCloseTo(((22 + 2 * 20 + 2) * 0.025) / 1000, 12);
    const copied = videoCost({ ...minutesOf(10), outputs: { manifests: 1, copies: 1 } }, task, 0);
    expect(copied.stepFunctions - stepFunctions).toBeCloseTo((5 * 0.025) / 1000, 12);
  });

  // Measured by `npm run cost -- --measured` on 2026-11-27, the second with a longer clip.
  test.each([
    {
      minutes: 1.5,
      chunks: 7,
      taskSeconds: 218,
      used: {
        transitions: 43,
        apiRequests: 100,
        invocations: 128,
        writeUnits: 728,
        readUnits: 1108,
        storeWrites: 132,
        storeReads: 270,
        objects: 129,
      },
    },
    {
      minutes: 4,
      chunks: 12,
      taskSeconds: 495,
      used: {
        transitions: 53,
        apiRequests: 166,
        invocations: 200,
        writeUnits: 954,
        readUnits: 2214,
        storeWrites: 280,
        storeReads: 566,
        objects: 276,
      },
    },
  ])('of $minutes minutes uses what a measured one did', ({ minutes, chunks, taskSeconds, used }) => {
    const use = videoUse({ ...minutesOf(minutes), chunks, outputs: { manifests: 1, copies: 1 } }, taskSeconds);
    const ratios = Object.entries(used).map(([name, value]) => [name, use[name as keyof typeof used] / value] as const);
    expect(ratios.filter(([, ratio]) => ratio < 0.9 || ratio > 1.1)).toEqual([]);
  });

  test('costs mostly encoding', () => {
    const { encoding, ...rest } = videoCost(minutesOf(10), task, 0);
    expect(dollarsOf(rest)).toBeLessThan(encoding);
  });
});
