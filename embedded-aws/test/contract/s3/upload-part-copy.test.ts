import { createHash } from 'node:crypto';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListPartsCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCopyCommand,
  type UploadPartCopyCommandInput,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { expect, test } from 'vitest';
import { bytes, failureOf } from '../../s3/running.ts';
import { uniqueName } from '../target.ts';
import { bucketName as Bucket, openBuckets, otherBucket } from './open-buckets.ts';

const mib = 1 << 20;
const Key = 'joined.mp4';
const content = bytes(6 * mib, 7);
const etagOf = (data: Buffer) => `"${createHash('md5').update(data).digest('hex')}"`;

/** A source in another bucket, an upload, and a function that makes a part of the source. */
async function begin(options: { body?: Buffer; upload?: object } = {}) {
  const { client } = await openBuckets();
  const s3 = client({ requestChecksumCalculation: 'WHEN_REQUIRED' });
  const source = { Bucket: otherBucket, Key: 'from ü+.mp4' };
  const { ETag } = await s3.send(new PutObjectCommand({ ...source, Body: options.body ?? content }));
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key, ...options.upload }));
  const CopySource = `${otherBucket}/${encodeURIComponent(source.Key)}`;
  const part = { Bucket, Key, UploadId, PartNumber: 1, CopySource };
  const copy = (more: Partial<UploadPartCopyCommandInput> = {}) =>
    s3.send(new UploadPartCopyCommand({ ...part, ...more }));
  return { s3, part, copy, ETag: ETag!, upload: { Bucket, Key, UploadId } };
}

async function contentOf(s3: S3Client): Promise<Buffer> {
  const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key }));
  return Buffer.from(await Body!.transformToByteArray());
}

test('parts are made of an object of another bucket, whole or in ranges', async () => {
  const { s3, copy, upload } = await begin();
  const tail = content.subarray(6 * mib - 17);
  const [whole, first, last] = await Promise.all([
    copy({ PartNumber: 1 }),
    copy({ PartNumber: 2, CopySourceRange: `bytes=0-${5 * mib - 1}` }),
    copy({ PartNumber: 3, CopySourceRange: `bytes=${6 * mib - 17}-${6 * mib - 1}` }),
  ]);
  expect(whole.CopyPartResult).toMatchObject({ ETag: etagOf(content), LastModified: expect.any(Date) });
  expect(first.CopyPartResult!.ETag).toBe(etagOf(content.subarray(0, 5 * mib)));
  expect(last.CopyPartResult!.ETag).toBe(etagOf(tail));
  const { Parts } = await s3.send(new ListPartsCommand(upload));
  expect(Parts!.map(({ Size }) => Size)).toEqual([6 * mib, 5 * mib, 17]);

  const parts = [whole, first, last].map(({ CopyPartResult }, index) => ({
    PartNumber: index + 1,
    ETag: CopyPartResult!.ETag,
  }));
  await s3.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts: parts } }));
  const expected = Buffer.concat([content, content.subarray(0, 5 * mib), tail]);
  expect((await contentOf(s3)).equals(expected)).toBe(true);
});

test('a range over the parts of a source is copied, and a repeated copy replaces its part', async () => {
  const { s3, copy, upload } = await begin();
  const parts = [await copy({ PartNumber: 1 }), await copy({ PartNumber: 2 })].map(({ CopyPartResult }, index) => ({
    PartNumber: index + 1,
    ETag: CopyPartResult!.ETag,
  }));
  await s3.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts: parts } }));

  const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key: 'again' }));
  const again = { Key: 'again', UploadId, CopySource: `${Bucket}/${Key}` };
  await copy({ ...again, CopySourceRange: 'bytes=0-9' });
  const joint = await copy({ ...again, CopySourceRange: `bytes=${6 * mib - 4}-${6 * mib + 3}` });
  const around = Buffer.concat([content.subarray(6 * mib - 4), content.subarray(0, 4)]);
  expect(joint.CopyPartResult!.ETag).toBe(etagOf(around));
  const { Parts } = await s3.send(new ListPartsCommand({ Bucket, Key: 'again', UploadId }));
  expect(Parts!.map(({ Size }) => Size)).toEqual([8]);
});

test.each(['0-4', 'bytes=0', 'bytes=-4', 'bytes=2-', 'bytes=a-b', 'bytes=0-1,3-4', 'bytes=4-2', 'Bytes=0-4'])(
  'the range %j of a part is not of the form bytes=first-last',
  async (CopySourceRange) => {
    const { copy } = await begin({ body: bytes(10) });
    expect(await failureOf(copy({ CopySourceRange }))).toMatchObject({ code: 'InvalidArgument', status: 400 });
  },
);

test.each([
  ['bytes=10-12', 'InvalidRequest'],
  ['bytes=0-10', 'InvalidArgument'],
  ['bytes=9-99999999999999', 'InvalidArgument'],
])('the range %s ends after a source of ten bytes', async (CopySourceRange, code) => {
  const { copy } = await begin({ body: bytes(10) });
  expect(await failureOf(copy({ CopySourceRange }))).toMatchObject({ code, status: 400 });
  const last = await copy({ CopySourceRange: 'bytes=9-9' });
  expect(last.CopyPartResult!.ETag).toBe(etagOf(bytes(10).subarray(9)));
});

