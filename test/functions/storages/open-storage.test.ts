import { createHash } from 'node:crypto';
import { GetObjectCommand, HeadBucketCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { GetParameterCommand, ParameterNotFound, SSMClient } from '@aws-sdk/client-ssm';
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, expect, test } from 'vitest';
import { newUlid } from '../../../functions/common/ids.ts';
import { bucketUrl } from '../../../functions/storages/bucket-url.ts';
import { openStorage } from '../../../functions/storages/open-storage.ts';
import { explainStoreError } from '../../../functions/storages/storage-error.ts';
import { buildStorage } from '../../fixtures/records/build-storage.ts';
import { startHostileStore } from '../../fixtures/servers/hostile-store.ts';
import { wordsOfStore } from '../../fixtures/servers/store-responses.ts';
import { useBucket } from '../../fixtures/use-bucket.ts';

useBucket();

const parameters = mockClient(SSMClient);
const roles = mockClient(STSClient);

beforeEach(() => {
  parameters.reset();
  roles.reset();
  parameters.on(GetParameterCommand).resolves({ Parameter: { Value: 'test' } });
  Object.assign(process.env, { PARAMETER_PREFIX: '/video-service/test', ALLOW_LOOPBACK_TARGETS: 'on' });
});

/** The bucket of the tests, as that of another account: it checks every signature. */
const ownStore = (fields = {}) =>
  buildStorage({ endpoint: process.env.AWS_ENDPOINT_URL_S3!, bucket: 'test-bucket', accessKeyId: 'test', ...fields });

const md5 = (text: string): string => createHash('md5').update(text).digest('base64');

test('a signed URL permits one request with exactly the headers that were signed', async () => {
  const { signedUrl, client } = await openStorage(ownStore());
  const body = 'a segment';
  const headers = {
    'content-type': 'video/mp4',
    'cache-control': 'public, max-age=31536000, immutable',
    'content-md5': md5(body),
    'content-length': String(body.length),
  };
  const key = "videos/a b/ü+(1)'*!.mp4";
  const url = await signedUrl('PUT', key, { headers });
  for (const [name, value] of [
    ['content-type', 'text/html'],
    ['cache-control', 'no-store'],
    ['content-md5', md5('another')],
  ] as const) {
    expect((await fetch(url, { method: 'PUT', body, headers: { ...headers, [name]: value } })).status, name).not.toBe(
      200,
    );
  }
  expect((await fetch(url, { method: 'PUT', body, headers })).status).toBe(200);
  const found = await client.send(new GetObjectCommand({ Bucket: 'test-bucket', Key: key }));
  expect(await found.Body?.transformToString()).toBe(body);
  expect([found.ContentType, found.CacheControl]).toEqual(['video/mp4', headers['cache-control']]);
  const read = await fetch(await signedUrl('GET', key));
  expect(await read.text()).toBe(body);
});

test('a part of a multipart upload is signed with its query, and a wrong secret is refused', async () => {
  const { signedUrl } = await openStorage(ownStore());
  const url = new URL(await signedUrl('PUT', 'videos/a.mp4', { query: { partNumber: '3', uploadId: 'x/y+z' } }));
  expect([url.searchParams.get('partNumber'), url.searchParams.get('uploadId')]).toEqual(['3', 'x/y+z']);
  expect((await fetch(url, { method: 'PUT', body: 'a' })).status).toBe(404);
  parameters.on(GetParameterCommand).resolves({ Parameter: { Value: 'wrong' } });
  const wrong = await openStorage(ownStore());
  expect((await fetch(await wrong.signedUrl('GET', 'videos/a.mp4'))).status).toBe(403);
  const refused = await wrong.client
    .send(new ListObjectsV2Command({ Bucket: 'test-bucket' }))
    .catch((error) => explainStoreError(error));
  expect(refused).toMatchObject({ code: 'credentials_refused', isTransient: false });
});

