import { mockClient } from 'aws-sdk-client-mock';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { handler } from '../../../functions/api/uploads.lambda.ts';
import { documents } from '../../../functions/aws/table-client.ts';
import { newUlid } from '../../../functions/common/ids.ts';
import { log } from '../../../functions/common/log.ts';
import { openSession } from '../../../functions/table/accounts/session-table.ts';
import { hideUser } from '../../../functions/table/accounts/user-table.ts';
import { getItem, write } from '../../../functions/table/items/items.ts';
import { keys } from '../../../functions/table/items/keys.ts';
import { directUploadRecord, type User, uploadRecord } from '../../../functions/table/records.ts';
import { createTemplate, deleteTemplate } from '../../../functions/table/template-table.ts';
import { callHandler, type RequestOptions } from '../../fixtures/call-handler.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { readHistory } from '../../fixtures/read-history.ts';
import { useBucket } from '../../fixtures/use-bucket.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();
useBucket();

const mebibyte = 2 ** 20;
const page = 'https://www.example.com';

async function uploader() {
  const { user, token } = await createPerson();
  return { user, token, template: await createTemplate(user.ulid, { name: 'Web', query: {} }) };
}
let who: Awaited<ReturnType<typeof uploader>>;
beforeEach(async () => {
  who = await uploader();
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const direct = (body: object = {}, { token, template } = who) =>
  callHandler(handler, 'POST /api/direct-uploads', { token, body: { template: template.ulid, ...body } });

/** A direct upload, and requests with its token. */
async function prepare(body: object = {}) {
  const { ulid, upload_token: token } = (await direct(body)).json.data as { ulid: string; upload_token: string };
  const send = (request: `${string} /${string}`, sent: RequestOptions = {}) =>
    callHandler(handler, request.replace(' ', ' /api/objstore') as `${string} /${string}`, { token, ...sent });
  return {
    ulid,
    token,
    send,
    create: (sent: object = {}, options: RequestOptions = {}) =>
      send('POST /multipart', { body: { filename: 'page.mp4', ...sent }, ...options }),
    form: (query = 'filename=page.mp4') => send(`GET /params?${query}`),
    list: (uploadId = ulid) => send(`GET /multipart/${uploadId}`),
    sign: (part: number, uploadId = ulid) => send(`GET /multipart/${uploadId}/${part}`),
    complete: (parts: unknown, uploadId = ulid) => send(`POST /multipart/${uploadId}/complete`, { body: { parts } }),
    abort: (uploadId = ulid) => send(`DELETE /multipart/${uploadId}`),
  };
}
type Prepared = Awaited<ReturnType<typeof prepare>>;

async function put({ sign }: Prepared, PartNumber: number, bytes: number) {
  const response = await fetch((await sign(PartNumber)).json.url, { method: 'PUT', body: Buffer.alloc(bytes, 1) });
  return { PartNumber, ETag: response.headers.get('etag') };
}

const stored = (ulid: string) => getItem(uploadRecord, keys.upload(ulid));
const remove = (ulid: string, token = who.token) => callHandler(handler, `DELETE /api/uploads/${ulid}`, { token });

test('a token makes one upload of the owner, and its secret is stored hashed', async () => {
  const answer = await direct({ filename: 'named.mp4', externalUserId: 42, expires_in: 60, max_bytes: null });
  expect(answer).toMatchObject({ status: 201, headers: { 'cache-control': 'no-store' } });
  const { ulid, upload_token: token, expires_at } = answer.json.data;
  expect(token).toMatch(new RegExp(`^${ulid}_[A-Za-z0-9]{40}$`));
  expect(Math.abs(Date.parse(expires_at) - Date.now() - 60_000)).toBeLessThan(30_000);
  const record = await getItem(directUploadRecord, keys.directUpload(ulid));
  expect(JSON.stringify(record)).not.toContain(token.split('_')[1]);

  const sent = { template: newUlid(), externalUserId: 'other', externalResourceId: 'other' };
  const body = { filename: 'page.mp4', size: 3, metadata: sent };
  const created = await callHandler(handler, 'POST /api/objstore/multipart', { token, body });
  expect(created).toMatchObject({ status: 200, json: { ulid, uploadId: ulid } });
  expect(await stored(ulid)).toMatchObject({
    ownerUlid: who.user.ulid,
    templateUlid: who.template.ulid,
    fileName: 'named.mp4',
    externalUserId: '42',
    externalResourceId: null,
  });
  expect((await callHandler(handler, 'GET /api/uploads', { token: who.token })).json.data).toMatchObject([
    { ulid, kind: 'multipart', filename: 'named.mp4' },
  ]);
  const history = await readHistory(who.user, 10);
  expect(history.slice(0, 2).map(({ description }) => description)).toEqual([
    'Opened the upload of named.mp4',
    'Created a token for a direct upload',
  ]);
  expect(JSON.stringify(history)).not.toContain(token.split('_')[1]);
});

test('the owner decides which part of the file becomes the video and how it is changed, not the holder of the token', async () => {
  const clipped = await prepare({ clip: { start_seconds: 1, end_seconds: 2 }, picture: { rotate: 180 } });
  const whole = await prepare();
  for (const { create } of [clipped, whole])
    await create({ metadata: { clip: { start_seconds: 5 }, picture: { rotate: 90 } } });
  expect((await stored(clipped.ulid))?.sourceOptions).toEqual({
    clip: { startSeconds: 1, endSeconds: 2 },
    picture: { rotate: 180, deinterlace: 'auto' },
  });
  expect(await stored(whole.ulid)).not.toHaveProperty('sourceOptions');
});

test('an upload is sent with its token alone, and the token makes no second video', async () => {
  const one = await prepare();
  expect(await one.create()).toMatchObject({ status: 200 });
  const parts = [await put(one, 1, 5 * mebibyte), await put(one, 2, 10)];
  expect((await one.list()).json).toHaveLength(2);
  expect(await one.create()).toMatchObject({ status: 200, json: { uploadId: one.ulid } });
  expect((await one.list()).json).toHaveLength(2);
  expect(await one.complete(parts)).toMatchObject({ status: 200, json: { ulid: one.ulid } });
  expect(await one.complete(parts)).toMatchObject({ status: 200 });
  expect(await one.list()).toMatchObject({ status: 200 });
  const message = 'The upload of this token is complete.';
  expect(await one.create()).toMatchObject({ status: 409, json: { message } });
  expect(await one.abort()).toMatchObject({ status: 409 });
});

test('concurrent creations with one token are one upload', async () => {
  const one = await prepare();
  const answers = await Promise.all(Array.from({ length: 5 }, () => one.create()));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  expect((await callHandler(handler, 'GET /api/uploads', { token: who.token })).json.meta.total).toBe(1);
  expect(await one.list()).toMatchObject({ status: 200, json: [] });
});

test('after its own abort the token begins the upload again, and the abort of the owner revokes it', async () => {
  const one = await prepare();
  await one.create();
  expect(await one.abort()).toMatchObject({ status: 200 });
  expect(await one.list()).toMatchObject({ status: 404 });
  expect(await one.create({ filename: 'again.mp4' })).toMatchObject({ status: 200, json: { uploadId: one.ulid } });
  expect(await stored(one.ulid)).toMatchObject({ status: 'open', fileName: 'again.mp4' });
  const { token } = who;
  expect(await callHandler(handler, `DELETE /api/objstore/multipart/${one.ulid}`, { token })).toMatchObject({
    status: 200,
  });
  expect(await one.create()).toMatchObject({ status: 401 });
});

test('the owner can delete a direct upload before and after it begins; others get 404', async () => {
  const one = await prepare();
  expect(await remove(one.ulid, (await createPerson()).token)).toMatchObject({ status: 404 });
  expect([(await remove(one.ulid)).status, (await remove(one.ulid)).status]).toEqual([204, 204]);
  expect(await one.create()).toMatchObject({ status: 401 });
  const two = await prepare();
  await two.create();
  expect([(await remove(two.ulid)).status, (await remove(two.ulid)).status]).toEqual([204, 204]);
  expect((await stored(two.ulid))?.status).toBe('aborted');
  expect(await two.list()).toMatchObject({ status: 401 });
});

test('a form is valid no longer than its token, and takes no larger file', async () => {
  const one = await prepare({ max_bytes: 10, expires_in: 120 });
  const { status, json } = await one.form();
  expect(status).toBe(200);
  expect(json.expires).toBeLessThanOrEqual(120);
  const policy = JSON.parse(Buffer.from(json.fields.Policy, 'base64').toString());
  expect(policy.conditions).toContainEqual(['content-length-range', 1, 10]);
  expect(Date.parse(policy.expiration)).toBeLessThanOrEqual(Date.now() + 120_000);
  expect((await one.form()).json.fields.key).toBe(json.fields.key);
  const message = 'This upload was begun with a form. Continue it in that way.';
  expect(await one.create()).toMatchObject({ status: 409, json: { message } });
  expect(await one.form('filename=a.mp4&size=11')).toMatchObject({ status: 413 });
});

test('a form is not signed for an upload that ends while the form is valid', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const one = await prepare();
  await one.form();
  const { createdAt } = (await stored(one.ulid))!;
  vi.setSystemTime(Date.now() + 90 * 60_000);
  expect(await one.form()).toMatchObject({ status: 200 });
  expect(Date.parse((await stored(one.ulid))!.createdAt)).toBeGreaterThan(Date.parse(createdAt));
});

test('max_bytes limits the declared size, the parts and the finished file', async () => {
  const one = await prepare({ max_bytes: 6 * mebibyte });
  expect(await one.create({ size: 6 * mebibyte + 1 })).toMatchObject({
    status: 413,
    json: { message: 'The file has 6291457 bytes, and this upload token allows at most 6291456.' },
  });
  expect(await one.create()).toMatchObject({ status: 422, json: { errors: { size: [expect.any(String)] } } });
  await one.create({ size: 6 * mebibyte });
  // Without a length it is that of the suggested parts, of which the file is one.
  expect(await one.sign(2)).toMatchObject({ status: 422, json: { errors: { partNumber: [expect.any(String)] } } });
  const url = async (part: number, bytes: number) =>
    (await one.send(`GET /multipart/${one.ulid}/${part}?size=${bytes}`)).json.url;
  const sendTo = async (address: string, bytes: number) => {
    const { status, headers } = await fetch(address, { method: 'PUT', body: Buffer.alloc(bytes, 1) });
    return { status, etag: headers.get('etag') };
  };
  const first = await sendTo(await url(1, 5 * mebibyte), 5 * mebibyte);
  expect(first.status).toBe(200);
  expect(await one.sign(3)).toMatchObject({ status: 422 });
  const second = await url(2, mebibyte);
  for (const bytes of [mebibyte - 1, mebibyte + 1, 6 * mebibyte]) {
    expect((await sendTo(second, bytes)).status).toBe(403);
  }
  const last = await sendTo(second, mebibyte);
  const parts = [first, last].map(({ etag }, index) => ({ PartNumber: index + 1, ETag: etag }));
  expect(await one.complete(parts)).toMatchObject({ status: 200 });
});

test('parts are signed in any order: the first ones leave two possible sizes, and a later one decides', async () => {
  const one = await prepare();
  await one.create({ size: 11 * mebibyte });
  const sign = (part: number, mebibytes: number) =>
    one.send(`GET /multipart/${one.ulid}/${part}?size=${mebibytes * mebibyte}`);
  const sizes = async () => (await stored(one.ulid))!.partSizes?.map((bytes) => bytes / mebibyte);
  expect(await sign(2, 5)).toMatchObject({ status: 200 });
  expect(await sizes()).toEqual([5, 6]);
  expect(await Promise.all([sign(1, 5), sign(3, 1)])).toMatchObject([{ status: 200 }, { status: 200 }]);
  expect(await sizes()).toEqual([5]);
  expect(await sign(1, 6)).toMatchObject({ status: 422 });
});

test('a create with the size of another file begins the upload of a token again, without the parts of the first', async () => {
  const one = await prepare({ max_bytes: 10 });
  await one.create({ size: 5 });
  const before = (await one.sign(1)).json.url;
  await put(one, 1, 5);
  await one.create({ size: 7 });
  expect((await one.list()).json).toEqual([]);
  expect((await fetch(before, { method: 'PUT', body: 'hello' })).status).toBe(404);
  expect(await one.complete([await put(one, 1, 7)])).toMatchObject({ status: 200 });
});

describe('an upload token is 401', () => {
  test('for other operations', async () => {
    const { token } = await prepare();
    for (const request of [
      'GET /api/uploads',
      `DELETE /api/uploads/${newUlid()}`,
      'POST /api/direct-uploads',
    ] as const) {
      expect(await callHandler(handler, request, { token, body: {} }), request).toMatchObject({ status: 401 });
    }
  });

  test('with another secret, in parts, and with the ULID of another', async () => {
    const [one, two] = [await prepare(), await prepare()];
    const [ulid, secret] = one.token.split('_');
    const wrong = [`${two.ulid}_${secret}`, `${ulid}_${'x'.repeat(40)}`, `${ulid}_`, `_${secret}`, `${one.token}x`];
    for (const token of wrong) expect((await one.create({}, { token })).status, token).toBe(401);
  });

  test('after it has expired', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const one = await prepare({ expires_in: 60 });
    await one.create();
    vi.setSystemTime(Date.now() + 60_000);
    for (const answer of [await one.create(), await one.list(), await one.sign(1), await one.form()]) {
      expect(answer).toMatchObject({ status: 401 });
    }
  });

  test('after its owner is deleted', async () => {
    const one = await prepare();
    await one.create();
    await hideUser(who.user, (await createPerson({ isAdmin: true })).user);
    expect(await one.sign(1)).toMatchObject({ status: 401, json: { message: 'Unauthenticated.' } });
  });
});

