import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  type ChecksumAlgorithm,
  CopyObjectCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetBucketLocationCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import { bytes, failureOf } from '../../s3/running.ts';
import { uniqueName } from '../target.ts';
import { bucketName as Bucket, openBuckets, otherBucket } from './open-buckets.ts';

/** On AWS, a short name belongs to another account, which answers 403. */
const absentBucket = uniqueName('absent');
const md5 = (data: Buffer) => createHash('md5').update(data).digest('hex');

test('an object is stored with its headers and metadata', async () => {
  const { client } = await openBuckets();
  const s3 = client();
  const Body = bytes(100_001);
  const put = await s3.send(
    new PutObjectCommand({
      Bucket,
      Key: 'a/b c+ü😀.mp4',
      Body,
      ContentType: 'video/mp4',
      CacheControl: 'max-age=60',
      ContentDisposition: 'attachment',
      ContentLanguage: 'en',
      Metadata: { upload: '01ABC', Mixed: 'Case' },
      Tagging: 'a=1&b=x%20y',
    }),
  );
  expect(put.ETag).toBe(`"${md5(Body)}"`);

  const got = await s3.send(new GetObjectCommand({ Bucket, Key: 'a/b c+ü😀.mp4' }));
  expect(Buffer.from(await got.Body!.transformToByteArray()).equals(Body)).toBe(true);
  expect(got).toMatchObject({
    ContentType: 'video/mp4',
    ContentLength: Body.length,
    CacheControl: 'max-age=60',
    ContentDisposition: 'attachment',
    ContentLanguage: 'en',
    Metadata: { upload: '01ABC', mixed: 'Case' },
    TagCount: 2,
    AcceptRanges: 'bytes',
    ETag: put.ETag,
  });
  const head = await s3.send(new HeadObjectCommand({ Bucket, Key: 'a/b c+ü😀.mp4' }));
  expect(head).toMatchObject({ ContentLength: Body.length, ETag: put.ETag, Metadata: { upload: '01ABC' } });
});

test('a body of unknown hash is streamed with a trailing checksum', async () => {
  const { client } = await openBuckets();
  const body = bytes(300_000);
  await client().send(
    new PutObjectCommand({
      Bucket,
      Key: 'k',
      Body: Readable.from([body]),
      ContentLength: body.length,
      ContentEncoding: 'gzip',
    }),
  );
  const got = await client().send(new GetObjectCommand({ Bucket, Key: 'k' }));
  expect(got.ContentEncoding).toBe('gzip');
  expect(Buffer.from(await got.Body!.transformToByteArray()).equals(body)).toBe(true);
});

test.each(['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256'] as ChecksumAlgorithm[])(
  'a %s checksum is verified, stored and returned',
  async (ChecksumAlgorithm) => {
    const { client } = await openBuckets();
    const s3 = client();
    const field = `Checksum${ChecksumAlgorithm}` as 'ChecksumCRC32';
    const put = await s3.send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'hello', ChecksumAlgorithm }));
    const got = await s3.send(new GetObjectCommand({ Bucket, Key: 'k', ChecksumMode: 'ENABLED' }));
    expect(got[field]).toBe(put[field]);
    expect(got[field]).toMatch(/=$/);
    expect(await got.Body!.transformToString()).toBe('hello');

    const other = await s3.send(new PutObjectCommand({ Bucket, Key: 'other', Body: 'other', ChecksumAlgorithm }));
    const wrong = new PutObjectCommand({ Bucket, Key: 'k', Body: 'hullo', [field]: other[field] });
    expect(await failureOf(s3.send(wrong))).toMatchObject({ code: 'BadDigest', status: 400 });
    const kept = await s3.send(new GetObjectCommand({ Bucket, Key: 'k' }));
    expect(await kept.Body!.transformToString()).toBe('hello');
  },
);

test('a wrong Content-MD5 is rejected', async () => {
  const { client } = await openBuckets();
  const ContentMD5 = createHash('md5').update('other').digest('base64');
  const put = (md5: string) => client().send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'x', ContentMD5: md5 }));
  expect(await failureOf(put(ContentMD5))).toMatchObject({ code: 'BadDigest', status: 400 });
  expect(await failureOf(put('nonsense'))).toMatchObject({ code: 'InvalidDigest', status: 400 });
});

