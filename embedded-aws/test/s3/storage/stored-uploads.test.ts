import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  GetObjectTaggingCommand,
  ListPartsCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import { bucketName as Bucket, bytes, runS3 } from '../running.ts';

const Key = 'uploads/a.mp4';
const plain = { requestChecksumCalculation: 'WHEN_REQUIRED' } as const;

async function upload(s3: S3Client, UploadId: string, PartNumber: number, Body: Buffer): Promise<CompletedPart> {
  return { PartNumber, ETag: (await s3.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body }))).ETag };
}
const begin = async (s3: S3Client): Promise<string> =>
  (await s3.send(new CreateMultipartUploadCommand({ Bucket, Key }))).UploadId!;
const complete = (s3: S3Client, UploadId: string, Parts: CompletedPart[]) =>
  s3.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } }));

test('parts that are not listed, were replaced or belong to an aborted upload are deleted', async () => {
  const { client, folder } = await runS3();
  const s3 = client(plain);
  const blobs = () => readdir(join(folder, 'blobs'));
  const UploadId = await begin(s3);
  await upload(s3, UploadId, 1, bytes(10, 1));
  await upload(s3, UploadId, 2, bytes(10, 2));
  await complete(s3, UploadId, [await upload(s3, UploadId, 1, bytes(20, 3))]);
  await expect.poll(blobs).toHaveLength(1);
  const other = await begin(s3);
  await upload(s3, other, 1, bytes(10));
  expect(await blobs()).toHaveLength(2);
  await s3.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId: other }));
  await expect.poll(blobs).toHaveLength(1);
});

test('repeated and concurrent completions cause one event, also after a restart', async () => {
  const running = await runS3();
  const s3 = running.client(plain);
  const UploadId = await begin(s3);
  const parts = [await upload(s3, UploadId, 1, bytes(10))];
  await running.restart();
  expect((await s3.send(new ListPartsCommand({ Bucket, Key, UploadId }))).Parts).toMatchObject(parts);
  const [first] = await Promise.all(Array.from({ length: 5 }, () => complete(s3, UploadId, parts)));
  await running.restart();
  expect(await complete(s3, UploadId, parts)).toMatchObject({ ETag: first!.ETag });
  const etag = first!.ETag!.replaceAll('"', '');
  expect(running.events).toMatchObject([
    { bucket: Bucket, key: Key, size: 10, etag, reason: 'CompleteMultipartUpload' },
  ]);
});

test('an object and its copy have an event each, and keep their tags in a restart', async () => {
  const running = await runS3();
  const s3 = running.client();
  await s3.send(new PutObjectCommand({ Bucket, Key, Body: 'x', Tagging: 'state=new' }));
  await s3.send(new CopyObjectCommand({ Bucket, Key: 'to', CopySource: `${Bucket}/${Key}` }));
  expect(running.events.map(({ reason }) => reason)).toEqual(['PutObject', 'CopyObject']);
  await running.restart();
  for (const key of [Key, 'to']) {
    const { TagSet } = await s3.send(new GetObjectTaggingCommand({ Bucket, Key: key }));
    expect(TagSet).toEqual([{ Key: 'state', Value: 'new' }]);
  }
});
