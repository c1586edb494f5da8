import {
  DeleteObjectTaggingCommand,
  GetObjectTaggingCommand,
  PutObjectCommand,
  PutObjectTaggingCommand,
  type Tag,
} from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import { failureOf } from '../../s3/running.ts';
import { bucketName as Bucket, openBuckets } from './open-buckets.ts';

const Key = 'k';

test('tags are stored, replaced and removed', async () => {
  const { client } = await openBuckets();
  const s3 = client();
  /** Sorted, since AWS does not document an order. */
  const tags = async () =>
    (await s3.send(new GetObjectTaggingCommand({ Bucket, Key }))).TagSet!.toSorted((a, b) =>
      a.Key! < b.Key! ? -1 : 1,
    );
  await s3.send(new PutObjectCommand({ Bucket, Key, Body: 'x', Tagging: 'state=new&odd=%2B%20%C3%BC' }));
  expect(await tags()).toEqual([
    { Key: 'odd', Value: '+ ü' },
    { Key: 'state', Value: 'new' },
  ]);
  await s3.send(
    new PutObjectTaggingCommand({ Bucket, Key, Tagging: { TagSet: [{ Key: 'orphan', Value: 'a/1 @x' }] } }),
  );
  expect(await tags()).toEqual([{ Key: 'orphan', Value: 'a/1 @x' }]);
  await s3.send(new DeleteObjectTaggingCommand({ Bucket, Key }));
  expect(await tags()).toEqual([]);
  await s3.send(new PutObjectTaggingCommand({ Bucket, Key, Tagging: { TagSet: [] } }));
  expect(await tags()).toEqual([]);
});

test('tags outside the limits are rejected', async () => {
  const { client } = await openBuckets();
  const s3 = client();
  await s3.send(new PutObjectCommand({ Bucket, Key, Body: 'x' }));
  const put = (TagSet: Tag[], key = Key) =>
    failureOf(s3.send(new PutObjectTaggingCommand({ Bucket, Key: key, Tagging: { TagSet } })));
  const many = Array.from({ length: 11 }, (_, i) => ({ Key: `${i}`, Value: '' }));
  expect(await put(many)).toMatchObject({ code: 'BadRequest', status: 400 });
  expect(await put([{ Key: 'k'.repeat(129), Value: '' }])).toMatchObject({ code: 'InvalidTag', status: 400 });
  expect(await put([{ Key: 'k', Value: 'v'.repeat(257) }])).toMatchObject({ code: 'InvalidTag', status: 400 });
  expect(await put([many[0]!, many[0]!])).toMatchObject({ code: 'InvalidTag', status: 400 });
  expect(await put([{ Key: 'k', Value: '<1>' }])).toMatchObject({ code: 'InvalidTag', status: 400 });
  expect(await put([{ Key: 'k&', Value: '' }])).toMatchObject({ code: 'InvalidTag', status: 400 });
  const header = (Tagging: string) => failureOf(s3.send(new PutObjectCommand({ Bucket, Key, Body: 'x', Tagging })));
  expect(await header('k=%26')).toMatchObject({ code: 'InvalidTag', status: 400 });
  expect(await header('k=1&k=2')).toMatchObject({ code: 'InvalidArgument', status: 400 });
  expect(await put([], 'absent')).toMatchObject({ code: 'NoSuchKey', status: 404 });
});
