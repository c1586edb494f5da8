import {
  ListObjectsV2Command,
  type ListObjectsV2CommandInput,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import { failureOf } from '../../s3/running.ts';
import { uniqueName } from '../target.ts';
import { bucketName as Bucket, openBuckets } from './open-buckets.ts';

async function fill(s3: S3Client, keys: string[]): Promise<void> {
  await Promise.all(keys.map((Key) => s3.send(new PutObjectCommand({ Bucket, Key, Body: Key }))));
}

/** Keys and prefixes of all pages, in order. */
async function listAll(
  s3: S3Client,
  input: Partial<ListObjectsV2CommandInput>,
): Promise<{ names: string[]; pages: number }> {
  const names: string[] = [];
  let ContinuationToken: string | undefined;
  for (let pages = 1; ; pages++) {
    const page = await s3.send(new ListObjectsV2Command({ Bucket, ...input, ContinuationToken }));
    const keys = (page.Contents ?? []).map((object) => object.Key!);
    const prefixes = (page.CommonPrefixes ?? []).map((common) => common.Prefix!);
    expect(page.KeyCount).toBe(keys.length + prefixes.length);
    names.push(...[...keys, ...prefixes].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))));
    ContinuationToken = page.NextContinuationToken;
    if (!page.IsTruncated) return { names, pages };
    expect(ContinuationToken).toBeTypeOf('string');
  }
}

test('keys are listed in the order of their UTF-8 bytes', async () => {
  const { client } = await openBuckets();
  const s3 = client();
  const keys = ['Z', 'a', 'a/b', 'a0', 'é', '\uffee', '\u{1F600}', 'a b', 'a+b', 'a%20b'];
  await fill(s3, keys);
  const expected = [...keys].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  expect((await listAll(s3, {})).names).toEqual(expected);
  expect(await listAll(s3, { MaxKeys: 3 })).toEqual({ names: expected, pages: 4 });
  const one = await s3.send(new ListObjectsV2Command({ Bucket, Prefix: '\u{1F600}' }));
  expect(one.Contents).toMatchObject([
    { Key: '\u{1F600}', Size: 4, StorageClass: 'STANDARD', ETag: expect.stringMatching(/^"[0-9a-f]{32}"$/) },
  ]);
});

test('prefix, delimiter and start-after filter a listing', async () => {
  const { client } = await openBuckets();
  const s3 = client();
  await fill(s3, ['v/1/a', 'v/1/b', 'v/2/a', 'v/3', 'v0', 'w/1']);
  const names = async (input: Partial<ListObjectsV2CommandInput>) => (await listAll(s3, input)).names;
  expect(await names({ Prefix: 'v/', Delimiter: '/' })).toEqual(['v/1/', 'v/2/', 'v/3']);
  expect(await names({ Prefix: 'v/', Delimiter: '/', MaxKeys: 1 })).toEqual(['v/1/', 'v/2/', 'v/3']);
  expect(await names({ Delimiter: '/' })).toEqual(['v/', 'v0', 'w/']);
  expect(await names({ Delimiter: '/1' })).toEqual(['v/1', 'v/2/a', 'v/3', 'v0', 'w/1']);
  expect(await names({ StartAfter: 'v/2/a' })).toEqual(['v/3', 'v0', 'w/1']);
  expect(await names({ StartAfter: 'v/2', Prefix: 'v/' })).toEqual(['v/2/a', 'v/3']);
  expect(await names({ Prefix: 'nothing' })).toEqual([]);
  const none = await s3.send(new ListObjectsV2Command({ Bucket, MaxKeys: 0 }));
  expect(none).toMatchObject({ KeyCount: 0, IsTruncated: false });
});

test('keys can be requested URL-encoded', async () => {
  const { client } = await openBuckets();
  const s3 = client();
  await fill(s3, ['a b/ü&\u0001']);
  const listed = await s3.send(
    new ListObjectsV2Command({ Bucket, EncodingType: 'url', Prefix: 'a b', Delimiter: '/' }),
  );
  expect(listed).toMatchObject({ EncodingType: 'url', Prefix: 'a+b', CommonPrefixes: [{ Prefix: 'a+b/' }] });
  const whole = await s3.send(new ListObjectsV2Command({ Bucket, EncodingType: 'url' }));
  expect(whole.Contents![0]!.Key).toBe('a+b/%C3%BC%26%01');
});

test('invalid listings are rejected', async () => {
  const { client } = await openBuckets();
  const list = (input: object) => failureOf(client().send(new ListObjectsV2Command({ Bucket, ...input })));
  expect(await list({ ContinuationToken: 'made up' })).toMatchObject({ code: 'InvalidArgument', status: 400 });
  expect(await list({ MaxKeys: -1 })).toMatchObject({ code: 'InvalidArgument', status: 400 });
  expect(await list({ EncodingType: 'base64' })).toMatchObject({ code: 'InvalidArgument', status: 400 });
  expect(await list({ Bucket: uniqueName('absent') })).toMatchObject({ code: 'NoSuchBucket', status: 404 });
});
