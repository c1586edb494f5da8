import { expect, test } from 'vitest';
import { emptyLog, withLog } from '../../../../dashboard/administration/nodes/log-lines.ts';

test('new lines follow the known ones', () => {
  const first = withLog(emptyLog, 'one\ntwo\n');
  expect(first).toMatchObject({ lines: ['one', 'two'], skipped: 0 });
  expect(withLog(first, 'one\ntwo\nthree')).toMatchObject({ lines: ['one', 'two', 'three'], skipped: 0 });
});

test('an unchanged log is the same object, so that nothing is rendered', () => {
  const first = withLog(emptyLog, 'one\n');
  expect(withLog(first, 'one\n')).toBe(first);
});

test('lines keep their numbers when the service drops the beginning of a long log', () => {
  const all = Array.from({ length: 500 }, (_, index) => `line ${index} of a step that writes much`);
  let known = withLog(emptyLog, all.slice(0, 200).join('\n'));
  known = withLog(known, all.slice(50, 300).join('\n'));
  expect(known.skipped).toBe(50);
  known = withLog(known, all.slice(120, 500).join('\n'));
  expect(known.skipped).toBe(120);
  expect(known.lines[0]).toBe(all[known.skipped]);
});

test('a log of another run starts again', () => {
  const first = withLog(emptyLog, 'one\ntwo\n');
  expect(withLog(first, 'other\n')).toMatchObject({ lines: ['other'], skipped: 0 });
  expect(withLog(first, '')).toMatchObject({ lines: [], skipped: 0 });
});
