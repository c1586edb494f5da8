import {
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import { bucketName as Bucket, runS3 } from '../running.ts';

const dayMs = 24 * 3600 * 1000;

test('old uploads are aborted and old objects with the prefix expire', async () => {
  let now = new Date();
  const { client, s3: server } = await runS3({ now: () => now });
  const start = now.getTime();
  const s3 = () =>
    client({ systemClockOffset: now.getTime() - Date.now(), requestChecksumCalculation: 'WHEN_REQUIRED' });
  const { UploadId } = await s3().send(new CreateMultipartUploadCommand({ Bucket, Key: 'idle' }));
  await s3().send(new UploadPartCommand({ Bucket, Key: 'idle', UploadId, PartNumber: 1, Body: 'x' }));
  for (const Key of ['logs/old', 'videos/old']) await s3().send(new PutObjectCommand({ Bucket, Key, Body: 'x' }));

  now = new Date(start + 6 * dayMs);
  expect(await server.applyLifecycle(now)).toEqual({ abortedUploads: 0, expiredObjects: 0 });
  now = new Date(start + 7 * dayMs);
  await s3().send(new CreateMultipartUploadCommand({ Bucket, Key: 'fresh' }));
  expect(await server.applyLifecycle(now)).toEqual({ abortedUploads: 1, expiredObjects: 0 });
  const uploads = await s3().send(new ListMultipartUploadsCommand({ Bucket }));
  expect(uploads.Uploads!.map((upload) => upload.Key)).toEqual(['fresh']);

  now = new Date(start + 30 * dayMs);
  await s3().send(new PutObjectCommand({ Bucket, Key: 'logs/new', Body: 'x' }));
  expect(await server.applyLifecycle(now)).toEqual({ abortedUploads: 1, expiredObjects: 1 });
  const objects = await s3().send(new ListObjectsV2Command({ Bucket }));
  expect(objects.Contents!.map((object) => object.Key)).toEqual(['logs/new', 'videos/old']);
});