test('a token does not reach other uploads, of its owner or of others', async () => {
  const [one, two] = [await prepare(), await prepare()];
  await one.create();
  await two.create();
  const body = { filename: 'own.mp4', metadata: { template: who.template.ulid } };
  const own = await callHandler(handler, 'POST /api/objstore/multipart', { token: who.token, body });
  for (const ulid of [two.ulid, own.json.ulid]) {
    expect(await one.list(ulid)).toMatchObject({ status: 404 });
    expect(await one.sign(1, ulid)).toMatchObject({ status: 404 });
    expect(await one.complete([{ PartNumber: 1, ETag: 'x' }], ulid)).toMatchObject({ status: 404 });
    expect(await one.abort(ulid)).toMatchObject({ status: 404 });
    expect((await stored(ulid))?.status).toBe('open');
  }
});

test("the token decides alone beside another user's session", async () => {
  const { secret: session } = await openSession((await createPerson()).user);
  const one = await prepare();
  expect(await one.create({}, { session })).toMatchObject({ status: 200 });
  expect((await stored(one.ulid))?.ownerUlid).toBe(who.user.ulid);
  const wrong = `${one.ulid}_${'x'.repeat(40)}`;
  const { secret: owned } = await openSession(who.user);
  const body = { filename: 'a.mp4', metadata: { template: who.template.ulid } };
  const request = `POST /api/direct-uploads/${wrong}/s3/multipart` as const;
  expect(await callHandler(handler, request, { session: owned, body })).toMatchObject({ status: 401 });
  const sent = { token: who.token, body };
  expect(await callHandler(handler, request, sent), 'beside a right header').toMatchObject({ status: 401 });
});

