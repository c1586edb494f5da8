import { PutObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { expect, test } from 'vitest';
import { bucketName as Bucket, bucket, runS3 } from '../running.ts';

const preflight = (url: string, origin: string, method: string, headers?: string) =>
  fetch(url, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': method,
      ...(headers && { 'access-control-request-headers': headers }),
    },
  });

test('a preflight request gets what the bucket allows', async () => {
  const { endpoint } = await runS3();
  const url = `${endpoint}/${Bucket}/uploads/x`;
  const allowed = await preflight(url, 'https://app.example', 'PUT', 'Content-Type, X-Amz-Date');
  expect(allowed.status).toBe(200);
  expect(Object.fromEntries(allowed.headers)).toMatchObject({
    'access-control-allow-origin': 'https://app.example',
    'access-control-allow-methods': 'PUT, POST, GET',
    'access-control-allow-headers': 'content-type, x-amz-date',
    'access-control-expose-headers': 'ETag, Location',
    'access-control-max-age': '3000',
    vary: 'Origin, Access-Control-Request-Headers, Access-Control-Request-Method',
  });
  const wild = await preflight(url, 'https://pr-7.preview.example', 'GET');
  expect(wild.headers.get('access-control-allow-origin')).toBe('https://pr-7.preview.example');
  for (const [origin, method] of [
    ['https://evil.example', 'PUT'],
    ['https://app.example.evil', 'PUT'],
    ['https://preview.example', 'PUT'],
    ['https://app.example', 'DELETE'],
  ] as const) {
    const refused = await preflight(url, origin, method);
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([403, null]);
    expect(await refused.text()).toContain('<Code>AccessForbidden</Code>');
  }
  expect((await preflight(`${endpoint}/other/x`, 'https://app.example', 'GET')).status).toBe(403);
  expect((await preflight(`${endpoint}/absent/x`, 'https://app.example', 'GET')).status).toBe(404);
  expect((await fetch(url, { method: 'OPTIONS' })).status).toBe(400);
});

test('request headers outside the rule are rejected', async () => {
  const rule = { ...bucket.cors[0]!, allowedOrigins: ['*'], allowedHeaders: ['content-*', 'X-One'] };
  const { endpoint } = await runS3({ buckets: [{ ...bucket, cors: [rule] }] });
  const url = `${endpoint}/${Bucket}/k`;
  const allowed = await preflight(url, 'https://any.example', 'PUT', 'content-type,x-one');
  expect([allowed.status, allowed.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
  expect((await preflight(url, 'https://any.example', 'PUT', 'content-type,x-two')).status).toBe(403);
});

test('responses and errors have CORS headers', async () => {
  const { client, endpoint } = await runS3();
  const s3 = client({ requestChecksumCalculation: 'WHEN_REQUIRED' });
  const url = await getSignedUrl(s3, new PutObjectCommand({ Bucket, Key: 'k' }));
  const headers = { origin: 'https://app.example' };
  for (const [address, status] of [
    [url, 200],
    [url.replace('/k?', '/l?'), 403],
    [`${endpoint}/${Bucket}/k`, 403],
    [`${endpoint}/${Bucket}/%ff`, 400],
  ] as const) {
    const response = await fetch(address, { method: 'PUT', body: 'x', headers });
    expect(response.status).toBe(status);
    // An invalid URL names no bucket with CORS rules.
    if (status !== 400) expect(response.headers.get('access-control-expose-headers')).toBe('ETag, Location');
  }
  const other = await fetch(url, { method: 'PUT', body: 'x', headers: { origin: 'https://evil.example' } });
  expect([other.status, other.headers.get('access-control-allow-origin')]).toEqual([200, null]);
});
