import { describe, expect, test } from 'vitest';
import { presets } from '../../../../functions/templates/presets.ts';
import { taskHourDollars } from '../../../../infra/pricing/task-hour.ts';
import { settingsOf } from '../../../../infra/settings.ts';
import { assumptions, dollarsOf, mediaConvertDollars, videoCost } from '../../../../infra/tools/cost/video-cost.ts';
import { type Workload, workloads } from '../../../../infra/tools/cost/workloads.ts';

const task = settingsOf('prod').workers;
const workload: Workload = {
  template: 'test',
  cpuSecondsPerMinute: 300,
  codec: 'h264',
  heights: [1080, 480],
  outputs: { manifests: 1, copies: 0 },
  segmentSeconds: 6,
};

describe('a video', () => {
  test('pays for the whole run time of tasks, which is longer than encoding', () => {
    const { encoding } = videoCost(workload, 10, task, 0);
    const hours = (300 * 10) / 4 / assumptions.busyShare / 3600;
    expect(encoding).toBeCloseTo(hours * taskHourDollars(task, 0), 12);
  });

  test('costs in proportion to its duration, except for fixed costs per video', () => {
    const [one, ten] = [videoCost(workload, 1, task, 1), videoCost(workload, 10, task, 1)];
    expect(ten.encoding).toBeCloseTo(10 * one.encoding, 12);
    expect(ten.stepFunctions).toBeLessThan(10 * one.stepFunctions);
  });

  test('has two transitions per chunk and four more per remuxed output', () => {
    const { stepFunctions } = videoCost(workload, 10, task, 0);
    expect(stepFunctions).toBeCloseTo(((17 + 2 * 20 + 2) * 0.025) / 1000, 12);
    const copied = videoCost({ ...workload, outputs: { manifests: 1, copies: 1 } }, 10, task, 0);
    expect(copied.stepFunctions - stepFunctions).toBeCloseTo((4 * 0.025) / 1000, 12);
  });

  test('costs mostly encoding', () => {
    for (const { encoding, ...rest } of workloads.map((one) => videoCost(one, 10, task, 0))) {
      if (encoding > 0.01) expect(dollarsOf(rest)).toBeLessThan(encoding);
    }
  });
});

test('MediaConvert bills each rendition by its size, and only AVC is compared', () => {
  expect(mediaConvertDollars(workload, 2)).toBeCloseTo(2 * (0.015 + 0.0075), 12);
  expect(mediaConvertDollars({ ...workload, heights: [2160] }, 1)).toBe(0.03);
  expect(mediaConvertDollars({ ...workload, codec: 'av1' }, 1)).toBeNull();
});

test('every built-in template has a measurement', () => {
  expect(workloads.map(({ template }) => template).toSorted()).toEqual(presets.map(({ slug }) => slug).toSorted());
});