test('clients that append /s3 to an address send the token in the path', async () => {
  const one = await prepare();
  const path = `/api/direct-uploads/${one.token}/s3/multipart` as const;
  const body = { filename: 'a.mp4', metadata: { name: 'a.mp4' } };
  expect(await callHandler(handler, `POST ${path}`, { body })).toMatchObject({ status: 200 });
  expect(await callHandler(handler, `GET ${path}/${one.ulid}/1`)).toMatchObject({ status: 200 });
  expect(await callHandler(handler, `DELETE ${path}/${one.ulid}`)).toMatchObject({ status: 200, json: {} });
  for (const rest of ['', '/s3', '/s3/', '/s3/../uploads', '/uploads']) {
    const request = `GET /api/direct-uploads/${one.token}${rest}` as const;
    expect((await callHandler(handler, request)).status, rest).toBe(404);
  }
});

describe('the origin of a page', () => {
  const cors = (origin: string, credentials?: 'true') => ({
    'access-control-allow-origin': origin,
    ...(credentials && { 'access-control-allow-credentials': credentials }),
  });
  const preflight = (origin: string, path: `/${string}` = '/api/objstore/multipart') =>
    callHandler(handler, `OPTIONS ${path}`, {
      headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' },
    });

  test('is allowed by allowed_origin, without cookies', async () => {
    const one = await prepare({ allowed_origin: `${page.toUpperCase()}/` });
    const answers = [
      await preflight(page),
      await preflight(page, `/api/direct-uploads/${one.token}/s3/multipart`),
      await one.create({}, { headers: { origin: page, 'sec-fetch-site': 'cross-site' } }),
      await one.send(`GET /multipart/${newUlid()}`, { headers: { origin: page } }),
      await one.send('POST /multipart', { headers: { origin: page }, token: `${one.ulid}_${'x'.repeat(40)}` }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([204, 204, 200, 404, 401]);
    for (const { headers } of answers) {
      expect(headers).toMatchObject(cors(page));
      expect(headers).not.toHaveProperty('access-control-allow-credentials');
    }
    expect(answers[0]?.headers['access-control-allow-headers']).toContain('authorization');
  });

  test.each([
    ['another origin', { origin: 'https://evil.example' }],
    ['no origin', { origin: 'null' }],
    ['another port', { origin: `${page}:8443` }],
    ['another scheme', { origin: 'http://www.example.com' }],
    ['a link', { 'sec-fetch-site': 'none' }],
    ['an image of another site', { 'sec-fetch-site': 'cross-site' }],
    ['a page of the API', { 'sec-fetch-site': 'same-origin' }],
  ])('%s is 403 without CORS headers', async (_, headers) => {
    const one = await prepare({ allowed_origin: page });
    const answer = await one.create({}, { headers: headers as Record<string, string> });
    expect(answer).toMatchObject({
      status: 403,
      json: { message: 'This upload token is not for pages of this origin.' },
    });
    expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
    expect(await stored(one.ulid)).toBeUndefined();
  });

  test('of another token is 403, also for its CORS headers', async () => {
    const other = 'https://other.example';
    const one = await prepare({ allowed_origin: page });
    await prepare({ allowed_origin: other });
    expect((await preflight(other)).headers).toMatchObject(cors(other));
    const answer = await one.create({}, { headers: { origin: other } });
    expect(answer.status).toBe(403);
    expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
  });

  test('has no CORS headers without a token for it, on other paths, or after the token has expired', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const late = 'https://late.example';
    await prepare({ allowed_origin: late, expires_in: 60 });
    for (const answer of [await preflight('https://none.example'), await preflight(late, '/api/uploads')]) {
      expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
    }
    expect((await preflight(late)).headers).toMatchObject(cors(late));
    vi.setSystemTime(Date.now() + 2 * 3600_000);
    expect((await preflight(late)).headers).not.toHaveProperty('access-control-allow-origin');
  });

  test('is no reason to fail when it cannot be looked up', async () => {
    const warned = vi.spyOn(log, 'warn').mockImplementation(() => {});
    const table = mockClient(documents);
    table.rejects(new Error('unavailable'));
    expect((await preflight(page)).status).toBe(204);
    table.restore();
    expect(warned).toHaveBeenCalledOnce();
  });

  test('does not matter to clients that are not browsers, nor without allowed_origin', async () => {
    const one = await prepare({ allowed_origin: page });
    expect(await one.create()).toMatchObject({ status: 200 });
    const two = await prepare();
    expect(await two.create({}, { headers: { origin: 'https://evil.example' } })).toMatchObject({ status: 200 });
  });

  test.each(['www.example.com', `${page}/path`, 'null', '*', 'https://*.example.com', 'javascript:1', `${page}?a`, 5])(
    '%s is 422 as allowed_origin',
    async (allowed_origin) => {
      expect(await direct({ allowed_origin })).toMatchObject({
        status: 422,
        json: { errors: { allowed_origin: [expect.any(String)] } },
      });
    },
  );
});

test.each([
  ['template', { template: newUlid() }],
  ['template', { template: undefined }],
  ['filename', { filename: 'x'.repeat(256) }],
  ['max_bytes', { max_bytes: 0 }],
  ['max_bytes', { max_bytes: 5 * 2 ** 40 + 1 }],
  ['expires_in', { expires_in: 59 }],
  ['expires_in', { expires_in: 604_801 }],
  ['externalUserId', { externalUserId: 'x'.repeat(256) }],
])('a wrong %s is 422', async (field, body) => {
  const answer = await direct(body);
  expect(answer.status).toBe(422);
  expect(Object.keys(answer.json.errors)).toEqual([field]);
});

test("another user's template is 422, also when the template is deleted before the upload", async () => {
  expect(await direct({ template: (await uploader()).template.ulid })).toMatchObject({ status: 422 });
  const one = await prepare();
  await deleteTemplate(who.template, who.user);
  expect(await one.create()).toMatchObject({
    status: 422,
    json: { errors: { 'metadata.template': ['The selected metadata.template is invalid.'] } },
  });
  expect(await stored(one.ulid)).toBeUndefined();
});

test('direct uploads count against the quota of their owner', async () => {
  const one = await prepare();
  const setQuota = (uploadBytesPerMonth: number) => {
    const quota: User['quota'] = { uploadBytesPerMonth, encodingCpuSecondsPerMonth: null };
    return write({ update: keys.user(who.user.ulid), set: { quota } });
  };
  await setQuota(10);
  expect(await direct()).toMatchObject({ status: 201 });
  expect(await one.create({ size: 11 })).toMatchObject({ status: 402 });
  expect(await one.create()).toMatchObject({ status: 422, json: { errors: { size: [expect.any(String)] } } });
  // As Uppy 6 sends it.
  await one.create({ metadata: { size: 10 } });
  expect((await put(one, 1, 11)).ETag).toBeNull();
  expect(await one.complete([await put(one, 1, 10)])).toMatchObject({ status: 200 });
  await setQuota(20);
  expect([(await one.create({ size: 21 })).status, (await one.create({ size: 1 })).status]).toEqual([402, 409]);
  const two = await prepare();
  await setQuota(30);
  expect(await two.create({ size: 20 })).toMatchObject({ status: 200 });
  await setQuota(0);
  expect([(await one.create()).status, (await two.form()).status]).toEqual([402, 402]);
  await setQuota(30);
  expect([(await one.create()).status, (await two.form()).status]).toEqual([409, 409]);
  await setQuota(0);
  expect(await direct()).toMatchObject({ status: 402 });
  expect(await direct({ template: newUlid() })).toMatchObject({ status: 422 });
});