test('no URL is signed for a key outside of the prefix, or one that a URL cannot name', async () => {
  const { signedUrl } = await openStorage(ownStore({ prefix: 'videos/' }));
  await expect(signedUrl('GET', 'private/a.mp4')).rejects.toThrow('outside');
  await expect(signedUrl('GET', 'videos/../private/a.mp4')).rejects.toThrow('no URL');
});

test.each([
  [
    { endpoint: null, region: 'eu-central-1', bucket: 'films', pathStyle: false },
    'https://films.s3.eu-central-1.amazonaws.com/',
  ],
  [
    { endpoint: null, region: 'cn-north-1', bucket: 'films', pathStyle: false },
    'https://films.s3.cn-north-1.amazonaws.com.cn/',
  ],
  [
    { endpoint: null, region: 'eu-central-1', bucket: 'a.b', pathStyle: false },
    'https://s3.eu-central-1.amazonaws.com/a.b/',
  ],
  [
    { endpoint: 'https://s3.example.com:9000', region: 'auto', bucket: 'films', pathStyle: true },
    'https://s3.example.com:9000/films/',
  ],
])('the address of the bucket of %o', (storage, address) => {
  expect(bucketUrl(storage)).toBe(address);
});

test.each<[string, string, boolean, string]>([
  ['loopback', 'http://127.0.0.1:1', false, 'address_refused'],
  ['the metadata address', 'https://169.254.169.254', true, 'address_refused'],
  ['a private address', 'https://10.0.0.1', true, 'address_refused'],
  ['a name that resolves to loopback', 'https://localhost', false, 'address_refused'],
  ['a closed port', 'http://127.0.0.1:1', true, 'unreachable'],
])('a request to %s is not sent', async (_, endpoint, allowLoopback, code) => {
  process.env.ALLOW_LOOPBACK_TARGETS = allowLoopback ? 'on' : 'off';
  const { client } = await openStorage(buildStorage({ endpoint }));
  const error = await client.send(new HeadBucketCommand({ Bucket: 'films' })).catch((one) => one);
  expect(explainStoreError(error).code).toBe(code);
});

test.each([
  ['redirect', 'redirected'],
  ['flood', 'invalid_response'],
  ['doctypes', 'invalid_response'],
  ['forbidden', 'no_permission'],
  ['busy', 'store_busy'],
  ['cut', 'unreachable'],
  ['error-in-200', 'store_busy'],
  [{ code: 'NoSuchBucket', status: 404 }, 'no_bucket'],
  [{ code: 'AuthorizationHeaderMalformed', status: 400 }, 'wrong_region'],
  [{ code: 'RequestTimeTooSkewed', status: 403 }, 'clock'],
  [{ code: 'InvalidAccessKeyId', status: 403 }, 'credentials_refused'],
  [{ code: 'SomethingElse', status: 418 }, 'refused'],
  // Names that every object has.
  [{ code: 'constructor', status: 418 }, 'refused'],
  [{ code: '__proto__', status: 403 }, 'no_permission'],
] as const)('a list that a store answers with %o is an error of its own words', async (behaviour, code) => {
  const store = await startHostileStore('films', () => behaviour);
  const { client } = await openStorage(buildStorage({ endpoint: store.endpoint }));
  const error = await client.send(new ListObjectsV2Command({ Bucket: 'films' })).then(
    () => undefined,
    (one) => explainStoreError(one),
  );
  await store.close();
  expect(error?.code).toBe(code);
  expect(error?.message).not.toContain(wordsOfStore);
  expect(store.calls.every(({ operation }) => operation === 'list')).toBe(true);
});

test('a store that is silent is given up after the time of a request', async () => {
  const store = await startHostileStore('films', () => 'silent');
  const { client } = await openStorage(buildStorage({ endpoint: store.endpoint }), { timeoutMilliseconds: 100 });
  const error = await client.send(new HeadBucketCommand({ Bucket: 'films' })).catch((one) => one);
  await store.close();
  expect(explainStoreError(error)).toMatchObject({ code: 'unreachable', isTransient: true });
});

