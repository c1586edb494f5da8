import { request } from 'node:http';
import { Readable } from 'node:stream';
import {
  GetObjectAclCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListBucketsCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { expect, test } from 'vitest';
import { parseXml, writeXml } from '../../src/s3/protocol/s3-xml.ts';
import { bucketName as Bucket, failureOf, runS3 } from './running.ts';

const plain = { requestChecksumCalculation: 'WHEN_REQUIRED' } as const;

test('every response has a request id, and errors are XML as in S3', async () => {
  const { client } = await runS3();
  const url = await getSignedUrl(client(plain), new GetObjectCommand({ Bucket, Key: 'a<b>' }));
  const response = await fetch(url);
  const requestId = response.headers.get('x-amz-request-id');
  expect(requestId).toMatch(/^[0-9A-F]{16}$/);
  expect([response.status, response.headers.get('content-type')]).toEqual([404, 'application/xml']);
  expect(await response.text()).toBe(
    `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>NoSuchKey</Code><Message>The specified key does not exist.</Message><Key>a&lt;b&gt;</Key><RequestId>${requestId}</RequestId></Error>`,
  );
});

test('a rejected body is read to its end, and the connection stays open', async () => {
  const { client } = await runS3();
  const s3 = client(plain);
  const url = await getSignedUrl(s3, new PutObjectCommand({ Bucket, Key: 'k' }));
  for (let i = 0; i < 3; i++) {
    const response = await fetch(url.replace('/k?', '/l?'), { method: 'PUT', body: new Uint8Array(5_000_000) });
    expect(response.status).toBe(403);
    await response.text();
  }
});

test('a PUT requires a length of at most 5 GiB', async () => {
  const { client } = await runS3();
  const s3 = client(plain);
  const url = await getSignedUrl(s3, new PutObjectCommand({ Bucket, Key: 'k' }));
  const body = Readable.toWeb(Readable.from(['x'])) as ReadableStream;
  const unknown = await fetch(url, { method: 'PUT', body, duplex: 'half' } as RequestInit);
  expect([unknown.status, await unknown.text()]).toEqual([
    411,
    expect.stringContaining('<Code>MissingContentLength</Code>'),
  ]);
  const large = await new Promise<string>((resolve, reject) => {
    const sent = request(url, { method: 'PUT', headers: { 'content-length': 5 * 1024 ** 3 + 1 } }, async (response) => {
      resolve(Buffer.concat(await response.toArray()).toString());
      sent.destroy();
    });
    sent.on('error', reject);
    sent.flushHeaders();
  });
  expect(large).toContain('<Code>EntityTooLarge</Code>');
});

test('an unsupported feature is rejected', async () => {
  const { client } = await runS3();
  const s3 = client();
  await s3.send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'x' }));
  expect(await failureOf(s3.send(new GetObjectAclCommand({ Bucket, Key: 'k' })))).toMatchObject({
    code: 'NotImplemented',
    status: 501,
  });
  expect(await failureOf(s3.send(new ListBucketsCommand({})))).toMatchObject({ code: 'NotImplemented', status: 501 });
  const put = (more: object) => failureOf(s3.send(new PutObjectCommand({ Bucket, Key: 'l', Body: 'x', ...more })));
  expect(await put({ ACL: 'public-read' })).toMatchObject({ code: 'AccessControlListNotSupported', status: 400 });
  expect(await put({ ServerSideEncryption: 'aws:kms' })).toMatchObject({ code: 'NotImplemented', status: 501 });
  expect(await put({ ObjectLockMode: 'GOVERNANCE' })).toMatchObject({ code: 'NotImplemented', status: 501 });
  const url = await getSignedUrl(client(plain), new HeadObjectCommand({ Bucket, Key: 'k' }));
  expect((await fetch(url, { method: 'HEAD' })).status).toBe(200);
});

test('an unsupported method is rejected with the supported ones', async () => {
  const { client } = await runS3();
  const s3 = client(plain);
  s3.middlewareStack.add(
    (next) => (args) => {
      (args.request as { method: string }).method = 'PATCH';
      return next(args);
    },
    { step: 'build' },
  );
  const url = await getSignedUrl(s3, new GetObjectCommand({ Bucket, Key: 'k' }));
  const response = await fetch(url, { method: 'PATCH' });
  expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD, PUT, DELETE']);
  expect(await response.text()).toContain('<Code>MethodNotAllowed</Code>');
});

test.each([
  '',
  '<Delete>',
  '<Other/>',
  '<!DOCTYPE d [<!ENTITY a "aa">]><Delete><Object><Key>&a;</Key></Object></Delete>',
  'plain',
])('XML that S3 does not accept is rejected: %s', (body) => {
  expect(() => parseXml(Buffer.from(body), 'Delete')).toThrow('not well-formed');
});

test('text is not changed by XML', () => {
  const text = ' a&b <c> "d" \'e\' \n\t ü😀 &amp; ';
  expect(parseXml(Buffer.from(writeXml('Root', { Key: text })), 'Root')).toEqual({ Key: text });
});
