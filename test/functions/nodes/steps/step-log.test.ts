import { expect, test, vi } from 'vitest';
import { stepLog } from '../../../../functions/nodes/steps/step-log.ts';

const logOf = (chunks: (string | Buffer)[], secrets: string[] = []): string => {
  const log = stepLog(secrets, () => {});
  for (const chunk of chunks) log.add(Buffer.from(chunk as string));
  return log.finish();
};

test('a log consists of complete lines, independent of the chunks', () => {
  const euro = Buffer.from('€');
  expect(logOf(['one\ntw', 'o\n', euro.subarray(0, 1), euro.subarray(1), '\nthree'])).toBe('one\ntwo\n€\nthree\n');
});

test('colours, control characters and overwritten progress bars are removed', () => {
  expect(logOf(['\u001b[32mgreen\u001b[0m\u0007\n', '10 %\r20 %\r100 %\n', 'dos\r\n'])).toBe('green\n100 %\ndos\n');
});

test('secrets are removed, also when they are split over chunks', () => {
  expect(logOf(['the token is abc', 'def, abcdef!\n'], ['abcdef'])).toBe('the token is ***, ***!\n');
});

test('the end of a long log and the start of a long line are kept', () => {
  const log = logOf([`${'x'.repeat(5_000)}\n`, ...Array.from({ length: 20_000 }, (_, index) => `line ${index}\n`)]);
  expect(log.length).toBeLessThanOrEqual(65_536);
  expect(log.endsWith('line 19998\nline 19999\n')).toBe(true);
  expect(logOf([`${'x'.repeat(5_000)}\n`])).toBe(`${'x'.repeat(2_000)}\n`);
});

test('messages for the service are not part of the log', () => {
  const log = stepLog(['abcdef'], () => {});
  log.add(Buffer.from('##begun\nwork\n##error STEP_FAILED It said abcdef.\n'));
  expect(log.finish()).toBe('work\n');
  expect(log.messages).toEqual([
    { kind: 'begun', text: '' },
    { kind: 'error', text: 'STEP_FAILED It said ***.' },
  ]);
});

test('the listener is called at most once a second, and its errors are ignored', () => {
  vi.useFakeTimers();
  const reported: string[] = [];
  const log = stepLog([], (text) => {
    reported.push(text);
    throw new Error('the table is not there');
  });
  log.add(Buffer.from('one\n'));
  log.add(Buffer.from('two\n'));
  vi.advanceTimersByTime(1_000);
  log.add(Buffer.from('three\n'));
  expect(reported).toEqual(['one\ntwo\n']);
  vi.advanceTimersByTime(1_000);
  expect(reported).toEqual(['one\ntwo\n', 'one\ntwo\nthree\n']);
  log.add(Buffer.from('four\n'));
  expect(log.finish()).toBe('one\ntwo\nthree\nfour\n');
  vi.advanceTimersByTime(5_000);
  expect(reported).toHaveLength(2);
  vi.useRealTimers();
});
