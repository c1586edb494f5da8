import { expect, test } from 'vitest';
import { isLineKept } from '../../src/lambda/log-level.ts';

const line = (level: string): string => JSON.stringify({ level, message: 'said' });

test.each([
  ['WARN', ['WARN', 'ERROR', 'FATAL', 'error']],
  ['TRACE', ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL', 'error']],
])('with the lowest level %s the lines %j are kept', (lowest, kept) => {
  const all = ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL', 'error'];
  expect(all.filter((level) => isLineKept(line(level), lowest))).toEqual(kept);
});

test.each(['plain text', '{"message":"no level"}', '{"level":"LOUD"}', '{broken'])('%s is kept', (text) => {
  expect(isLineKept(text, 'FATAL')).toBe(true);
});

test('a function without JSON logs keeps every line', () => {
  expect(isLineKept(line('TRACE'), undefined)).toBe(true);
});
