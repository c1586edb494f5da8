import { describe, expect, test } from 'vitest';
import { createdKeys, storeEventSchema } from '../../../functions/uploads/store-event.ts';

const record = (eventName: string, key: string, bucket = 'videos') => ({
  eventName,
  s3: { bucket: { name: bucket }, object: { key, size: 5 } },
});
const keysOf = (...records: object[]) => createdKeys(storeEventSchema.parse({ Records: records }), 'videos');

describe('of a notification, the keys are', () => {
  test.each([
    ['s3:ObjectCreated:CompleteMultipartUpload', 'uploads/a/b/c.mp4'],
    ['s3:ObjectCreated:Post', 'uploads/a/b/c.mp4'],
    ['ObjectCreated:Post', 'uploads/a/b/c.mp4'],
    ['s3:ObjectCreated:Put', 'ingest/t/c.mp4'],
    ['s3:ObjectCreated:Copy', 'ingest/t/c.mp4'],
    ['s3:ObjectCreated:CompleteMultipartUpload', 'ingest/t/c.mp4'],
  ])('that of %s of %s', (name, key) => {
    expect(keysOf(record(name, key))).toEqual([key]);
  });

  test.each([
    ['s3:ObjectCreated:Put', 'uploads/a/b/c.mp4'],
    ['s3:ObjectCreated:Copy', 'uploads/a/b/taken/d/c.mp4'],
    ['s3:ObjectCreated:Post', 'ingest/t/c.mp4'],
    ['s3:ObjectRemoved:Delete', 'ingest/t/c.mp4'],
    ['s3:ObjectAccessed:Get', 'ingest/t/c.mp4'],
    ['s3:ObjectCreated:Put', 'videos/a/b.mp4'],
    ['s3:ObjectCreated:Put', 'constructor'],
  ])('none for %s of %s', (name, key) => {
    expect(keysOf(record(name, key))).toEqual([]);
  });

  test('none for an object of another bucket', () => {
    expect(keysOf(record('s3:ObjectCreated:Put', 'ingest/t/c.mp4', 'other'))).toEqual([]);
  });

  test('decoded once, and each once', () => {
    expect(
      keysOf(
        record('s3:ObjectCreated:Put', 'ingest%2Ft%2Fholiday+film%2525.mp4'),
        record('s3:ObjectCreated:Put', 'ingest/t/holiday%20film%2525.mp4'),
      ),
    ).toEqual(['ingest/t/holiday film%25.mp4']);
  });
});

test.each([{}, { Records: {} }, { Records: [{}] }, { Records: [record('s3:ObjectCreated:Put', 'ingest/%E0%A4%A')] }])(
  '%j is no notification',
  (body) => {
    expect(storeEventSchema.safeParse(body).success).toBe(false);
  },
);
