import { createHash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import {
  AbortMultipartUploadCommand,
  type ChecksumAlgorithm,
  type ChecksumType,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import { bytes, failureOf } from '../../s3/running.ts';
import { bucketName as Bucket, openBuckets } from './open-buckets.ts';

const mib = 1 << 20;
const Key = 'uploads/a b.mp4';
const plain = { requestChecksumCalculation: 'WHEN_REQUIRED' } as const;

const md5 = (data: Buffer) => createHash('md5').update(data).digest();
const multipartEtag = (parts: Buffer[]) => `"${md5(Buffer.concat(parts.map(md5))).toString('hex')}-${parts.length}"`;

async function begin(s3: S3Client, more: object = {}): Promise<string> {
  return (await s3.send(new CreateMultipartUploadCommand({ Bucket, Key, ...more }))).UploadId!;
}

async function upload(s3: S3Client, UploadId: string, parts: Record<number, Buffer>): Promise<CompletedPart[]> {
  return Promise.all(
    Object.entries(parts).map(async ([number, Body]) => {
      const PartNumber = Number(number);
      const { ETag } = await s3.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body }));
      return { PartNumber, ETag };
    }),
  );
}

function complete(s3: S3Client, UploadId: string, Parts: CompletedPart[], more: object = {}) {
  return s3.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts }, ...more }));
}

test('parts become one object, in any order of upload', async () => {
  const { client } = await openBuckets();
  const s3 = client(plain);
  const parts = [bytes(5 * mib, 1), bytes(5 * mib, 2), bytes(17, 3)];
  const UploadId = await begin(s3, { ContentType: 'video/mp4', Metadata: { ulid: '01X' }, Tagging: 'a=b' });
  const listed = await upload(s3, UploadId, { 7: parts[2]!, 2: parts[1]!, 1: parts[0]! });
  expect(await failureOf(s3.send(new HeadObjectCommand({ Bucket, Key })))).toMatchObject({ status: 404 });

  const done = await complete(s3, UploadId, listed);
  expect(done).toMatchObject({
    ETag: multipartEtag(parts),
    Key,
    Bucket,
    Location: expect.stringContaining('/uploads/a%20b.mp4'),
  });
  const got = await s3.send(new GetObjectCommand({ Bucket, Key }));
  expect(got).toMatchObject({ ContentType: 'video/mp4', Metadata: { ulid: '01X' }, TagCount: 1, ETag: done.ETag });
  expect(Buffer.from(await got.Body!.transformToByteArray()).equals(Buffer.concat(parts))).toBe(true);
  const second = await s3.send(new GetObjectCommand({ Bucket, Key, PartNumber: 2 }));
  expect(second).toMatchObject({ PartsCount: 3, ContentRange: `bytes ${5 * mib}-${10 * mib - 1}/${10 * mib + 17}` });
  expect(Buffer.from(await second.Body!.transformToByteArray()).equals(parts[1]!)).toBe(true);
  const fourth = s3.send(new GetObjectCommand({ Bucket, Key, PartNumber: 4 }));
  expect(await failureOf(fourth)).toMatchObject({ code: 'InvalidPartNumber', status: 416 });
});

test('parts that are not listed or were replaced are not part of the object', async () => {
  const { client } = await openBuckets();
  const s3 = client(plain);
  const UploadId = await begin(s3);
  await upload(s3, UploadId, { 1: bytes(10, 1), 2: bytes(10, 2) });
  const [part] = await upload(s3, UploadId, { 1: bytes(20, 3) });
  await complete(s3, UploadId, [part!]);
  const got = await s3.send(new GetObjectCommand({ Bucket, Key }));
  expect(Buffer.from(await got.Body!.transformToByteArray()).equals(bytes(20, 3))).toBe(true);
});

test('a repeated completion gets the same response', async () => {
  const { client } = await openBuckets();
  const s3 = client(plain);
  const UploadId = await begin(s3);
  const parts = await upload(s3, UploadId, { 1: bytes(10) });
  const first = await complete(s3, UploadId, parts);
  expect(await complete(s3, UploadId, parts)).toMatchObject({ ETag: first.ETag });
  const others = complete(s3, UploadId, [{ PartNumber: 2, ETag: parts[0]!.ETag }]);
  expect(await failureOf(others)).toMatchObject({ code: 'NoSuchUpload', status: 404 });
});

test('concurrent completions create one object', async () => {
  const { client } = await openBuckets();
  const s3 = client(plain);
  const UploadId = await begin(s3);
  const parts = await upload(s3, UploadId, { 1: bytes(10) });
  const results = await Promise.all(Array.from({ length: 5 }, () => complete(s3, UploadId, parts)));
  expect(new Set(results.map((result) => result.ETag)).size).toBe(1);
});

