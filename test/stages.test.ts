import { afterEach, beforeEach, expect, type MockInstance, test, vi } from 'vitest';
import { runStages, summaryOf } from './stages.mjs';

let printed: MockInstance<typeof console.log>;
beforeEach(() => {
  printed = vi.spyOn(console, 'log').mockReturnValue();
});
afterEach(() => printed.mockRestore());

test('a stage runs although the previous one failed, and the summary names the failed one', async () => {
  const ran: string[] = [];
  const stage = (name: string, status: number) => ({
    name,
    run: () => {
      ran.push(name);
      return status;
    },
  });
  expect(await runStages([stage('first', 0), stage('second', 3), stage('third', 0)])).toBe(3);
  expect(ran).toEqual(['first', 'second', 'third']);
  const lines = String(printed.mock.lastCall?.[0]).trim().split('\n');
  expect(lines).toEqual([
    expect.stringMatching(/^first {3}passed/),
    expect.stringMatching(/^second {2}FAILED/),
    expect.stringMatching(/^third {3}passed/),
  ]);
});

test('the exit status is 0 when all stages pass', async () => {
  expect(await runStages([{ name: 'only', run: async () => 0 }])).toBe(0);
});

test('failed files are listed below their stage', () => {
  const failedFiles = ['test/a.test.ts', 'test/b.test.ts'];
  expect(summaryOf([{ name: 'unit tests', status: 1, seconds: 61.4, cpuSeconds: 98.6, failedFiles }])).toBe(
    'unit tests  FAILED     61 s  CPU    99 s\n  test/a.test.ts\n  test/b.test.ts',
  );
});
