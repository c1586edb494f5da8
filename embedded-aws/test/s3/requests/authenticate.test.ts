import { request } from 'node:http';
import {
  CreateMultipartUploadCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { expect, test } from 'vitest';
import { accessKeyId, bucketName as Bucket, failureOf, type Running, runS3 } from '../running.ts';

const plain = { requestChecksumCalculation: 'WHEN_REQUIRED' } as const;

async function codeOf(response: Response): Promise<string> {
  const body = await response.text();
  return `${response.status} ${/<Code>(\w+)<\/Code>/.exec(body)?.[1] ?? ''}`.trim();
}

/** Sends headers and path unchanged. */
function raw(
  running: Running,
  method: string,
  path: string,
  headers: Record<string, string>,
  body = '',
): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request(running.endpoint, { method, path, headers }, async (response) => {
      const pieces: Buffer[] = [];
      for await (const piece of response) pieces.push(piece as Buffer);
      const text = Buffer.concat(pieces).toString();
      resolve(`${response.statusCode} ${/<Code>(\w+)<\/Code>/.exec(text)?.[1] ?? ''}`.trim());
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** The headers that the SDK sends for a command. */
async function signedHeaders(running: Running): Promise<{ path: string; headers: Record<string, string> }> {
  const s3 = running.client();
  let seen: { path: string; headers: Record<string, string> } | undefined;
  s3.middlewareStack.add(
    (next) => (args) => {
      const { path, query, headers } = args.request as Record<'headers' | 'query', Record<string, string>> & {
        path: string;
      };
      seen = { path: `${path}?${new URLSearchParams(query)}`, headers: { ...headers } };
      return next(args);
    },
    { step: 'finalizeRequest', priority: 'low' },
  );
  await s3.send(new GetObjectCommand({ Bucket, Key: 'k' }));
  return seen!;
}

test('only the right secret gives access', async () => {
  const { client, endpoint } = await runS3();
  const head = (credentials: { accessKeyId: string; secretAccessKey: string }) =>
    failureOf(client({ credentials }).send(new ListObjectsV2Command({ Bucket })));
  expect(await head({ accessKeyId, secretAccessKey: 'wrong' })).toMatchObject({
    code: 'SignatureDoesNotMatch',
    status: 403,
  });
  expect(await head({ accessKeyId: 'WHO', secretAccessKey: 'x' })).toMatchObject({
    code: 'InvalidAccessKeyId',
    status: 403,
  });
  expect(await codeOf(await fetch(`${endpoint}/${Bucket}/k`))).toBe('403 AccessDenied');
  expect(await codeOf(await fetch(`${endpoint}/${Bucket}/k`, { method: 'DELETE' }))).toBe('403 AccessDenied');
  expect(await codeOf(await fetch(`${endpoint}/absent/k`))).toBe('403 AccessDenied');
  const old = { headers: { authorization: `AWS ${accessKeyId}:abc` } };
  expect(await codeOf(await fetch(`${endpoint}/${Bucket}/k`, old))).toBe('400 InvalidRequest');
});

test('a signature for another region or service is rejected', async () => {
  const running = await runS3();
  const elsewhere = running.client({ region: 'us-west-1' }).send(new ListObjectsV2Command({ Bucket }));
  expect(await failureOf(elsewhere)).toMatchObject({ code: 'AuthorizationHeaderMalformed', status: 400 });
  const url = await getSignedUrl(running.client({ region: 'us-west-1' }), new GetObjectCommand({ Bucket, Key: 'k' }));
  expect(await codeOf(await fetch(url))).toBe('400 AuthorizationQueryParametersError');
});

test('a clock that differs by more than 15 minutes is rejected', async () => {
  const { client } = await runS3();
  for (const minutes of [-16, 16]) {
    const call = client({ systemClockOffset: minutes * 60_000 }).send(new ListObjectsV2Command({ Bucket }));
    expect(await failureOf(call)).toMatchObject({ code: 'RequestTimeTooSkewed', status: 403 });
  }
  await client({ systemClockOffset: 14 * 60_000 }).send(new ListObjectsV2Command({ Bucket }));
});

test('a signed request cannot be modified', async () => {
  const running = await runS3();
  await running.client().send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'x' }));
  const { path, headers } = await signedHeaders(running);
  expect(await raw(running, 'GET', path, headers)).toBe('200');
  expect(await raw(running, 'HEAD', path, headers)).toBe('403');
  expect(await raw(running, 'GET', `${path}&versions`, headers)).toBe('403 SignatureDoesNotMatch');
  expect(await raw(running, 'GET', path.replace('/k', '/l'), headers)).toBe('403 SignatureDoesNotMatch');
  expect(await raw(running, 'GET', path, { ...headers, host: 'else.where' })).toBe('403 SignatureDoesNotMatch');
  expect(await raw(running, 'GET', path, { ...headers, 'x-amz-meta-more': '1' })).toBe('403 AccessDenied');
  const { 'x-amz-content-sha256': _, ...withoutHash } = headers;
  expect(await raw(running, 'GET', path, withoutHash)).toBe('400 InvalidRequest');
  expect(await raw(running, 'GET', path, { ...headers, 'x-amz-date': 'yesterday' })).toBe('403 AccessDenied');
});