test('a storage without its secret is an error with a code', async () => {
  parameters.on(GetParameterCommand).rejects(new ParameterNotFound({ message: 'none', $metadata: {} }));
  await expect(openStorage(buildStorage())).rejects.toMatchObject({ code: 'secret_missing' });
  await expect(openStorage(buildStorage({ secretVersion: 0 }))).rejects.toMatchObject({ code: 'secret_missing' });
});

const ofRole = (fields = {}) =>
  buildStorage({
    endpoint: null,
    region: 'eu-central-1',
    prefix: 'videos/',
    accessKeyId: null,
    secretVersion: 0,
    roleArn: 'arn:aws:iam::111122223333:role/media',
    externalId: 'external',
    ...fields,
  });

const denied = Object.assign(new Error('no'), { name: 'AccessDenied' });

test('a role that anybody in the account of the service could assume is not used for a user who names it', async () => {
  const Credentials = { AccessKeyId: 'ASIA1', SecretAccessKey: 's', SessionToken: 't', Expiration: new Date() };
  roles.on(AssumeRoleCommand).resolves({ Credentials });
  const storage = ofRole();
  await expect(openStorage(storage)).rejects.toMatchObject({ code: 'role_open', isTransient: false });
  await expect(openStorage(storage)).rejects.toMatchObject({ code: 'role_open' });
  const [, tried] = roles.commandCalls(AssumeRoleCommand).map(({ args: [{ input }] }) => input);
  expect(tried?.ExternalId).not.toBe('external');
  expect(JSON.parse(tried?.Policy ?? '').Statement).toEqual([{ Effect: 'Deny', Action: '*', Resource: '*' }]);
});

test('a role is assumed with the external id of its storage, for its bucket and prefix only, and not for each request', async () => {
  const Credentials = { AccessKeyId: 'ASIA1', SecretAccessKey: 's', SessionToken: 'token+/=', Expiration: new Date() };
  roles
    .on(AssumeRoleCommand)
    .rejects(denied)
    .on(AssumeRoleCommand, { ExternalId: 'external' })
    .resolves({ Credentials });
  const storage = ofRole();
  const { signedUrl } = await openStorage(storage);
  await openStorage(storage);
  expect(roles.commandCalls(AssumeRoleCommand, { ExternalId: 'external' })).toHaveLength(1);
  const { Policy, ...input } = roles.commandCalls(AssumeRoleCommand)[0]!.args[0].input;
  expect(input).toEqual({
    RoleArn: 'arn:aws:iam::111122223333:role/media',
    RoleSessionName: `storage-${storage.ulid}`,
    ExternalId: 'external',
    DurationSeconds: 3600,
  });
  const [objects, list, keyUse] = JSON.parse(Policy!).Statement;
  expect(objects.Resource).toBe('arn:aws:s3:::films/videos/*');
  expect(list).toMatchObject({
    Resource: 'arn:aws:s3:::films',
    Condition: { StringLike: { 's3:prefix': 'videos/*' } },
  });
  expect(keyUse.Condition).toEqual({ StringLike: { 'kms:ViaService': 's3.eu-central-1.amazonaws.com*' } });
  const url = new URL(await signedUrl('GET', 'videos/a.mp4', { expiresSeconds: 7200 }));
  expect(url.origin).toBe('https://films.s3.eu-central-1.amazonaws.com');
  expect(url.searchParams.get('X-Amz-Security-Token')).toBe('token+/=');
  // Never longer than what is left of the session.
  expect(url.searchParams.get('X-Amz-Expires')).toBe('1800');
});

test('a role that does not trust the service is an error with a code, and a failure of AWS is not', async () => {
  roles.on(AssumeRoleCommand).rejects(denied);
  await expect(openStorage(ofRole({ ulid: newUlid() }))).rejects.toMatchObject({ code: 'role_refused' });
  roles.on(AssumeRoleCommand).rejects(Object.assign(new Error('lost'), { name: 'Unavailable' }));
  await expect(openStorage(ofRole({ ulid: newUlid() }))).rejects.toThrow('lost');
});