test('conditional writes succeed only if their conditions hold', async () => {
  const { client } = await openBuckets();
  const s3 = client();
  const put = (conditions: object, Key = 'k') =>
    s3.send(new PutObjectCommand({ Bucket, Key, Body: 'x', ...conditions }));
  const { ETag } = await put({ IfNoneMatch: '*' });
  expect(await failureOf(put({ IfNoneMatch: '*' }))).toMatchObject({ code: 'PreconditionFailed', status: 412 });
  expect(await failureOf(put({ IfMatch: '"0000"' }))).toMatchObject({ code: 'PreconditionFailed', status: 412 });
  await put({ IfMatch: ETag });
  expect(await failureOf(put({ IfMatch: ETag }, 'absent'))).toMatchObject({ code: 'NoSuchKey', status: 404 });
});

test('of concurrent writers with If-None-Match exactly one succeeds', async () => {
  const { client } = await openBuckets();
  const s3 = client();
  const results = await Promise.allSettled(
    Array.from({ length: 12 }, (_, i) =>
      s3.send(new PutObjectCommand({ Bucket, Key: 'k', Body: `writer ${i}`, IfNoneMatch: '*' })),
    ),
  );
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

test.each([
  ['bytes=0-0', 'bytes 0-0/10', '0'],
  ['bytes=2-5', 'bytes 2-5/10', '2345'],
  ['bytes=7-', 'bytes 7-9/10', '789'],
  ['bytes=-3', 'bytes 7-9/10', '789'],
  ['bytes=-99', 'bytes 0-9/10', '0123456789'],
  ['bytes=8-99', 'bytes 8-9/10', '89'],
])('%s is answered with %s', async (Range, contentRange, text) => {
  const { client } = await openBuckets();
  await client().send(new PutObjectCommand({ Bucket, Key: 'k', Body: '0123456789' }));
  const got = await client().send(new GetObjectCommand({ Bucket, Key: 'k', Range }));
  expect([got.$metadata.httpStatusCode, got.ContentRange, await got.Body!.transformToString()]).toEqual([
    206,
    contentRange,
    text,
  ]);
  const head = await client().send(new HeadObjectCommand({ Bucket, Key: 'k', Range }));
  expect([head.$metadata.httpStatusCode, head.ContentLength]).toEqual([206, text.length]);
});

test.each(['bytes=5-2', 'bytes=0-1,3-4', 'lines=1-2', 'bytes=-'])(
  '%s is not a range: the whole object is sent',
  async (Range) => {
    const { client } = await openBuckets();
    await client().send(new PutObjectCommand({ Bucket, Key: 'k', Body: '0123456789' }));
    const got = await client().send(new GetObjectCommand({ Bucket, Key: 'k', Range }));
    expect([got.$metadata.httpStatusCode, got.ContentLength]).toEqual([200, 10]);
    await got.Body!.transformToString();
  },
);

test.each([
  ['bytes=10-', '0123456789'],
  ['bytes=-0', '0123456789'],
  ['bytes=0-', ''],
])('%s of "%s" cannot be satisfied', async (Range, Body) => {
  const { client } = await openBuckets();
  await client().send(new PutObjectCommand({ Bucket, Key: 'k', Body }));
  const failure = await failureOf(client().send(new GetObjectCommand({ Bucket, Key: 'k', Range })));
  expect(failure).toMatchObject({ code: 'InvalidRange', status: 416 });
});

test('conditional reads are answered with 304 and 412', async () => {
  const { client } = await openBuckets();
  const s3 = client();
  const { ETag } = await s3.send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'x' }));
  const then = (await s3.send(new HeadObjectCommand({ Bucket, Key: 'k' }))).LastModified!;
  const before = new Date(then.getTime() - 1000);
  const status = async (conditions: object) => {
    const call = s3.send(new GetObjectCommand({ Bucket, Key: 'k', ...conditions }));
    return call.then(
      (got) => got.Body!.transformToString().then(() => 200),
      (error) => error.$metadata.httpStatusCode,
    );
  };
  expect(await status({ IfMatch: ETag })).toBe(200);
  expect(await status({ IfMatch: '"no"' })).toBe(412);
  expect(await status({ IfNoneMatch: ETag })).toBe(304);
  expect(await status({ IfNoneMatch: '"no"' })).toBe(200);
  expect(await status({ IfModifiedSince: then })).toBe(304);
  expect(await status({ IfModifiedSince: before })).toBe(200);
  expect(await status({ IfUnmodifiedSince: before })).toBe(412);
  expect(await status({ IfMatch: ETag, IfUnmodifiedSince: before })).toBe(200);
  expect(await status({ IfNoneMatch: '"no"', IfModifiedSince: then })).toBe(200);
});

