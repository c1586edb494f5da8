import { expect, test } from 'vitest';
import {
  type Batch,
  batchCreationOf,
  pollSecondsOf,
  shownBatches,
} from '../../../../dashboard/ingests/batches/batch-properties.ts';

const batch: Batch = {
  ulid: '01K9Z3P6M8N9P0Q1R2S3T4V5W6',
  storage: '01K9Z3P6M8N9P0Q1R2S3T4V5W7',
  prefix: 'in/',
  limit: 1000,
  status: 'fetching',
  created: 8,
  skipped: 3,
  stored: 2,
  failed: 1,
  removed: 1,
  error: null,
  created_at: '2026-11-20T10:00:00.000000Z',
  ended_at: null,
};

test('open batches are looked at more often', () => {
  expect(pollSecondsOf([{ status: 'completed' }, { status: 'listing' }])).toBeLessThan(pollSecondsOf([batch]) + 1);
  expect(pollSecondsOf([{ status: 'completed' }])).toBeGreaterThan(pollSecondsOf([batch]));
});

test('open batches are shown, and those that have ended for a day', () => {
  const now = Date.parse('2026-11-22T10:00:00Z');
  const ended = { ...batch, status: 'failed' } as const;
  const recent = { ...ended, created_at: '2026-11-22T09:00:00.000000Z' };
  expect(shownBatches([recent, batch, ended], now)).toEqual([recent, batch]);
});

test('a prefix is sent as it was typed, and what is empty is left to the service', () => {
  const form = { storage: 'S', prefix: 'in/a b ', limit: ' ', template: 'T' };
  expect(batchCreationOf(form)).toEqual({ storage: 'S', prefix: 'in/a b ', metadata: { template: 'T' } });
  expect(batchCreationOf({ ...form, prefix: '', limit: '50' })).toEqual({
    storage: 'S',
    metadata: { template: 'T' },
    limit: 50,
  });
});