test('a completion that does not match its parts is rejected and can be repeated correctly', async () => {
  const { client } = await openBuckets();
  const s3 = client(plain);
  const UploadId = await begin(s3);
  const [one, two, three] = await upload(s3, UploadId, { 1: bytes(5 * mib), 2: bytes(100), 3: bytes(5 * mib, 2) });
  const refusal = (parts: CompletedPart[], more: object = {}) => failureOf(complete(s3, UploadId, parts, more));
  expect(await refusal([])).toMatchObject({ code: 'MalformedXML', status: 400 });
  expect(await refusal([three!, one!])).toMatchObject({ code: 'InvalidPartOrder', status: 400 });
  expect(await refusal([one!, one!])).toMatchObject({ code: 'InvalidPartOrder', status: 400 });
  expect(await refusal([one!, two!, three!])).toMatchObject({ code: 'EntityTooSmall', status: 400 });
  expect(await refusal([{ ...one!, ETag: two!.ETag }])).toMatchObject({ code: 'InvalidPart', status: 400 });
  expect(await refusal([one!, { PartNumber: 9, ETag: '"00"' }])).toMatchObject({ code: 'InvalidPart', status: 400 });
  expect(await refusal([{ PartNumber: 10_001, ETag: '"00"' }])).toMatchObject({ code: 'InvalidArgument', status: 400 });
  expect(await refusal([one!], { MpuObjectSize: 1 })).toMatchObject({ code: 'InvalidRequest', status: 400 });
  await s3.send(new PutObjectCommand({ Bucket, Key, Body: 'x' }));
  expect(await refusal([one!], { IfNoneMatch: '*' })).toMatchObject({ code: 'PreconditionFailed', status: 412 });
  const unquoted = [one!, three!, { ...two!, PartNumber: 2 }].slice(0, 2);
  await complete(
    s3,
    UploadId,
    unquoted.map((part) => ({ ...part, ETag: part.ETag!.replaceAll('"', '') })),
  );
});

test('an upload requires its key, and does not exist after it was aborted', async () => {
  const { client } = await openBuckets();
  const s3 = client(plain);
  const UploadId = await begin(s3);
  await upload(s3, UploadId, { 1: bytes(10) });
  const elsewhere = s3.send(new UploadPartCommand({ Bucket, Key: 'other', UploadId, PartNumber: 1, Body: 'x' }));
  expect(await failureOf(elsewhere)).toMatchObject({ code: 'NoSuchUpload', status: 404 });
  await s3.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }));
  for (const command of [
    new AbortMultipartUploadCommand({ Bucket, Key, UploadId }),
    new ListPartsCommand({ Bucket, Key, UploadId }),
    new UploadPartCommand({ Bucket, Key, UploadId, PartNumber: 1, Body: 'x' }),
    new CompleteMultipartUploadCommand({
      Bucket,
      Key,
      UploadId,
      MultipartUpload: { Parts: [{ PartNumber: 1, ETag: '"0"' }] },
    }),
  ]) {
    expect(await failureOf(s3.send(command as ListPartsCommand))).toMatchObject({ code: 'NoSuchUpload', status: 404 });
  }
});

test.each([0, -1, 10_001, 1.5])('part number %s is rejected', async (PartNumber) => {
  const { client } = await openBuckets();
  const s3 = client(plain);
  const UploadId = await begin(s3);
  const part = s3.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body: 'x' }));
  expect(await failureOf(part)).toMatchObject({ code: 'InvalidArgument', status: 400 });
});

test('parts are listed page by page, in order', async () => {
  const { client } = await openBuckets();
  const s3 = client(plain);
  const UploadId = await begin(s3);
  await upload(s3, UploadId, { 1: bytes(1), 3: bytes(2), 10: bytes(3), 10000: bytes(4) });
  const first = await s3.send(new ListPartsCommand({ Bucket, Key, UploadId, MaxParts: 3 }));
  expect(first).toMatchObject({ IsTruncated: true, NextPartNumberMarker: '10', Key, UploadId, MaxParts: 3 });
  expect(first.Parts!.map((part) => [part.PartNumber, part.Size])).toEqual([
    [1, 1],
    [3, 2],
    [10, 3],
  ]);
  expect(first.Parts![0]!.ETag).toBe(`"${md5(bytes(1)).toString('hex')}"`);
  const rest = await s3.send(new ListPartsCommand({ Bucket, Key, UploadId, PartNumberMarker: '10' }));
  expect(rest.IsTruncated).toBe(false);
  expect(rest.Parts!.map((part) => part.PartNumber)).toEqual([10_000]);
});

