import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createReporter } from '../../../../client/cli/output/reporter.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const clear = '\x1b[0J';
const up = `\x1b[1A\r${clear}`;
const row = { label: 'a.mp4', share: 0.5, note: 'running' };

function open(options: { isTTY: boolean; json?: boolean; quiet?: boolean }) {
  let written = '';
  const write = (name: string) => (text: string) => {
    written += `${name}${text}`;
  };
  const streams = {
    stdout: { write: write('>') },
    stderr: { isTTY: options.isTTY, columns: 80, rows: 24, write: write('') },
  };
  const reporter = createReporter(streams, { json: options.json ?? false, quiet: options.quiet ?? false });
  const take = (): string => {
    vi.advanceTimersByTime(1000);
    const text = written;
    written = '';
    return text;
  };
  return { reporter, take };
}

test('bars are painted over themselves, and lines are written above them', () => {
  const { reporter, take } = open({ isTTY: true });
  reporter.bars.set('a', row);
  expect(take()).toBe(`${clear}a.mp4 ${'█'.repeat(12)}${'░'.repeat(12)}  50%  running\n`);
  reporter.bars.set('a', { ...row, share: 1 });
  expect(take()).toBe(`${up}a.mp4 ${'█'.repeat(24)} 100%  running\n`);
  reporter.result({}, ['done']);
  expect(take()).toBe(`${up}>done\n${clear}a.mp4 ${'█'.repeat(24)} 100%  running\n`);
  reporter.bars.remove('a');
  expect(take()).toBe(up);
  reporter.bars.stop();
  expect(take()).toBe('');
});

test.each([{ isTTY: false }, { isTTY: true, json: true }, { isTTY: true, quiet: true }])(
  'no bars with %j',
  (options) => {
    const { reporter, take } = open(options);
    reporter.bars.set('a', row);
    expect(take()).toBe('');
  },
);

test('--json prints records, and --quiet no notes', () => {
  const { reporter, take } = open({ isTTY: false, json: true });
  reporter.note('hello');
  reporter.result({ ulid: 'V' }, ['V']);
  expect(take()).toBe('>{"ulid":"V"}\n');
  reporter.warn('careful');
  expect(take()).toBe('careful\n');
});