test('an empty object becomes an empty part, and has no ranges', async () => {
  const { copy } = await begin({ body: Buffer.alloc(0) });
  expect((await copy()).CopyPartResult!.ETag).toBe(etagOf(Buffer.alloc(0)));
  const failure = await failureOf(copy({ CopySourceRange: 'bytes=0-0' }));
  expect(failure).toMatchObject({ code: 'InvalidRequest', status: 400 });
});

test('a part is copied only while the conditions on its source hold', async () => {
  const { copy, ETag } = await begin({ body: bytes(10) });
  const [past, future] = [new Date(Date.now() - 3_600_000), new Date(Date.now() + 3_600_000)];
  for (const holds of [
    { CopySourceIfMatch: ETag },
    { CopySourceIfMatch: ETag, CopySourceIfUnmodifiedSince: past },
    { CopySourceIfNoneMatch: '"other"' },
    { CopySourceIfModifiedSince: past },
    { CopySourceIfUnmodifiedSince: future },
  ]) {
    expect((await copy(holds)).CopyPartResult!.ETag).toBe(ETag);
  }
  for (const fails of [
    { CopySourceIfMatch: '"other"' },
    { CopySourceIfNoneMatch: ETag },
    { CopySourceIfNoneMatch: ETag, CopySourceIfModifiedSince: past },
    { CopySourceIfUnmodifiedSince: past },
  ]) {
    expect(await failureOf(copy(fails))).toMatchObject({ code: 'PreconditionFailed', status: 412 });
  }
});

test('copies into parts that S3 rejects are rejected', async () => {
  const { s3, copy, upload } = await begin({ body: bytes(10) });
  const refusal = (more: Partial<UploadPartCopyCommandInput>) => failureOf(copy(more));
  expect(await refusal({ CopySource: `${otherBucket}/absent` })).toMatchObject({ code: 'NoSuchKey', status: 404 });
  const absent = `${uniqueName('absent')}/k`;
  expect(await refusal({ CopySource: absent })).toMatchObject({ code: 'NoSuchBucket', status: 404 });
  expect(await refusal({ CopySource: otherBucket })).toMatchObject({ code: 'InvalidArgument', status: 400 });
  expect(await refusal({ PartNumber: 10_001 })).toMatchObject({ code: 'InvalidArgument', status: 400 });
  expect(await refusal({ Key: 'elsewhere' })).toMatchObject({ code: 'NoSuchUpload', status: 404 });
  await s3.send(new AbortMultipartUploadCommand(upload));
  expect(await refusal({})).toMatchObject({ code: 'NoSuchUpload', status: 404 });
});

test('a copied part has the checksum algorithm of its upload', async () => {
  const { s3, copy, upload } = await begin({ upload: { ChecksumAlgorithm: 'CRC32', ChecksumType: 'FULL_OBJECT' } });
  const { CopyPartResult } = await copy();
  const { ChecksumCRC32, ETag } = CopyPartResult!;
  expect(ChecksumCRC32).toMatch(/^[A-Za-z0-9+/]{6}==$/);
  const Parts = [{ PartNumber: 1, ETag, ChecksumCRC32 }];
  await s3.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } }));
  const whole = { Bucket, Key: 'whole', Body: content, ChecksumAlgorithm: 'CRC32' } as const;
  expect((await s3.send(new PutObjectCommand(whole))).ChecksumCRC32).toBe(ChecksumCRC32);
  const head = await s3.send(new HeadObjectCommand({ Bucket, Key, ChecksumMode: 'ENABLED' }));
  expect(head.ChecksumCRC32).toBe(ChecksumCRC32);
});

test('a presigned URL copies what its signed headers name, and nothing else', async () => {
  const { s3, part } = await begin({ body: bytes(10) });
  const headers = { 'x-amz-copy-source': part.CopySource, 'x-amz-copy-source-range': 'bytes=2-5' };
  const signed = new Set(Object.keys(headers));
  const command = new UploadPartCopyCommand({ ...part, CopySourceRange: headers['x-amz-copy-source-range'] });
  const url = await getSignedUrl(s3, command, { unhoistableHeaders: signed, signableHeaders: signed });
  const put = async (more: Record<string, string>) => {
    const response = await fetch(url, { method: 'PUT', headers: { ...headers, ...more } });
    return `${response.status} ${(await response.text()).match(/<(?:ETag|Code)>(.*?)</)?.[1]?.replace(/&(quot|#34);/g, '"')}`;
  };
  expect(await put({})).toBe(`200 ${etagOf(bytes(10).subarray(2, 6))}`);
  expect(await put({ 'x-amz-copy-source-range': 'bytes=0-5' })).toBe('403 SignatureDoesNotMatch');
  expect(await put({ 'x-amz-copy-source': `${otherBucket}/other` })).toBe('403 SignatureDoesNotMatch');
});
