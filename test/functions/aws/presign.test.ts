import { GetObjectCommand, S3Client, UploadPartCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { presignedGet, presignedPut } from '../../../functions/aws/object-store.ts';
import { createPresigner, createPresigners } from '../../../functions/aws/presign.ts';
import { openBucket } from '../../fixtures/open-bucket.ts';

const oddKey = "uploads/01J/a b+c=d&e?f#g:h%20(é)'*!.mp4";

/** The bucket's address on AWS and on this machine, with credentials of a role, as in Lambda. */
const clients = {
  'in AWS': new S3Client({
    region: 'eu-west-1',
    requestChecksumCalculation: 'WHEN_REQUIRED',
    credentials: { accessKeyId: 'AKIA', secretAccessKey: 's', sessionToken: 'FwoG/+==' },
  }),
  'on this machine': new S3Client({
    region: 'local-1',
    endpoint: 'http://127.0.0.1:3001',
    requestChecksumCalculation: 'WHEN_REQUIRED',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  }),
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-21T10:00:00Z') });
  vi.stubEnv('BUCKET_NAME', 'test-bucket');
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

/** A URL without the query parameters that the SDK adds for the command and for checksums. */
function apart(text: string) {
  const { origin, pathname, searchParams } = new URL(text);
  for (const name of ['x-id', 'x-amz-checksum-mode', 'X-Amz-Signature']) searchParams.delete(name);
  return [origin, pathname, Object.fromEntries(searchParams)];
}

test.each(Object.entries(clients))(
  'a URL %s is what the SDK makes, but for the name of its command',
  async (_, client) => {
    const { signedUrl, objectUrl } = createPresigner(client);
    const named = { Bucket: 'test-bucket', Key: oddKey };
    const bySdk = await getSignedUrl(client, new GetObjectCommand(named), { expiresIn: 3600 });
    expect(apart(await signedUrl('GET', oddKey))).toEqual(apart(bySdk));
    expect(await objectUrl(oddKey)).toBe(bySdk.split('?')[0]);

    const part = new UploadPartCommand({ ...named, UploadId: 'a/b+c', PartNumber: 7 });
    const bySdkOfPart = await getSignedUrl(client, part, { expiresIn: 3600 });
    expect(apart(await signedUrl('PUT', oddKey, { partNumber: '7', uploadId: 'a/b+c' }))).toEqual(apart(bySdkOfPart));
  },
);

test('workers and clients may reach the store at other addresses than functions do', async () => {
  // As Lambda sets them.
  for (const name of ['AWS_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, 'test');
  const hosts = async () => {
    const { internal, public: outside } = createPresigners(clients['on this machine']);
    return (await Promise.all([internal, outside].map(({ objectUrl }) => objectUrl(oddKey)))).map(
      (url) => new URL(url).host,
    );
  };
  expect(await hosts()).toEqual(['127.0.0.1:3001', '127.0.0.1:3001']);
  vi.stubEnv('AWS_ENDPOINT_URL_S3_PUBLIC', 'https://store.example.com');
  expect(await hosts()).toEqual(['127.0.0.1:3001', 'store.example.com']);
  vi.stubEnv('AWS_ENDPOINT_URL_S3_WORKERS', 'http://172.31.78.18:3001');
  expect(await hosts()).toEqual(['172.31.78.18:3001', 'store.example.com']);
});

test('a presigned URL works for its method and key only', async () => {
  vi.useRealTimers();
  const close = await openBucket();
  const put = await presignedPut(oddKey);
  expect((await fetch(put, { method: 'PUT', body: 'bytes' })).status).toBe(200);
  expect(await (await fetch(await presignedGet(oddKey))).text()).toBe('bytes');
  expect((await fetch(put)).status).toBe(403);
  expect((await fetch(put.replace('01J', '01K'), { method: 'PUT', body: 'bytes' })).status).toBe(403);
  await close();
});
