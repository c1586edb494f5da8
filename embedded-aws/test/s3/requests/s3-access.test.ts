import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  GetObjectTaggingCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  ListPartsCommand,
  PutObjectCommand,
  PutObjectTaggingCommand,
  type S3Client,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { createPresignedPost } from '@aws-sdk/s3-presigned-post';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { beforeEach, describe, expect, test } from 'vitest';
import { compilePolicy, type Statement } from '../../../src/iam/policy.ts';
import { createPrincipal, createPrincipalLookup } from '../../../src/testing/create-principal.ts';
import { accessKeyId, bucketName as Bucket, runS3, secretAccessKey } from '../running.ts';

const [arn, Key] = [`arn:aws:s3:::${Bucket}`, 'videos/a'];
const owner = { accessKeyId, secretAccessKey };
const other = { accessKeyId: 'AKIDOTHER', secretAccessKey: 'other' };
const allow = (Action: string, Resource: string, Condition = {}): Statement => ({
  Effect: 'Allow',
  Action,
  Resource,
  Condition,
});

let all: S3Client;
let some: S3Client;
let statements: Statement[];

beforeEach(async () => {
  statements = [];
  const policy: ReturnType<typeof compilePolicy> = (request) => compilePolicy(statements)(request);
  const { client } = await runS3({
    findPrincipal: createPrincipalLookup(createPrincipal(owner), createPrincipal(other, policy)),
  });
  const plain = { requestChecksumCalculation: 'WHEN_REQUIRED' } as const;
  [all, some] = [client(plain), client({ ...plain, credentials: other })];
  await all.send(new PutObjectCommand({ Bucket, Key, Body: 'x' }));
});

const outcome = (client: S3Client, command: unknown): Promise<string> =>
  client.send(command as HeadBucketCommand).then(
    () => 'done',
    (error) => `${error.$metadata.httpStatusCode} ${error.name}`,
  );

test.each([
  ['s3:ListBucket', arn, new HeadBucketCommand({ Bucket })],
  ['s3:ListBucket', arn, new ListObjectsV2Command({ Bucket })],
  ['s3:ListBucketMultipartUploads', arn, new ListMultipartUploadsCommand({ Bucket })],
  ['s3:GetObject', `${arn}/videos/*`, new GetObjectCommand({ Bucket, Key })],
  ['s3:GetObject', `${arn}/videos/*`, new HeadObjectCommand({ Bucket, Key })],
  ['s3:PutObject', `${arn}/videos/*`, new PutObjectCommand({ Bucket, Key, Body: 'y' })],
  ['s3:PutObject', `${arn}/videos/*`, new CreateMultipartUploadCommand({ Bucket, Key })],
  ['s3:DeleteObject', `${arn}/videos/*`, new DeleteObjectCommand({ Bucket, Key })],
  ['s3:GetObjectTagging', `${arn}/videos/*`, new GetObjectTaggingCommand({ Bucket, Key })],
  ['s3:PutObjectTagging', `${arn}/videos/*`, new PutObjectTaggingCommand({ Bucket, Key, Tagging: { TagSet: [] } })],
])('%s on %s', async (action, resource, command) => {
  expect(await outcome(some, command)).toMatch(/^403 /);
  statements = [allow(action, `${arn}/uploads/*`), allow('s3:Other', resource)];
  expect(await outcome(some, command)).toMatch(/^403 /);
  statements = [allow(action, resource)];
  expect(await outcome(some, command)).toBe('done');
});

