import { createHmac } from 'node:crypto';
import { GetObjectCommand, HeadObjectCommand } from '@aws-sdk/client-s3';
import { createPresignedPost, type PresignedPost, type PresignedPostOptions } from '@aws-sdk/s3-presigned-post';
import { expect, test } from 'vitest';
import {
  accessKeyId,
  bucketName as Bucket,
  bytes,
  failureOf,
  type Running,
  region,
  runS3,
  secretAccessKey,
} from '../running.ts';

function presign(running: Running, options: Partial<PresignedPostOptions> = {}): Promise<PresignedPost> {
  return createPresignedPost(running.client(), { Bucket, Key: 'uploads/a.mp4', ...options });
}

function post(
  { url, fields }: PresignedPost,
  file: Blob | string,
  more: Record<string, string> = {},
  name = 'clip.mp4',
) {
  const form = new FormData();
  for (const [field, value] of Object.entries({ ...fields, ...more })) form.append(field, value);
  if (typeof file === 'string') form.append('file', file);
  else form.append('file', file, name);
  return fetch(url, { method: 'POST', body: form, headers: { origin: 'https://app.example' } });
}

async function codeOf(response: Response): Promise<string> {
  const body = await response.text();
  const [, code] = /<Code>(\w+)<\/Code>/.exec(body) ?? [];
  const [, message] = /<Message>(.*)<\/Message>/s.exec(body) ?? [];
  return code === undefined ? String(response.status) : `${response.status} ${code} ${message}`;
}

const range = (least: number, most: number) =>
  ({ Conditions: [['content-length-range', least, most]] }) as Partial<PresignedPostOptions>;

test('a form uploads a file, and gets the requested response', async () => {
  const running = await runS3();
  const body = bytes(200_003);
  const plain = await post(await presign(running), new Blob([body], { type: 'video/mp4' }));
  expect([plain.status, await plain.text()]).toEqual([204, '']);
  expect(plain.headers.get('access-control-allow-origin')).toBe('https://app.example');
  expect(plain.headers.get('access-control-expose-headers')).toBe('ETag, Location');

  const got = await running.client().send(new GetObjectCommand({ Bucket, Key: 'uploads/a.mp4' }));
  expect(Buffer.from(await got.Body!.transformToByteArray()).equals(body)).toBe(true);
  expect(plain.headers.get('etag')).toBe(got.ETag);
  expect(running.events).toMatchObject([{ key: 'uploads/a.mp4', size: body.length, reason: 'POST Object' }]);

  const created = await post(await presign(running, { Fields: { success_action_status: '201' } }), new Blob(['x']));
  expect(created.status).toBe(201);
  const location = `${running.endpoint}/media/uploads/a.mp4`;
  expect(created.headers.get('location')).toBe(location);
  expect(await created.text()).toContain(
    `<Location>${location}</Location><Bucket>media</Bucket><Key>uploads/a.mp4</Key><ETag>&quot;9dd4e461268c8034f5c8564e155c67a6&quot;</ETag>`,
  );
  const ok = await post(await presign(running, { Fields: { success_action_status: '200' } }), new Blob(['x']));
  expect(ok.status).toBe(200);
});

test('headers, metadata and tags come as fields', async () => {
  const running = await runS3();
  const Fields = {
    'Content-Type': 'video/mp4',
    'Cache-Control': 'no-store',
    'x-amz-meta-upload-ulid': '01ABC',
    tagging: '<Tagging><TagSet><Tag><Key>a</Key><Value>1</Value></Tag></TagSet></Tagging>',
  };
  expect(await codeOf(await post(await presign(running, { Fields }), new Blob(['x'])))).toBe('204');
  const head = await running.client().send(new HeadObjectCommand({ Bucket, Key: 'uploads/a.mp4' }));
  expect(head).toMatchObject({
    ContentType: 'video/mp4',
    CacheControl: 'no-store',
    Metadata: { 'upload-ulid': '01ABC' },
  });
});