test('response-* parameters replace headers, and cannot inject others', async () => {
  const { client } = await openBuckets();
  const s3 = client();
  await s3.send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'x', ContentType: 'video/mp4' }));
  const got = await s3.send(
    new GetObjectCommand({
      Bucket,
      Key: 'k',
      ResponseContentType: 'text/plain',
      ResponseContentDisposition: 'attachment; filename="a b.txt"',
      ResponseCacheControl: 'no-store',
    }),
  );
  expect(got).toMatchObject({
    ContentType: 'text/plain',
    ContentDisposition: 'attachment; filename="a b.txt"',
    CacheControl: 'no-store',
  });
  await got.Body!.transformToString();
  const split = s3.send(new GetObjectCommand({ Bucket, Key: 'k', ResponseContentType: 'a\r\nSet-Cookie: b' }));
  expect(await failureOf(split)).toMatchObject({ code: 'InvalidArgument', status: 400 });
});

test('a copy has the content, and the metadata unless it is replaced', async () => {
  const { client } = await openBuckets();
  const s3 = client();
  const Body = bytes(70_000);
  const { ETag } = await s3.send(
    new PutObjectCommand({
      Bucket,
      Key: 'from ü+',
      Body,
      ContentType: 'video/mp4',
      Metadata: { a: '1' },
      Tagging: 't=1',
    }),
  );
  const CopySource = `/${Bucket}/${encodeURIComponent('from ü+')}`;
  const copied = await s3.send(new CopyObjectCommand({ Bucket: otherBucket, Key: 'to', CopySource }));
  expect(copied.CopyObjectResult!.ETag).toBe(ETag);
  await s3.send(new DeleteObjectCommand({ Bucket, Key: 'from ü+' }));
  const got = await s3.send(new GetObjectCommand({ Bucket: otherBucket, Key: 'to' }));
  expect(got).toMatchObject({ ContentType: 'video/mp4', Metadata: { a: '1' }, TagCount: 1 });
  expect(Buffer.from(await got.Body!.transformToByteArray()).equals(Body)).toBe(true);

  await s3.send(
    new CopyObjectCommand({
      Bucket,
      Key: 'again',
      CopySource: `${otherBucket}/to`,
      MetadataDirective: 'REPLACE',
      Metadata: { b: '2' },
      TaggingDirective: 'REPLACE',
    }),
  );
  const again = await s3.send(new HeadObjectCommand({ Bucket, Key: 'again' }));
  expect(again).toMatchObject({ ContentType: 'binary/octet-stream', Metadata: { b: '2' }, ETag });
  expect(again.TagCount).toBeUndefined();
});

test('copies that S3 rejects are rejected', async () => {
  const { client } = await openBuckets();
  const s3 = client();
  const { ETag } = await s3.send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'x' }));
  const copy = (more: object) =>
    failureOf(s3.send(new CopyObjectCommand({ Bucket, Key: 'k', CopySource: `${Bucket}/k`, ...more })));
  expect(await copy({})).toMatchObject({ code: 'InvalidRequest', status: 400 });
  expect(await copy({ TaggingDirective: 'REPLACE' })).toMatchObject({ code: 'InvalidRequest', status: 400 });
  expect(await copy({ CopySource: `${Bucket}/absent` })).toMatchObject({ code: 'NoSuchKey', status: 404 });
  expect(await copy({ CopySource: `${absentBucket}/k` })).toMatchObject({ code: 'NoSuchBucket', status: 404 });
  expect(await copy({ Key: 'l', CopySourceIfMatch: '"no"' })).toMatchObject({
    code: 'PreconditionFailed',
    status: 412,
  });
  expect(await copy({ Key: 'l', CopySourceIfNoneMatch: ETag })).toMatchObject({
    code: 'PreconditionFailed',
    status: 412,
  });
});