test('the permissions of a multipart upload', async () => {
  const { UploadId } = await all.send(new CreateMultipartUploadCommand({ Bucket, Key }));
  const upload = { Bucket, Key, UploadId };
  const part = new UploadPartCommand({ ...upload, PartNumber: 1, Body: 'x' });
  expect(await outcome(some, part)).toBe('403 AccessDenied');
  const { ETag } = await all.send(part);
  expect(await outcome(some, new ListPartsCommand(upload))).toBe('403 AccessDenied');
  statements = [allow('s3:ListMultipartUploadParts', `${arn}/*`)];
  expect(await outcome(some, new ListPartsCommand(upload))).toBe('done');
  const MultipartUpload = { Parts: [{ PartNumber: 1, ETag }] };
  const complete = new CompleteMultipartUploadCommand({ ...upload, MultipartUpload });
  expect(await outcome(some, complete)).toBe('403 AccessDenied');
  statements = [allow('s3:PutObject', `${arn}/*`)];
  expect(await outcome(some, complete)).toBe('done');
});

test('ListBucket may be restricted to a prefix', async () => {
  statements = [allow('s3:ListBucket', arn, { StringLikeIfExists: { 's3:prefix': ['videos/*'] } })];
  expect(await outcome(some, new ListObjectsV2Command({ Bucket, Prefix: 'videos/' }))).toBe('done');
  expect(await outcome(some, new ListObjectsV2Command({ Bucket, Prefix: 'uploads/' }))).toBe('403 AccessDenied');
});

test('PutObject may be restricted to new objects', async () => {
  statements = [allow('s3:PutObject', `${arn}/logs/*`, { Null: { 's3:if-none-match': 'false' } })];
  const put = (more: object) => outcome(some, new PutObjectCommand({ Bucket, Key: 'logs/a', Body: 'x', ...more }));
  expect(await put({})).toBe('403 AccessDenied');
  expect(await put({ IfNoneMatch: '*' })).toBe('done');
  expect(await put({ IfNoneMatch: '*' })).toBe('412 PreconditionFailed');
});

test('a missing object is reported only to callers that may list the bucket', async () => {
  const get = new GetObjectCommand({ Bucket, Key: 'videos/none' });
  statements = [allow('s3:GetObject', `${arn}/*`)];
  expect(await outcome(some, get)).toBe('403 AccessDenied');
  statements.push(allow('s3:ListBucket', arn));
  expect(await outcome(some, get)).toBe('404 NoSuchKey');
});

test('a copy requires the permission for its source, and tags require their own', async () => {
  const copy = new CopyObjectCommand({ Bucket, Key: 'work/b', CopySource: `${Bucket}/${Key}` });
  statements = [allow('s3:PutObject', `${arn}/work/*`)];
  expect(await outcome(some, copy)).toBe('403 AccessDenied');
  statements.push(allow('s3:GetObject', `${arn}/videos/*`));
  expect(await outcome(some, copy)).toBe('done');
  const tagged = new PutObjectCommand({ Bucket, Key: 'work/c', Body: 'x', Tagging: 'a=b' });
  expect(await outcome(some, tagged)).toBe('403 AccessDenied');
  statements.push(allow('s3:PutObjectTagging', `${arn}/work/*`));
  expect(await outcome(some, tagged)).toBe('done');
});

test('a copied part requires the permissions for its source and for its upload', async () => {
  const { UploadId } = await all.send(new CreateMultipartUploadCommand({ Bucket, Key: 'work/b' }));
  const part = { Bucket, Key: 'work/b', UploadId, PartNumber: 1 };
  const copy = (source = Key) =>
    outcome(some, new UploadPartCopyCommand({ ...part, CopySource: `${Bucket}/${source}` }));
  statements = [allow('s3:GetObject', `${arn}/videos/*`)];
  expect(await copy()).toBe('403 AccessDenied');
  statements = [allow('s3:PutObject', `${arn}/work/*`)];
  expect(await copy()).toBe('403 AccessDenied');
  statements.push(allow('s3:GetObject', `${arn}/videos/*`));
  expect(await copy()).toBe('done');
  expect(await copy('videos/none')).toBe('403 AccessDenied');
  statements.push(allow('s3:ListBucket', arn));
  expect(await copy('videos/none')).toBe('404 NoSuchKey');
});

