import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { findCoreSpeed, measureCpuSeconds } from '../../local/core-speed.ts';

const dayMs = 86_400_000;
let parent: string;
let folder: string;

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'core-speed-'));
  folder = join(parent, 'cache');
});
afterEach(() => rm(parent, { recursive: true }));

const measures = (cpuSeconds: number) => vi.fn(async () => cpuSeconds);
const keptFile = async (): Promise<string> => join(folder, (await readdir(folder))[0]!);

test('a machine that needs twice the CPU time has half the speed, and a faster one has no more than 1', async () => {
  expect(await findCoreSpeed(join(parent, 'slow'), measures(1.1))).toBe(0.5);
  expect(await findCoreSpeed(join(parent, 'fast'), measures(0.3))).toBe(1);
});

test('a measurement is used for a week', async () => {
  await findCoreSpeed(folder, measures(1.1));
  const again = measures(2.2);
  const file = await keptFile();
  const sixDaysAgo = new Date(Date.now() - 6 * dayMs);
  await utimes(file, sixDaysAgo, sixDaysAgo);
  expect(await findCoreSpeed(folder, again)).toBe(0.5);
  expect(again).not.toHaveBeenCalled();

  const eightDaysAgo = new Date(Date.now() - 8 * dayMs);
  await utimes(file, eightDaysAgo, eightDaysAgo);
  expect(await findCoreSpeed(folder, again)).toBe(0.25);
  expect(await findCoreSpeed(folder, measures(1.1))).toBe(0.25);
});

test('a file that is not written yet is measured again', async () => {
  await findCoreSpeed(folder, measures(1.1));
  await writeFile(await keptFile(), '');
  expect(await findCoreSpeed(folder, measures(2.2))).toBe(0.25);
});

test('without a measurement the speed is 1, and the next start measures', async () => {
  expect(await findCoreSpeed(folder, () => Promise.reject(new Error('no ffmpeg')))).toBe(1);
  expect(await findCoreSpeed(folder, measures(1.1))).toBe(0.5);
});

test('a cache that cannot be written does not matter', async () => {
  expect(await findCoreSpeed('/dev/null/cache', measures(1.1))).toBe(0.5);
});

test('the CPU time of a real encode is measured', async () => {
  const cpuSeconds = await measureCpuSeconds();
  expect(cpuSeconds).toBeGreaterThan(0.05);
  expect(cpuSeconds).toBeLessThan(20);
});