test('a body other than the signed one is rejected and not stored', async () => {
  const running = await runS3();
  const s3 = running.client(plain);
  s3.middlewareStack.add(
    (next) => (args) => {
      (args.request as { body: string }).body = 'altered';
      return next(args);
    },
    { step: 'finalizeRequest', priority: 'low' },
  );
  const put = s3.send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'signed!' }));
  expect(await failureOf(put)).toMatchObject({ code: 'XAmzContentSHA256Mismatch', status: 400 });
  expect(await failureOf(running.client().send(new HeadObjectCommand({ Bucket, Key: 'k' })))).toMatchObject({
    status: 404,
  });
});

test('a browser puts and gets by presigned URL', async () => {
  const { client } = await runS3();
  const s3 = client(plain);
  const putUrl = await getSignedUrl(s3, new PutObjectCommand({ Bucket, Key: 'a b/ü+.mp4', ContentType: 'video/mp4' }));
  const put = await fetch(putUrl, {
    method: 'PUT',
    body: new Blob(['hello']),
    headers: { 'content-type': 'video/mp4' },
  });
  expect([put.status, put.headers.get('etag')]).toEqual([200, '"5d41402abc4b2a76b9719d911017c592"']);
  const getUrl = await getSignedUrl(
    s3,
    new GetObjectCommand({ Bucket, Key: 'a b/ü+.mp4', ResponseContentType: 'text/x+y z' }),
  );
  const got = await fetch(getUrl, { headers: { range: 'bytes=1-3' } });
  expect([got.status, got.headers.get('content-type'), await got.text()]).toEqual([206, 'text/x+y z', 'ell']);
});

test('a browser uploads a part by presigned URL', async () => {
  const { client } = await runS3();
  const s3 = client(plain);
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key: 'k' }));
  const url = await getSignedUrl(s3, new UploadPartCommand({ Bucket, Key: 'k', UploadId, PartNumber: 1 }));
  const put = await fetch(url, { method: 'PUT', body: 'hello' });
  expect([put.status, put.headers.get('etag')]).toEqual([200, '"5d41402abc4b2a76b9719d911017c592"']);
  const other = await fetch(url.replace('partNumber=1', 'partNumber=2'), { method: 'PUT', body: 'hello' });
  expect(await codeOf(other)).toBe('403 SignatureDoesNotMatch');
});

