import { expect, test } from 'vitest';
import { serializeJob } from '../../../functions/serializers/serialize-job.ts';
import type { Job } from '../../../functions/table/records.ts';

const node = '01KAH0Z5M2P4R6T8W0Y2A4C6E8';
const first = { lease: 'a', node: 'pool', worker: 'ip-10-0-0-7-12', startedAt: 'T1' };
const second = { lease: 'b', node, worker: 'server-1', startedAt: 'T2' };

const job = (changes: Partial<Job>): Job =>
  ({
    videoUlid: node,
    planNumber: 2,
    kind: 'encode-video',
    group: 0,
    index: 7,
    taskToken: 't',
    status: 'LEASED',
    attempt: 2,
    attempts: { 2: second, 1: first },
    progress: 0.999,
    lease: 'b',
    estimateSeconds: 1,
    workUnits: 1,
    createdAt: 'T0',
    queuedAt: 'T0',
    ...changes,
  }) as Job;
const noParts = { streams: [], output: null };
const shown = (changes: Partial<Job>, isAdmin = false) => serializeJob(job(changes), noParts, { isAdmin });
const statuses = (changes: Partial<Job>) => shown(changes).attempts.map(({ status }) => status);

test('a job has its attempts in order; those of registered nodes are of type node', () => {
  expect(shown({ attempts: { 2: second, 1: { ...first, endedAt: 'T1b', errorCode: 'DISK_FULL' } } })).toEqual({
    kind: 'encode-video',
    plan: 2,
    group: 0,
    index: 7,
    streams: [],
    output: null,
    status: 'running',
    progress: 99,
    error_code: null,
    created_at: 'T0',
    started_at: 'T1',
    finished_at: null,
    attempts: [
      {
        number: 1,
        status: 'failed',
        started_at: 'T1',
        ended_at: 'T1b',
        error_code: 'DISK_FULL',
        node_type: 'pool',
        node: null,
        worker: null,
      },
      {
        number: 2,
        status: 'running',
        started_at: 'T2',
        ended_at: null,
        error_code: null,
        node_type: 'node',
        node: null,
        worker: null,
      },
    ],
  });
});

test('only administrators see workers and nodes', () => {
  expect(JSON.stringify(shown({}))).not.toMatch(/ip-10|server-1/);
  expect(shown({}, true).attempts).toMatchObject([
    { node: null, worker: 'ip-10-0-0-7-12' },
    { node, worker: 'server-1' },
  ]);
});

test.each<[string, Partial<Job>, string[]]>([
  ['a speculative lease runs beside the first', { speculative: true }, ['running', 'running']],
  ['an attempt that another one has replaced', {}, ['superseded', 'running']],
  ['the first result counts', { status: 'DONE', attempt: 1, endedAt: 'T3' }, ['completed', 'superseded']],
  ['a cancelled job', { status: 'CANCELLED', endedAt: 'T3' }, ['cancelled', 'cancelled']],
])('%s', (_, changes, expected) => {
  expect(statuses(changes)).toEqual(expected);
});

test('a failed job has its code, a code of another version of the worker is INTERNAL, and no message is shown', () => {
  const error = { code: 'FROM_THE_FUTURE', message: 'cannot open /data/x', fatal: true };
  const answer = shown({ status: 'FAILED', error, endedAt: 'T3' });
  expect(answer).toMatchObject({ status: 'failed', error_code: 'INTERNAL', finished_at: 'T3' });
  expect(JSON.stringify(answer)).not.toContain('/data');
  expect(shown({ status: 'DONE', endedAt: 'T3' }).progress).toBe(100);
});