test('deleting a missing object succeeds', async () => {
  const { client } = await openBuckets();
  const s3 = client();
  const odd = 'a&b<c>"\'\n\u{1F600}.ts';
  for (const Key of ['x', 'y', odd]) await s3.send(new PutObjectCommand({ Bucket, Key, Body: '1' }));
  expect((await s3.send(new DeleteObjectCommand({ Bucket, Key: 'x' }))).$metadata.httpStatusCode).toBe(204);
  expect((await s3.send(new DeleteObjectCommand({ Bucket, Key: 'x' }))).$metadata.httpStatusCode).toBe(204);
  const Objects = [{ Key: 'y' }, { Key: 'never' }, { Key: odd }];
  const deleted = await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
  expect(deleted.Deleted).toEqual(Objects);
  for (const { Key } of Objects)
    expect(await failureOf(s3.send(new HeadObjectCommand({ Bucket, Key })))).toMatchObject({ status: 404 });
  const quiet = await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } }));
  expect(quiet.Deleted ?? []).toEqual([]);
});

test('too many keys to delete are malformed', async () => {
  const { client } = await openBuckets();
  const Objects = Array.from({ length: 1001 }, (_, i) => ({ Key: `k${i}` }));
  const failure = await failureOf(client().send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } })));
  expect(failure).toMatchObject({ code: 'MalformedXML', status: 400 });
});

test('HeadBucket and GetBucketLocation report existence and region', async () => {
  const { client, region } = await openBuckets();
  const s3 = client();
  expect((await s3.send(new HeadBucketCommand({ Bucket }))).BucketRegion).toBe(region);
  expect((await s3.send(new GetBucketLocationCommand({ Bucket }))).LocationConstraint).toBe(region);
  expect(await failureOf(s3.send(new HeadBucketCommand({ Bucket: absentBucket })))).toMatchObject({ status: 404 });
  expect(await failureOf(s3.send(new GetObjectCommand({ Bucket: absentBucket, Key: 'k' })))).toMatchObject({
    code: 'NoSuchBucket',
    status: 404,
  });
  expect(await failureOf(s3.send(new GetObjectCommand({ Bucket, Key: 'k' })))).toMatchObject({
    code: 'NoSuchKey',
    status: 404,
  });
});

test('a key has at most 1024 bytes', async () => {
  const { client } = await openBuckets();
  const s3 = client();
  const Key = 'ü'.repeat(512);
  await s3.send(new PutObjectCommand({ Bucket, Key, Body: 'x' }));
  expect((await s3.send(new HeadObjectCommand({ Bucket, Key }))).ContentLength).toBe(1);
  const longer = s3.send(new PutObjectCommand({ Bucket, Key: `${Key}a`, Body: 'x' }));
  expect(await failureOf(longer)).toMatchObject({ code: 'KeyTooLongError', status: 400 });
});

test('metadata of more than 2 KB is rejected', async () => {
  const { client } = await openBuckets();
  const put = client().send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'x', Metadata: { a: 'x'.repeat(2048) } }));
  expect(await failureOf(put)).toMatchObject({ code: 'MetadataTooLarge', status: 400 });
});

test('an object that is replaced or deleted during a read is read completely', async () => {
  const { client } = await openBuckets();
  const s3 = client();
  const Body = bytes(8 << 20);
  await s3.send(new PutObjectCommand({ Bucket, Key: 'k', Body }));
  const got = await s3.send(new GetObjectCommand({ Bucket, Key: 'k' }));
  await s3.send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'new' }));
  await s3.send(new DeleteObjectCommand({ Bucket, Key: 'k' }));
  expect(Buffer.from(await got.Body!.transformToByteArray()).equals(Body)).toBe(true);
});
