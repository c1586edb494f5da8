import { describe, expect, test } from 'vitest';
import {
  creationOf,
  deliverableOutputs,
  isOpen,
  pollSecondsOf,
  repetitionOf,
  type StorageDelivery,
} from '../../../../dashboard/video/storage-deliveries/delivery-properties.ts';

const delivery: StorageDelivery = {
  ulid: '01K9Z3P6M8N9P0Q1R2S3T4V5W6',
  video_ulid: '01K9Z3P6M8N9P0Q1R2S3T4V5W7',
  storage: '01K9Z3P6M8N9P0Q1R2S3T4V5W8',
  path: 'films/{ulid}/',
  outputs: ['hls'],
  also: ['poster'],
  status: 'running',
  files: 10,
  files_copied: 2,
  bytes: 1000,
  bytes_copied: 250,
  error: null,
  created_at: '2026-11-20T10:00:00.000000Z',
  started_at: null,
  finished_at: null,
};

test('deliveries that wait or run are looked at more often', () => {
  expect((['pending', 'running', 'completed', 'failed'] as const).map((status) => isOpen({ status }))).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect(pollSecondsOf([{ status: 'failed' }, { status: 'pending' }])).toBeLessThan(pollSecondsOf([]));
});

test('a delivery is repeated as it was', () => {
  const { storage, path, outputs, also } = delivery;
  expect(repetitionOf(delivery)).toEqual({ storage, path, outputs, also });
});

describe('a new delivery', () => {
  const { storage } = delivery;

  test('leaves out what has its default', () => {
    expect(creationOf({ storage, path: ' ', outputs: '*', also: [] })).toEqual({ storage });
  });

  test('has what was chosen, also that no outputs are copied', () => {
    expect(creationOf({ storage, path: ' {ulid}/ ', outputs: [], also: ['metadata'] })).toEqual({
      storage,
      path: '{ulid}/',
      outputs: [],
      also: ['metadata'],
    });
  });
});

test('completed outputs with a name can be chosen', () => {
  const outputs = [
    { name: 'hls', status: 'completed' },
    { name: 'mp4', status: 'failed' },
    { name: null, status: 'completed' },
  ] as const;
  expect(deliverableOutputs(outputs)).toEqual(['hls']);
});