test('uploads are listed by key and age, page by page', async () => {
  const { client } = await openBuckets();
  const s3 = client(plain);
  const started: [string, string][] = [];
  for (const key of ['b', 'a/2', 'a/1', 'b', 'c']) {
    const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key: key }));
    started.push([key, UploadId!]);
    // Uploads of a key are listed by the time of their start.
    await setTimeout(5);
  }
  const inOrder = [started[2], started[1], started[0], started[3], started[4]];
  const seen: (string | undefined)[][] = [];
  let markers: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } = {};
  for (let truncated: boolean | undefined = true; truncated; ) {
    const page = await s3.send(new ListMultipartUploadsCommand({ Bucket, MaxUploads: 1, ...markers }));
    seen.push(...page.Uploads!.map((one) => [one.Key, one.UploadId]));
    markers = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker };
    truncated = page.IsTruncated;
  }
  expect(seen).toEqual(inOrder);
  const grouped = await s3.send(new ListMultipartUploadsCommand({ Bucket, Delimiter: '/' }));
  expect(grouped.CommonPrefixes).toEqual([{ Prefix: 'a/' }]);
  expect(grouped.Uploads!.map((one) => one.Key)).toEqual(['b', 'b', 'c']);
  const prefixed = await s3.send(new ListMultipartUploadsCommand({ Bucket, Prefix: 'a/' }));
  expect(prefixed.Uploads!.map((one) => one.Key)).toEqual(['a/1', 'a/2']);
});

test.each([
  ['CRC32', 'COMPOSITE'],
  ['SHA256', 'COMPOSITE'],
  ['CRC32', 'FULL_OBJECT'],
  ['CRC64NVME', 'FULL_OBJECT'],
] as [ChecksumAlgorithm, ChecksumType][])(
  '%s checksums of parts make a %s one',
  async (ChecksumAlgorithm, ChecksumType) => {
    const { client } = await openBuckets();
    const s3 = client();
    const field = `Checksum${ChecksumAlgorithm}` as 'ChecksumCRC32';
    const data = [bytes(5 * mib, 1), bytes(1000, 2)];
    const UploadId = await begin(s3, { ChecksumAlgorithm, ChecksumType });
    const Parts = await Promise.all(
      data.map(async (Body, index) => {
        const PartNumber = index + 1;
        const part = await s3.send(
          new UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body, ChecksumAlgorithm }),
        );
        return { PartNumber, ETag: part.ETag, [field]: part[field] };
      }),
    );
    if (ChecksumType === 'COMPOSITE') {
      const without = Parts.map(({ PartNumber, ETag }) => ({ PartNumber, ETag }));
      const failure = await failureOf(complete(s3, UploadId, without));
      expect(failure).toMatchObject({ code: 'InvalidRequest', message: expect.stringContaining('missing for part 1') });
    }
    const done = await complete(s3, UploadId, Parts);
    expect(done).toMatchObject({
      ChecksumType,
      [field]: expect.stringMatching(ChecksumType === 'COMPOSITE' ? /=-2$/ : /=$/),
    });
    await s3.send(new PutObjectCommand({ Bucket, Key: 'whole', Body: Buffer.concat(data), ChecksumAlgorithm }));
    const whole = await s3.send(new HeadObjectCommand({ Bucket, Key: 'whole', ChecksumMode: 'ENABLED' }));
    expect(done[field] === whole[field]).toBe(ChecksumType === 'FULL_OBJECT');

    const copy = await s3.send(
      new CopyObjectCommand({ Bucket, Key: 'copy', CopySource: encodeURI(`${Bucket}/${Key}`) }),
    );
    expect(copy.CopyObjectResult).toMatchObject({ ETag: whole.ETag, [field]: whole[field] });
    const got = await s3.send(new GetObjectCommand({ Bucket, Key: 'copy', ChecksumMode: 'ENABLED' }));
    expect(Buffer.from(await got.Body!.transformToByteArray()).equals(Buffer.concat(data))).toBe(true);
  },
);

test('a part must have the checksum algorithm of its upload', async () => {
  const { client } = await openBuckets();
  const s3 = client();
  const UploadId = await begin(s3, { ChecksumAlgorithm: 'SHA256' });
  const part = { Bucket, Key, UploadId, PartNumber: 1, Body: 'x' };
  expect(await failureOf(client(plain).send(new UploadPartCommand(part)))).toMatchObject({
    message: 'Checksum Type mismatch occurred, expected checksum Type: sha256, actual checksum Type: null',
  });
  expect(await failureOf(s3.send(new UploadPartCommand(part)))).toMatchObject({
    message: 'Checksum Type mismatch occurred, expected checksum Type: sha256, actual checksum Type: crc32',
  });
});

test('a client with default settings uploads without naming a checksum', async () => {
  const { client } = await openBuckets();
  const s3 = client();
  const UploadId = await begin(s3);
  const part = await s3.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber: 1, Body: 'x' }));
  expect(part.ChecksumCRC32).toBe('jNwWgw==');
  const done = await complete(s3, UploadId, [{ PartNumber: 1, ETag: part.ETag }]);
  expect(done.ChecksumType).toBeUndefined();
});
