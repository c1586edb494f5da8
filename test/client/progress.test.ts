import { expect, test } from 'vitest';
import { shareOfBatch, shareOfDelivery, shareOfIngest, shareOfVideo } from '../../client/progress.ts';

test('the share of a batch is known when all keys are listed', () => {
  const batch = { status: 'fetching', created: 8, stored: 2, failed: 1, removed: 1 } as const;
  expect(shareOfBatch(batch)).toBe(0.5);
  expect(shareOfBatch({ ...batch, status: 'listing' })).toBeUndefined();
  expect(shareOfBatch({ ...batch, created: 0 })).toBeUndefined();
});

test('the share of an ingest needs its size', () => {
  expect(shareOfIngest({ size: null, bytes_received: 10 })).toBeUndefined();
  expect(shareOfIngest({ size: 0, bytes_received: 0 })).toBeUndefined();
  expect(shareOfIngest({ size: 200, bytes_received: 50 })).toBe(0.25);
});

test('the share of a delivery follows the bytes, and is unknown until the files are listed', () => {
  expect(shareOfDelivery({ bytes: 1000, bytes_copied: 250 })).toBe(0.25);
  expect(shareOfDelivery({ bytes: null, bytes_copied: 0 })).toBeUndefined();
  expect(shareOfDelivery({ bytes: 0, bytes_copied: 0 })).toBe(1);
});

test('the share of a video is the mean of its outputs', () => {
  const outputs = [{ progress: 50 }, { progress: 100 }] as Parameters<typeof shareOfVideo>[0]['outputs'];
  expect(shareOfVideo({ status: 'running', outputs })).toBe(0.75);
  expect(shareOfVideo({ status: 'pending', outputs: [] })).toBe(0);
  expect(shareOfVideo({ status: 'completed', outputs })).toBe(1);
});
