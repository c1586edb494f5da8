import { expect, test } from 'vitest';
import { taskHourDollars } from '../../../shared/pricing/task-hour.ts';

const task = { cpuUnits: 4096, memoryMib: 8192, scratchGib: 50 };

test('the price of a task has vCPU, memory, storage over 20 GB and a public address', () => {
  expect(taskHourDollars(task, 0)).toBeCloseTo(4 * 0.03238 + 8 * 0.00356 + 30 * 0.000111 + 0.005, 9);
});

test('Spot reduces the price by 70 %, except for the address', () => {
  expect(taskHourDollars(task, 1)).toBeCloseTo(0.3 * (taskHourDollars(task, 0) - 0.005) + 0.005, 9);
});

test('included storage is free', () => {
  expect(taskHourDollars({ ...task, scratchGib: 20 }, 0)).toBe(taskHourDollars({ ...task, scratchGib: 1 }, 0));
});
