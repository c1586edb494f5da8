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

test('a secret that reaches beyond the shown part of a line is removed', () => {
  const secret = 'abcdefghij';
  for (let at = 1_985; at <= 2_005; at++) {
    const log = logOf([`${'x'.repeat(at)}${secret}, ${secret}\n`], [secret]);
    expect(log, `a secret at ${at}`).not.toMatch(/[a-j]/);
    expect(log.length, `a secret at ${at}`).toBeLessThanOrEqual(2_004);
  }
  expect(logOf([`${'x'.repeat(1_995)}${secret}\n`], [secret])).toBe(`${'x'.repeat(1_995)}***\n`);
});

test('secrets that are longer than a line of the log are removed, also the second of them', () => {
  const secret = 'abcdefgh'.repeat(1_024);
  expect(logOf([`${secret}\n`], [secret])).toBe('***\n');
  expect(logOf([`login ${secret} as ${secret.slice(0, 4)}`, `${secret.slice(4)}${secret}\n`], [secret])).toBe(
    'login ***\n',
  );
  expect(logOf([`login ${secret.slice(0, 9)}\n`], [secret])).toBe('login abcdefgha\n');
});

test('a secret between or within colours is removed', () => {
  const colours = '\u001b[1m'.repeat(500);
  expect(logOf([`ab\u001b[31mcd\u001b[0mef\n`], ['abcdef'])).toBe('***\n');
  expect(logOf([`${colours}--${'abcdef'.repeat(400)}\n`], ['abcdef'])).not.toMatch(/[a-f]/);
});

test('a secret that contains another one is removed whole', () => {
  expect(logOf(['abcdefgh\n'], ['cd', 'abcdefgh'])).toBe('***\n');
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

test('of very many messages the first hundred are kept', () => {
  const log = stepLog(['abcdef'], () => {});
  log.add(Buffer.from(`##begun\n##error STEP_FAILED It said ${'x'.repeat(1_975)}abcdef.\n${'##note\n'.repeat(1_000)}`));
  expect(log.finish()).toBe('');
  expect(log.messages).toHaveLength(100);
  expect(log.messages[1]!.text).toBe(`STEP_FAILED It said ${'x'.repeat(1_973)}`);
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
