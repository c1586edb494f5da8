import { expect, test } from 'vitest';
import {
  attemptSeconds,
  type Job,
  type JobAttempt,
  retriesOf,
  streamNames,
  workerOf,
} from '../../../dashboard/video/job-properties.ts';

const attempt = (number: number, changes: Partial<JobAttempt> = {}): JobAttempt => ({
  number,
  status: 'completed',
  started_at: '2026-11-22T12:00:00.000000Z',
  ended_at: '2026-11-22T12:00:30.000000Z',
  error_code: null,
  node_type: 'pool',
  node: null,
  worker: null,
  ...changes,
});
const job = (...attempts: JobAttempt[]) => ({ attempts }) as Job;

test('an attempt that runs takes until now', () => {
  const now = Date.parse('2026-11-22T12:01:00Z');
  expect(attemptSeconds(attempt(1), now)).toBe(30);
  expect(attemptSeconds(attempt(1, { ended_at: null }), now)).toBe(60);
});

test('attempts that are not listed any more count as retries', () => {
  expect(retriesOf(job())).toBe(0);
  expect(retriesOf(job(attempt(1)))).toBe(0);
  expect(retriesOf(job(attempt(24), attempt(25)))).toBe(24);
});

test('administrators see the worker of the last attempt, others the kind of its node', () => {
  expect(workerOf(job(attempt(1), attempt(2, { worker: 'w1', node_type: 'node' })))).toEqual({ worker: 'w1' });
  expect(workerOf(job(attempt(1, { node_type: 'node' })))).toEqual({ nodeType: 'node' });
  expect(workerOf(job())).toBeUndefined();
});

test('a job names the streams that it encodes, without those that were deleted since', () => {
  const streams = [
    { ulid: 'A', name: '720p' },
    { ulid: 'B', name: '240p' },
    { ulid: 'C', name: 'stereo' },
  ];
  expect(streamNames({ streams: ['B', 'A', 'GONE'] }, streams)).toBe('720p, 240p');
});
