import { expect, test } from 'vitest';
import { exceeded, formatReport, type Measured } from '../../../lab/scale/report.ts';

const measured = (changes: Partial<Measured> = {}): Measured => ({
  name: 'reap',
  calls: 1,
  seconds: 0.01,
  isStopped: false,
  requests: 3,
  readUnits: 6,
  writeUnits: 4,
  otherCalls: 0,
  ...changes,
});
const compared = (changes: Partial<Measured>) => ({
  small: measured(),
  manyRecords: measured(changes),
  manyNodes: measured(),
});

test('a tenth more capacity units on the large table is allowed', () => {
  expect(exceeded(compared({ readUnits: 7 }))).toEqual([]);
  expect(exceeded(compared({ readUnits: 8 }))).toEqual(['grows with records']);
});

test('a run that was stopped or failed keeps no limit', () => {
  expect(exceeded(compared({ isStopped: true }))).toEqual(['stopped with many records']);
  expect(exceeded(compared({ failure: 'Error: no' }))).toEqual(['failed with many records: Error: no']);
});

test('the units of a partition key are compared at 1,000 results a second', () => {
  const key = (writes: number) => ({ results: 10, hottestWrite: { name: 'table USAGE#1', reads: 0, writes } });
  expect(exceeded(compared(key(5)))).toEqual([]);
  expect(exceeded(compared(key(6)))).toEqual(['a partition key takes 600 writes a second']);
});

test('the report has a line for each operation', () => {
  const lines = formatReport([compared({ readUnits: 26 })]).split('\n');
  expect(lines[1]).toMatch(/^reap {2}.*3\.00 .*1\.00 .*grows with records$/);
});