test('the key may contain the name of the file', async () => {
  const running = await runS3();
  const signed = await presign(running, { Key: `uploads/\${filename}` });
  expect(await codeOf(await post(signed, new Blob(['x']), {}, 'C:\\videos\\h ü"$&.mp4'))).toBe('204');
  expect(running.events.map((event) => event.key)).toEqual(['uploads/h ü"$&.mp4']);
});

test('a file outside the limits of the policy is not stored', async () => {
  const running = await runS3();
  const signed = await presign(running, range(3, 5));
  const sized = async (size: number) => (await codeOf(await post(signed, new Blob([bytes(size)])))).slice(0, 18);
  expect(await sized(3)).toBe('204');
  expect(await sized(5)).toBe('204');
  expect(await sized(2)).toBe('400 EntityTooSmall');
  expect(await sized(0)).toBe('400 EntityTooSmall');
  expect(await sized(6)).toBe('400 EntityTooLarge');
  expect(await sized(3_000_000)).toBe('400 EntityTooLarge');
  expect(running.events).toHaveLength(2);
});

test('a form may only have the fields and values that its policy allows', async () => {
  const running = await runS3();
  const signed = await presign(running, {
    Conditions: [
      ['starts-with', '$Content-Type', 'video/'],
      ['starts-with', '$x-amz-meta-note', ''],
    ],
  });
  const file = new Blob(['x']);
  const answer = async (more: Record<string, string>) => codeOf(await post(signed, file, more));
  expect(await answer({ 'Content-Type': 'video/mp4', 'x-amz-meta-note': 'anything', 'x-ignore-me': '1' })).toBe('204');
  expect(await answer({})).toContain('403 AccessDenied Invalid according to Policy: Policy Condition failed');
  expect(await answer({ 'Content-Type': 'text/html' })).toContain('Policy Condition failed');
  expect(await answer({ 'Content-Type': 'video/mp4', key: 'uploads/b.mp4' })).toContain('Policy Condition failed');
  expect(await answer({ 'Content-Type': 'video/mp4', bucket: 'other' })).toContain('Policy Condition failed');
  expect(await answer({ 'Content-Type': 'video/mp4', 'x-amz-meta-more': '1' })).toBe(
    '403 AccessDenied Invalid according to Policy: Extra input fields: x-amz-meta-more',
  );
  expect(await answer({ 'Content-Type': 'video/mp4', success_action_status: '201' })).toContain('Extra input fields');
  const elsewhere = { ...signed, url: signed.url.replace('media', 'other') };
  expect(await codeOf(await post(elsewhere, file, { 'Content-Type': 'video/mp4' }))).toContain(
    'Policy Condition failed',
  );
});

test('the signature covers the policy', async () => {
  const running = await runS3();
  const signed = await presign(running);
  const answer = async (more: Record<string, string>) =>
    (await codeOf(await post(signed, new Blob(['x']), more))).split(' ')[1];
  const wider = { ...JSON.parse(Buffer.from(signed.fields.Policy!, 'base64').toString()), conditions: [] };
  expect(await answer({ Policy: Buffer.from(JSON.stringify(wider)).toString('base64') })).toBe('SignatureDoesNotMatch');
  expect(await answer({ 'X-Amz-Signature': '0'.repeat(64) })).toBe('SignatureDoesNotMatch');
  const credential = signed.fields['X-Amz-Credential']!;
  expect(await answer({ 'X-Amz-Credential': credential.replace(region, 'us-west-1') })).toBe('InvalidArgument');
  expect(await answer({ 'X-Amz-Credential': credential.replace(accessKeyId, 'WHO') })).toBe('InvalidAccessKeyId');
  expect(await answer({ 'X-Amz-Algorithm': 'AWS4-HMAC-SHA1' })).toBe('InvalidArgument');
  const { Policy: _, ...rest } = signed.fields;
  expect((await codeOf(await post({ ...signed, fields: rest }, new Blob(['x'])))).split(' ')[1]).toBe('AccessDenied');
});