test('a presigned URL cannot be modified or used for other requests', async () => {
  const { client } = await runS3();
  const s3 = client(plain);
  await s3.send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'x' }));
  const url = await getSignedUrl(s3, new GetObjectCommand({ Bucket, Key: 'k' }), { expiresIn: 60 });
  const get = async (altered: string, init: RequestInit = {}) => codeOf(await fetch(altered, init));
  expect(await get(url)).toBe('200');
  expect(await get(url.replace('/k?', '/l?'))).toBe('403 SignatureDoesNotMatch');
  expect(await get(url.replace('/media/', '/other/'))).toBe('403 SignatureDoesNotMatch');
  expect(await get(url.replace('X-Amz-Expires=60', 'X-Amz-Expires=61'))).toBe('403 SignatureDoesNotMatch');
  expect(await get(url.replace(/(X-Amz-Signature=)./, '$1x'))).toBe('403 SignatureDoesNotMatch');
  expect(await get(`${url}&response-content-type=text/html`)).toBe('403 SignatureDoesNotMatch');
  expect(await get(url, { method: 'DELETE' })).toBe('403 SignatureDoesNotMatch');
  expect(await get(url, { method: 'PUT', body: 'y' })).toBe('403 SignatureDoesNotMatch');
  expect(await get(url, { headers: { 'x-amz-copy-source': '/media/k' } })).toBe('403 AccessDenied');
  expect(await get(url, { headers: { authorization: 'AWS4-HMAC-SHA256 x' } })).toBe('400 InvalidArgument');
  expect(await get(url.replace(/&X-Amz-Signature=[^&]*/, ''))).toBe('400 AuthorizationQueryParametersError');
  expect(await get(url.replace(/&X-Amz-Expires=[^&]*/, ''))).toBe('400 AuthorizationQueryParametersError');
  expect(await get(`${url}&X-Amz-Expires=9999`)).toBe('400 AuthorizationQueryParametersError');
  expect(await get(url.replace(`${accessKeyId}%2F`, 'OTHER%2F'))).toBe('403 InvalidAccessKeyId');
  expect(await get(url.replace(/\?.*/, ''))).toBe('403 AccessDenied');
});

test('a presigned URL is valid from its date to its expiry, at most a week', async () => {
  let now = new Date();
  const { client } = await runS3({ now: () => now });
  const s3 = client(plain);
  await s3.send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'x' }));
  const signingDate = new Date(Math.floor(now.getTime() / 1000) * 1000);
  const sign = (expiresIn: number) =>
    getSignedUrl(s3, new GetObjectCommand({ Bucket, Key: 'k' }), { expiresIn, signingDate });
  const url = await sign(60);
  const at = async (seconds: number) => {
    now = new Date(signingDate.getTime() + seconds * 1000);
    return codeOf(await fetch(url));
  };
  expect(await at(59)).toBe('200');
  expect(await at(60)).toBe('403 AccessDenied');
  expect(await at(-899)).toBe('200');
  expect(await at(-901)).toBe('403 AccessDenied');
  now = signingDate;
  const week = (await sign(604_800)).replace('X-Amz-Expires=604800', 'X-Amz-Expires=604801');
  expect(await codeOf(await fetch(week))).toBe('400 AuthorizationQueryParametersError');
});

test('no path escapes the folder', async () => {
  const running = await runS3();
  const s3 = running.client();
  const keys = [
    '../../../../etc/passwd',
    '..',
    '.',
    'a/../../b',
    '/abs',
    '//x',
    'nul\u0000byte',
    'back\\..\\slash',
    'a/./b',
  ];
  for (const Key of keys) {
    await s3.send(new PutObjectCommand({ Bucket, Key, Body: Key })).catch((error) => {
      throw new Error(`${JSON.stringify(Key)}: ${error}`);
    });
  }
  const listed = await s3.send(new ListObjectsV2Command({ Bucket, EncodingType: 'url' }));
  expect(listed.Contents!.map((object) => decodeURIComponent(object.Key!.replaceAll('+', ' '))).sort()).toEqual(
    [...keys].sort(),
  );
  for (const Key of keys) {
    const got = await s3.send(new GetObjectCommand({ Bucket, Key }));
    expect(await got.Body!.transformToString()).toBe(Key);
  }
  for (const path of ['/media/%zz', '/media/%ff']) {
    expect(await raw(running, 'GET', path, {})).toBe('400 InvalidURI');
  }
});
