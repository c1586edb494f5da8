import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { readProgramOptions, wholeNumber } from './program-options.ts';

const usage = 'npm run example -- [--count 5]\n';
const options = { count: { type: 'string', default: '5' }, quick: { type: 'boolean', default: false } } as const;
const read = (...args: string[]) =>
  readProgramOptions(usage, options, ({ count, quick }) => ({ count: wholeNumber('count', count), quick }), args);

let output = { stdout: '', stderr: '' };
beforeEach(() => {
  output = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    vi.spyOn(process[stream], 'write').mockImplementation((text) => {
      output[stream] += text;
      return true;
    });
  }
  vi.spyOn(process, 'exit').mockImplementation((status) => {
    throw Object.assign(new Error('exit'), { status });
  });
});
afterEach(() => vi.restoreAllMocks());

test('options have their values, or the defaults', () => {
  expect(read()).toEqual({ count: 5, quick: false });
  expect(read('--count', '7', '--quick')).toEqual({ count: 7, quick: true });
});

test.each([
  [['--cuont', '7'], "Unknown option '--cuont'"],
  [['7'], "Unexpected argument '7'"],
  [['--count'], "Option '--count <value>' argument missing"],
  [['--count', '0'], '--count is a whole number from 1, not 0'],
  [['--count', '1.5'], '--count is a whole number from 1, not 1.5'],
])('%j: the reason, the usage and status 2', (args, reason) => {
  expect(() => read(...args)).toThrow(expect.objectContaining({ status: 2 }));
  expect(output).toEqual({ stdout: '', stderr: `${reason}\n\n${usage}` });
});

test.each(['--help', '-h'])('%s prints the usage', (option) => {
  expect(() => read(option)).toThrow(expect.objectContaining({ status: 0 }));
  expect(output.stdout).toBe(usage);
});