test('a policy expires', async () => {
  let now = new Date();
  const running = await runS3({ now: () => now });
  const signed = await presign(running, { Expires: 60 });
  now = new Date(now.getTime() + 61_000);
  expect(await codeOf(await post(signed, new Blob(['x'])))).toBe(
    '403 AccessDenied Invalid according to Policy: Policy expired.',
  );
});

/** A correctly signed form with any policy text. */
function signAnything(running: Running, policy: string): PresignedPost {
  const day = new Date().toISOString().slice(0, 10).replaceAll('-', '');
  const encoded = Buffer.from(policy).toString('base64');
  const hmac = (key: string | Buffer, data: string) => createHmac('sha256', key).update(data).digest();
  const key = [day, region, 's3', 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`);
  return {
    url: `${running.endpoint}/${Bucket}`,
    fields: {
      key: 'k',
      policy: encoded,
      'x-amz-algorithm': 'AWS4-HMAC-SHA256',
      'x-amz-credential': `${accessKeyId}/${day}/${region}/s3/aws4_request`,
      'x-amz-date': `${day}T000000Z`,
      'x-amz-signature': hmac(key as Buffer, encoded).toString('hex'),
    },
  };
}

test.each([
  'not json',
  '{}',
  '{"expiration":"2099-01-01T00:00:00Z"}',
  '{"expiration":"whenever","conditions":[]}',
  '{"expiration":"2099-01-01T00:00:00Z","conditions":[["ends-with","$key","k"]]}',
  '{"expiration":"2099-01-01T00:00:00Z","conditions":[{"key":"k","bucket":"media"}]}',
  '{"expiration":"2099-01-01T00:00:00Z","conditions":[["content-length-range",5,1]]}',
])('an invalid policy is rejected: %s', async (policy) => {
  const running = await runS3();
  expect(await codeOf(await post(signAnything(running, policy), new Blob(['x'])))).toContain(
    '400 InvalidPolicyDocument',
  );
});

test('a body that is not a form with a file is rejected', async () => {
  const running = await runS3();
  const url = `${running.endpoint}/${Bucket}`;
  const send = async (body: string, type = 'multipart/form-data; boundary=b') =>
    (await codeOf(await fetch(url, { method: 'POST', body, headers: { 'content-type': type } }))).split(' ')[1];
  expect(await send('x', 'multipart/form-data')).toBe('MalformedPOSTRequest');
  expect(await send('no boundary here')).toBe('MalformedPOSTRequest');
  expect(await send('--b\r\nContent-Disposition: form-data; name="key"\r\n\r\nk\r\n--b--\r\n')).toBe('InvalidArgument');
  expect(
    await send(`--b\r\nContent-Disposition: form-data; name="key"\r\n\r\n${'k'.repeat(30_000)}\r\n--b--\r\n`),
  ).toBe('MaxPostPreDataLengthExceeded');
  expect(await send('--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nx\r\n--b--\r\n')).toBe(
    'AccessDenied',
  );
  const twice = '--b\r\nContent-Disposition: form-data; name="key"\r\n\r\nk\r\n'.repeat(2);
  expect(await send(`${twice}--b--\r\n`)).toBe('InvalidArgument');
});

test('a form that ends inside its file stores nothing', async () => {
  const running = await runS3();
  const signed = signAnything(
    running,
    '{"expiration":"2099-01-01T00:00:00Z","conditions":[["starts-with","$key",""],["starts-with","$x-amz-algorithm",""],["starts-with","$x-amz-credential",""],["starts-with","$x-amz-date",""]]}',
  );
  const head = Object.entries(signed.fields)
    .map(([name, value]) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
    .join('');
  const file = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nhalf of i';
  const send = (body: string) =>
    fetch(signed.url, { method: 'POST', body, headers: { 'content-type': 'multipart/form-data; boundary=b' } });
  expect(await codeOf(await send(head + file))).toContain('MalformedPOSTRequest');
  expect(await failureOf(running.client().send(new HeadObjectCommand({ Bucket, Key: 'k' })))).toMatchObject({
    status: 404,
  });
  expect(await codeOf(await send(`${head + file}t\r\n--b--\r\n`))).toBe('204');
});
