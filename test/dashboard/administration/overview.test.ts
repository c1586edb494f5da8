import { expect, test } from 'vitest';
import { attentionOf } from '../../../dashboard/administration/overview.ts';

const node = (id: number, status: 'active' | 'failed') => ({ id, name: `node ${id}`, status, last_error: null });

test('failed nodes and a long queue need attention', () => {
  const queue = { jobs: 12, oldest_age_seconds: 301 };
  expect(attentionOf({ nodes: [node(1, 'active'), node(2, 'failed')], queue, workers: [{}] })).toEqual([
    { kind: 'node-failed', node: node(2, 'failed') },
    { kind: 'long-wait', jobs: 12, seconds: 301 },
  ]);
});

test('jobs that wait without a worker are said to', () => {
  const queue = { jobs: 1, oldest_age_seconds: 900 };
  expect(attentionOf({ nodes: [], queue, workers: [] })).toEqual([{ kind: 'no-workers', jobs: 1 }]);
});

test('a new queue, an empty one and an unknown one need none', () => {
  for (const queue of [{ jobs: 5000, oldest_age_seconds: 10 }, { jobs: 0, oldest_age_seconds: null }, undefined])
    expect(attentionOf({ nodes: [node(1, 'active')], queue, workers: [] })).toEqual([]);
});