test('DeleteObjects deletes the objects for which the caller has the permission', async () => {
  await all.send(new PutObjectCommand({ Bucket, Key: 'work/b', Body: 'x' }));
  statements = [allow('s3:DeleteObject', `${arn}/work/*`)];
  const Objects = [{ Key }, { Key: 'work/b' }];
  const { Deleted, Errors } = await some.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
  expect([Deleted, Errors]).toMatchObject([[{ Key: 'work/b' }], [{ Key, Code: 'AccessDenied' }]]);
  expect(await outcome(all, new HeadObjectCommand({ Bucket, Key }))).toBe('done');
});

describe('presigned URLs and forms', () => {
  const fetched = async (url: string, init: RequestInit = {}) => {
    const answer = await fetch(url, init);
    return { status: answer.status, text: await answer.text() };
  };

  test('have the permissions of their signer at the time of use', async () => {
    const url = await getSignedUrl(some, new GetObjectCommand({ Bucket, Key }));
    const refused = await fetched(url);
    expect(refused.status).toBe(403);
    // The holder of a URL does not learn who signed it.
    expect(refused.text).not.toContain('arn:');
    statements = [allow('s3:GetObject', `${arn}/videos/*`)];
    expect(await fetched(url)).toEqual({ status: 200, text: 'x' });
  });

  test('upload only where their signer may', async () => {
    const { url, fields } = await createPresignedPost(some, { Bucket, Key: 'uploads/a' });
    const post = async () => {
      const form = new FormData();
      for (const [name, value] of Object.entries(fields)) form.append(name, value);
      form.append('file', new Blob(['y']));
      return (await fetched(url, { method: 'POST', body: form })).status;
    };
    expect(await post()).toBe(403);
    statements = [allow('s3:PutObject', `${arn}/uploads/*`)];
    expect(await post()).toBe(204);
  });

  test('are limited to objects and parts', async () => {
    const { UploadId } = await all.send(new CreateMultipartUploadCommand({ Bucket, Key }));
    const upload = { Bucket, Key, UploadId };
    const signed = async (command: unknown, method: string, body?: string) =>
      (await fetched(await getSignedUrl(all, command as HeadBucketCommand), { method, ...(body && { body }) })).status;
    expect(await signed(new UploadPartCommand({ ...upload, PartNumber: 1 }), 'PUT', 'x')).toBe(200);
    expect(await signed(new HeadObjectCommand({ Bucket, Key }), 'HEAD')).toBe(200);
    expect(await signed(new PutObjectCommand({ Bucket, Key }), 'PUT', 'x')).toBe(200);
    expect(await signed(new ListObjectsV2Command({ Bucket }), 'GET')).toBe(403);
    expect(await signed(new ListMultipartUploadsCommand({ Bucket }), 'GET')).toBe(403);
    expect(await signed(new HeadBucketCommand({ Bucket }), 'HEAD')).toBe(403);
    expect(await signed(new DeleteObjectCommand({ Bucket, Key }), 'DELETE')).toBe(403);
    expect(await signed(new ListPartsCommand(upload), 'GET')).toBe(403);
    expect(await signed(new CreateMultipartUploadCommand({ Bucket, Key }), 'POST')).toBe(403);
    expect(await signed(new GetObjectTaggingCommand({ Bucket, Key }), 'GET')).toBe(403);
    const headers = { 'x-amz-copy-source': `${Bucket}/${Key}` };
    const copy = new CopyObjectCommand({ Bucket, Key: 'b', CopySource: `${Bucket}/${Key}` });
    const url = await getSignedUrl(all, copy, { unhoistableHeaders: new Set(['x-amz-copy-source']) });
    expect((await fetched(url, { method: 'PUT', headers })).status).toBe(403);
  });

  test('name the source of a copy in a header, since it would be ignored in the query', async () => {
    const copy = new CopyObjectCommand({ Bucket, Key: 'b', CopySource: `${Bucket}/${Key}` });
    expect((await fetched(await getSignedUrl(all, copy), { method: 'PUT' })).status).toBe(501);
    expect(await outcome(all, new HeadObjectCommand({ Bucket, Key: 'b' }))).toMatch(/^404 /);
  });
});
