import { HeadObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import { writeObject } from '../../../functions/aws/object-store.ts';
import { useBucket } from '../../fixtures/use-bucket.ts';

useBucket();

test.each([
  ['a manifest, which can be replaced', 'videos/V/O/1/master.m3u8', 'public, max-age=60'],
  ['a file of a plan, which cannot', 'videos/V/r1/video/playlist.m3u8', 'public, max-age=31536000, immutable'],
  ['a file that viewers do not get', 'plans/V/1.json', undefined],
])('%s has the Cache-Control header of its kind', async (_, key, cacheControl) => {
  await writeObject(key, '{}', 'application/json');
  const client = new S3Client({});
  const { CacheControl } = await client.send(new HeadObjectCommand({ Bucket: process.env.BUCKET_NAME, Key: key }));
  client.destroy();
  expect(CacheControl).toBe(cacheControl);
});
