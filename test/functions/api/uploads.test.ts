import { createHash } from 'node:crypto';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { mockClient } from 'aws-sdk-client-mock';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { handler as templates } from '../../../functions/api/templates.lambda.ts';
import { handler } from '../../../functions/api/uploads.lambda.ts';
import { newUlid } from '../../../functions/common/ids.ts';
import { log } from '../../../functions/common/log.ts';
import { openSession } from '../../../functions/table/accounts/session-table.ts';
import { getItem, write } from '../../../functions/table/items/items.ts';
import { keys } from '../../../functions/table/items/keys.ts';
import { uploadRecord } from '../../../functions/table/records.ts';
import { createTemplate, deleteTemplate, updateTemplate } from '../../../functions/table/template-table.ts';
import { callHandler, type RequestOptions, type Response } from '../../fixtures/call-handler.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { readHistory } from '../../fixtures/read-history.ts';
import { storeVideo } from '../../fixtures/records/store-video.ts';
import { useBucket } from '../../fixtures/use-bucket.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();
useBucket();

const mebibyte = 2 ** 20;
type Who = Awaited<ReturnType<typeof uploader>>;
type Part = { PartNumber: number; ETag: string };

async function uploader() {
  const { user, token } = await createPerson();
  const template = await createTemplate(user.ulid, { name: 'Web', query: {} });
  return { user, token, template };
}

let who: Who;
beforeEach(async () => {
  who = await uploader();
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const create = (metadata: object = {}, body: object = {}, { token, template }: Who = who) =>
  callHandler(handler, 'POST /api/objstore/multipart', {
    token,
    body: { filename: 'holiday.mp4', type: 'video/mp4', metadata: { template: template.ulid, ...metadata }, ...body },
  });
const open = async (): Promise<string> => (await create()).json.uploadId;
const path = (uploadId: string, rest = '') => `/api/objstore/multipart/${uploadId}${rest}` as const;
const list = (uploadId: string, token = who.token) => callHandler(handler, `GET ${path(uploadId)}`, { token });
const sign = (uploadId: string, part: number | string) =>
  callHandler(handler, `GET ${path(uploadId, `/${part}`)}`, { token: who.token });
const abort = (uploadId: string) => callHandler(handler, `DELETE ${path(uploadId)}`, { token: who.token });
const complete = (uploadId: string, parts: unknown) =>
  callHandler(handler, `POST ${path(uploadId, '/complete')}`, { token: who.token, body: { parts } });

async function put(uploadId: string, PartNumber: number, bytes: number): Promise<Part> {
  const { url } = (await sign(uploadId, PartNumber)).json;
  const response = await fetch(url, { method: 'PUT', body: Buffer.alloc(bytes, PartNumber) });
  expect(response.status).toBe(200);
  return { PartNumber, ETag: response.headers.get('etag') ?? '' };
}

const counts = async () => ({
  ...(await getItem(z.looseObject({}), keys.userCounts(who.user.ulid))),
  ...(await getItem(z.looseObject({}), keys.templateCounts(who.template.ulid))),
});
const stored = (uploadId: string) => getItem(uploadRecord, keys.upload(uploadId));

test('the service chooses the key of an upload, and its ID is the video’s ULID', async () => {
  const created = await create({ externalUserId: 42, externalResourceId: '', relativePath: null, name: 'x' });
  expect(created.status).toBe(200);
  const { ulid } = created.json;
  expect(created.json).toEqual({
    key: `uploads/${who.user.ulid}/${ulid}/holiday.mp4`,
    uploadId: ulid,
    bucket: 'test-bucket',
    ulid: expect.stringMatching(/^[0-9A-Z]{26}$/),
    suggestedPartSize: 16 * mebibyte,
  });
  expect(await stored(ulid)).toMatchObject({ status: 'open', externalUserId: '42', externalResourceId: null });
  expect(await counts()).toMatchObject({ openUploads: 1, references: 1 });
});

test.each([
  ['an object and a list', { album: 'Summer' }, ['Sea', 'sun']],
  ['flat texts, as Uppy sends them', '{"album":"Summer"}', 'Sea, sun'],
])('the description of the video may be %s', async (_, metadata, tags) => {
  const { ulid } = (await create({ metadata, tags })).json;
  expect(await stored(ulid)).toMatchObject({ metadata: { album: 'Summer' }, tags: ['sea', 'sun'] });
});

test.each<[string, unknown, object]>([
  ['an object', { start_seconds: 1.5, end_seconds: 4 }, { startSeconds: 1.5, endSeconds: 4 }],
  ['its JSON text, as Uppy sends it', '{"start_seconds":12.3456789}', { startSeconds: 12.345679 }],
  ['an end alone', { start_seconds: null, end_seconds: 0.5 }, { endSeconds: 0.5 }],
])('the clip of the file may be %s', async (_, clip, kept) => {
  expect((await stored((await create({ clip })).json.ulid))?.sourceOptions).toEqual({ clip: kept });
});

test.each<[string, unknown]>([
  ['an object', { rotate: 90, crop: { top: '10%' } }],
  ['its JSON text', '{"rotate":90,"crop":{"top":"10%"}}'],
])('the picture of the video may be %s, and is stored with all of its settings', async (_, picture) => {
  expect((await stored((await create({ picture })).json.ulid))?.sourceOptions).toEqual({
    picture: { rotate: 90, crop: { top: '10%', right: 0, bottom: 0, left: 0 }, deinterlace: 'auto' },
  });
});

test('the tracks of the video may be JSON text', async () => {
  const tracks = '{"video":1,"audio":[{"from":[3,4],"as":"stereo"}]}';
  expect((await stored((await create({ tracks })).json.ulid))?.sourceOptions).toEqual({
    tracks: { video: 1, audio: [{ from: [3, 4], as: 'stereo' }] },
  });
});

test('no clip is stored without one', async () => {
  expect(await stored((await create({ clip: null })).json.ulid)).not.toHaveProperty('sourceOptions');
});

test('the clip of a form is in its query', async () => {
  const clip = '{"end_seconds":2}';
  const query = new URLSearchParams({
    filename: 'a.mp4',
    'metadata[template]': who.template.ulid,
    'metadata[clip]': clip,
  });
  const { json } = await callHandler(handler, `GET /api/objstore/params?${query}`, { token: who.token });
  const [, ulid] = /^uploads\/[^/]+\/([^/]+)\//.exec(json.fields.key) ?? [];
  expect((await stored(ulid!))?.sourceOptions).toEqual({ clip: { endSeconds: 2 } });
});

test('the suggested part grows with the declared size, and more than 5 TiB is 413', async () => {
  expect((await create({}, { size: 500 * 2 ** 30 })).json.suggestedPartSize).toBe(52 * mebibyte);
  expect(await create({}, { size: 5 * 2 ** 40 + 1 })).toMatchObject({ status: 413 });
});

test.each([
  'h ü.mp4',
  'a+b&c=d%20.mp4',
  '../../x',
  '-i.mp4',
  'a\r\nb\0.mp4',
  '🎬.mp4',
  'img_%03d.jpg',
  'x'.repeat(255),
])('the file name %j is stored for display and sanitized in the key', async (filename) => {
  const { key, ulid } = (await create({}, { filename })).json;
  expect(key).toMatch(/^uploads\/[0-9A-Z]{26}\/[0-9A-Z]{26}\/[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$/);
  expect((await stored(ulid))?.fileName).toBe(filename.trim());
});

test.each([
  ['no template', { template: undefined }, {}, 'metadata.template'],
  ['a malformed template', { template: "' OR 1=1--" }, {}, 'metadata.template'],
  ['an unknown template', { template: '01K9Z3P6M8N9P0Q1R2S3T4V5W6' }, {}, 'metadata.template'],
  ['a long external id', { externalUserId: 'x'.repeat(256) }, {}, 'metadata.externalUserId'],
  ['an external id of another shape', { externalResourceId: ['x'] }, {}, 'metadata.externalResourceId'],
  ['metadata that is not JSON', { metadata: '{' }, {}, 'metadata.metadata'],
  ['a number as a value', { metadata: { a: 1 } }, {}, 'metadata.metadata.a'],
  ['a long tag', { tags: 'x'.repeat(33) }, {}, 'metadata.tags.0'],
  ['a clip of nothing', { clip: {} }, {}, 'metadata.clip.start_seconds'],
  ['a clip that ends where it starts', { clip: { start_seconds: 2, end_seconds: 2 } }, {}, 'metadata.clip.end_seconds'],
  ['a clip that ends at 0', { clip: { end_seconds: 0 } }, {}, 'metadata.clip.end_seconds'],
  ['a negative start of a clip', { clip: { start_seconds: -1 } }, {}, 'metadata.clip.start_seconds'],
  ['a text as the start of a clip', { clip: { start_seconds: '1' } }, {}, 'metadata.clip.start_seconds'],
  ['a clip that is not JSON', { clip: '1-2' }, {}, 'metadata.clip'],
  ['a turn by 45 degrees', { picture: { rotate: 45 } }, {}, 'metadata.picture.rotate'],
  ['a crop of nothing', { picture: { crop: { left: '60%', right: '40%' } } }, {}, 'metadata.picture.crop.right'],
  [
    'tracks that do not make stereo',
    { tracks: { audio: [{ from: [1, 2, 3], as: 'stereo' }] } },
    {},
    'metadata.tracks.audio.0.from',
  ],
  ['a negative number of a track', { tracks: { video: -1 } }, {}, 'metadata.tracks.video'],
  ['a picture with an unknown key', { picture: { scale: 2 } }, {}, 'metadata.picture'],
  ['a picture that is not JSON', { picture: 'rotate=90' }, {}, 'metadata.picture'],
  ['no file name', {}, { filename: ' ' }, 'filename'],
  ['a long file name', {}, { filename: 'x'.repeat(300) }, 'filename'],
  ['no metadata', {}, { metadata: undefined }, 'metadata.template'],
  ['an empty file', {}, { size: 0 }, 'size'],
])('%s is 422', async (_, metadata, body, field) => {
  const answer = await create(metadata, body);
  expect(answer).toMatchObject({ status: 422 });
  expect(Object.keys(answer.json.errors)).toEqual([field]);
});

test('a shared template of another user can be used, until it is not shared any more', async () => {
  const { ulid: ownerUlid } = (await createPerson({ isAdmin: true })).user;
  const shared = await createTemplate(ownerUlid, { name: 'House', query: {}, shared: true });
  expect(await create({ template: shared.ulid })).toMatchObject({ status: 200 });
  await updateTemplate(shared, { shared: false }, { ulid: ownerUlid });
  expect(await create({ template: shared.ulid })).toMatchObject({ status: 422 });
});

test("another user's template is 422, and no upload is opened", async () => {
  const other = await uploader();
  const answer = await create({ template: other.template.ulid });
  expect(answer).toMatchObject({ status: 422, json: { errors: { 'metadata.template': [expect.any(String)] } } });
  expect(await counts()).toMatchObject({ openUploads: 0 });
});

test('a type that is invalid in a header is not stored', async () => {
  const { ulid } = (await create({}, { type: 'vidéo/mp4\r\nx: y' })).json;
  expect((await stored(ulid))?.contentType).toBe('application/octet-stream');
});

test('parts are signed, listed and joined; they can be listed for another day', async () => {
  const uploadId = await open();
  const signed = await sign(uploadId, 10_000);
  expect(signed).toMatchObject({
    status: 200,
    headers: { 'cache-control': 'no-store' },
    json: { method: 'PUT', expires: 3600, headers: {} },
  });
  expect(signed.json.url).not.toMatch(/checksum/i);

  const parts = [await put(uploadId, 1, 5 * mebibyte), await put(uploadId, 2, 3)];
  const listed = [
    { PartNumber: 1, Size: 5 * mebibyte, ETag: parts[0]?.ETag },
    { PartNumber: 2, Size: 3, ETag: parts[1]?.ETag },
  ];
  expect((await list(uploadId)).json).toEqual(listed);

  const done = await complete(uploadId, [
    { ...parts[1], ETag: parts[1]?.ETag.replaceAll('"', ''), etag: 'x', 'content-length': '0' },
    parts[0],
  ]);
  const { key } = (await stored(uploadId))!;
  expect(done).toMatchObject({ status: 200, json: { key, bucket: 'test-bucket', ulid: uploadId } });
  expect(done.json.location).toBe(`${process.env.AWS_ENDPOINT_URL_S3}/test-bucket/${key}`);
  const object = await new S3Client({}).send(new HeadObjectCommand({ Bucket: 'test-bucket', Key: key }));
  expect(object).toMatchObject({ ContentLength: 5 * mebibyte + 3, ContentType: 'video/mp4' });

  expect((await list(uploadId)).json).toEqual(listed);
  expect(await complete(uploadId, parts)).toMatchObject({ status: 200, json: done.json });
  expect(await sign(uploadId, 1)).toMatchObject({ status: 409 });
  expect(await abort(uploadId)).toMatchObject({ status: 409 });
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 25 * 3600_000 });
  expect(await list(uploadId)).toMatchObject({ status: 404 });
});

test('ten concurrent completions are one', async () => {
  const uploadId = await open();
  const part = await put(uploadId, 1, 5);
  const answers = await Promise.all(Array.from({ length: 10 }, () => complete(uploadId, [part])));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
});

test.each([
  ['no list', undefined, 'The parts field is required.'],
  ['an empty list', [], expect.any(String)],
  [
    'a part twice',
    [
      { PartNumber: 1, ETag: 'a' },
      { PartNumber: 1, ETag: 'a' },
    ],
    'The parts field names a part twice.',
  ],
])('completing with %s is 422', async (_, parts, message) => {
  expect(await complete(await open(), parts)).toMatchObject({ status: 422, json: { errors: { parts: [message] } } });
});

test('a list that differs from the uploaded parts is 422, and the upload stays open', async () => {
  const uploadId = await open();
  const [one, two] = [await put(uploadId, 1, 5 * mebibyte), await put(uploadId, 2, 3)];
  const refused = (parts: Part[], message: string) =>
    expect(complete(uploadId, parts)).resolves.toMatchObject({ status: 422, json: { errors: { parts: [message] } } });
  await refused([one, two, { PartNumber: 3, ETag: 'x' }], 'Part 3 was not uploaded.');
  await refused([one], 'Part 2 was uploaded and is not in the list.');
  await refused([one, { ...two, ETag: one.ETag }], 'Part 2 has another ETag.');
  expect(await complete(uploadId, [{ PartNumber: 0, ETag: '' }])).toMatchObject({ status: 422 });
  expect(await complete(uploadId, [one, two])).toMatchObject({ status: 200 });
});

test('small parts before the last, gaps and empty files are 422', async () => {
  const small = await open();
  const parts = [await put(small, 1, 10), await put(small, 2, 10)];
  expect(await complete(small, parts)).toMatchObject({
    status: 422,
    json: { errors: { parts: ['Part 1 is smaller than 5 MiB.'] } },
  });
  const gap = await open();
  expect(await complete(gap, [await put(gap, 2, 10)])).toMatchObject({
    status: 422,
    json: { errors: { parts: ['Part 1 is missing.'] } },
  });
  const empty = await open();
  expect(await complete(empty, [await put(empty, 1, 0)])).toMatchObject({
    status: 422,
    json: { errors: { parts: ['The file is empty.'] } },
  });
});

test('an object over 5 TiB is 413', async () => {
  const uploadId = await open();
  const store = mockClient(S3Client);
  const parts = Array.from({ length: 1025 }, (_, index) => ({ PartNumber: index + 1, Size: 5 * 2 ** 30, ETag: '"a"' }));
  store.on(ListPartsCommand).resolves({ Parts: parts, IsTruncated: false });
  expect(await complete(uploadId, parts)).toMatchObject({
    status: 413,
    json: { message: 'The object is over 5 TiB.' },
  });
  store.restore();
});

test('10,000 parts fit into the record of a completion', async () => {
  const uploadId = await open();
  const store = mockClient(S3Client);
  const parts = Array.from({ length: 10_000 }, (_, index) => ({
    PartNumber: index + 1,
    Size: 16 * mebibyte,
    ETag: `"${createHash('md5').update(String(index)).digest('hex')}"`,
  }));
  for (let page = 0; page < 10; page++) {
    store.on(ListPartsCommand, page === 0 ? {} : { PartNumberMarker: String(page * 1000) }).resolves({
      Parts: parts.slice(page * 1000, (page + 1) * 1000),
      IsTruncated: page < 9,
      NextPartNumberMarker: String((page + 1) * 1000),
    });
  }
  store.on(CompleteMultipartUploadCommand).resolves({});
  expect(await complete(uploadId, parts)).toMatchObject({ status: 200 });
  store.restore();
  expect((await list(uploadId)).json).toEqual(parts);
});

test('if the store rejects the parts, the upload stays open', async () => {
  const uploadId = await open();
  const part = await put(uploadId, 1, 5);
  const store = mockClient(S3Client);
  store.on(ListPartsCommand).resolves({ Parts: [{ ...part, Size: 5 }] });
  store
    .on(CompleteMultipartUploadCommand)
    .rejects(Object.assign(new Error('One of the parts is gone.'), { name: 'InvalidPart' }));
  expect(await complete(uploadId, [part])).toMatchObject({
    status: 422,
    json: { message: 'One of the parts is gone.' },
  });
  store.restore();
  expect((await stored(uploadId))?.status).toBe('open');
  expect(await complete(uploadId, [part])).toMatchObject({ status: 200 });
});

test('a completion that takes longer than 25 s gets a response before its end, and cannot be aborted', async () => {
  const uploadId = await open();
  const part = await put(uploadId, 1, 5);
  const store = mockClient(S3Client);
  store.on(ListPartsCommand).resolves({ Parts: [{ ...part, Size: 5 }] });
  let asked = () => {};
  const completing = new Promise<void>((resolve) => {
    asked = resolve;
  });
  let finish = () => {};
  store.on(CompleteMultipartUploadCommand).callsFake(() => {
    asked();
    return new Promise((resolve) => {
      finish = () => resolve({});
    });
  });
  // The handler reads the clock after it has started the completion: by then the time is over.
  vi.useFakeTimers({ toFake: ['Date'] });
  const slow = new Date(Date.now() + 26_000);
  const answer = complete(uploadId, [part]);
  store.on(ListPartsCommand).callsFake(() => {
    vi.setSystemTime(slow);
    return { Parts: [{ ...part, Size: 5 }] };
  });
  await completing;
  expect(await answer).toMatchObject({ status: 200, json: { ulid: uploadId } });
  store.restore();
  expect(await abort(uploadId)).toMatchObject({ status: 409 });
  finish();
});

test('a repeated completion succeeds if the object exists', async () => {
  const uploadId = await open();
  const part = await put(uploadId, 1, 5);
  await complete(uploadId, [part]);
  expect((await stored(uploadId))?.status).toBe('completing');
  expect(await complete(uploadId, [part])).toMatchObject({ status: 200 });
});

test('an aborted upload is 404 for everything but a second abort', async () => {
  const uploadId = await open();
  const part = await put(uploadId, 1, 5);
  expect(await abort(uploadId)).toMatchObject({ status: 200, json: {}, text: '{}' });
  expect(await abort(uploadId)).toMatchObject({ status: 200, text: '{}' });
  expect(await list(uploadId)).toMatchObject({ status: 404 });
  expect(await sign(uploadId, 1)).toMatchObject({ status: 404 });
  expect(await complete(uploadId, [part])).toMatchObject({ status: 404 });
  expect(await counts()).toMatchObject({ openUploads: 0, references: 0 });
  const subject = { type: 'upload', id: null, ulid: uploadId };
  expect(await readHistory(who.user, 2)).toMatchObject([
    { logName: 'upload', event: 'deleted', description: 'Aborted the upload of holiday.mp4', subject },
    { logName: 'upload', event: 'created', description: 'Opened the upload of holiday.mp4', subject },
  ]);
  await expect(deleteTemplate(who.template, who.user)).resolves.toBeUndefined();
});

test.each(['0', '-1', '10001', 'batch', '1e3', '1.5'])('part number %s is 422', async (number) => {
  expect(await sign(await open(), number)).toMatchObject({
    status: 422,
    json: { errors: { partNumber: [expect.any(String)] } },
  });
});

test('another user’s upload, an unknown one and a wrong key are 404 on all five endpoints', async () => {
  const uploadId = await open();
  const part = await put(uploadId, 1, 5);
  const other = await createPerson();
  const requests = (id: string, query = '') =>
    [
      `GET ${path(id, query)}`,
      `GET ${path(id, `/1${query}`)}`,
      `GET ${path(id, `/batch${query}`)}`,
      `POST ${path(id, `/complete${query}`)}`,
      `DELETE ${path(id, query)}`,
    ] as const;
  const body = { parts: [part] };
  for (const request of requests(uploadId)) {
    expect(await callHandler(handler, request, { token: other.token, body })).toMatchObject({ status: 404 });
  }
  for (const request of [...requests(newUlid()), ...requests('x'), ...requests(uploadId, '?key=uploads%2Fother')]) {
    expect(await callHandler(handler, request, { token: who.token, body })).toMatchObject({ status: 404 });
  }
  const { key } = (await stored(uploadId))!;
  const named = path(uploadId, `/complete?key=${encodeURIComponent(key)}`);
  expect(await callHandler(handler, `POST ${named}`, { token: who.token, body })).toMatchObject({ status: 200 });
});

test('a user has at most 100 open uploads; expired ones are closed', async () => {
  const old = await open();
  await write({ update: keys.userCounts(who.user.ulid), set: { openUploads: 100 } });
  expect(await create()).toMatchObject({
    status: 422,
    json: { errors: { filename: [expect.stringContaining('100')] } },
  });
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 8 * 24 * 3600_000 });
  expect(await create()).toMatchObject({ status: 200 });
  expect((await stored(old))?.status).toBe('aborted');
});

const params = (filename: string) => {
  const query = new URLSearchParams({ filename, 'metadata[template]': who.template.ulid });
  return callHandler(handler, `GET /api/objstore/params?${query}`, { token: who.token });
};
const sendForm = async ({ json: { url, fields } }: Response, bytes: number | Buffer): Promise<number> => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields as Record<string, string>)) form.append(name, value);
  form.append('file', new Blob([typeof bytes === 'number' ? Buffer.alloc(bytes, 1) : bytes]));
  return (await fetch(url, { method: 'POST', body: form })).status;
};
const ulidOf = ({ json }: Response): string => json.fields.key.split('/')[2];
const uploads = async (query = '', token = who.token) =>
  (await callHandler(handler, `GET /api/uploads?${query}`, { token })).json;
const remove = (ulid: string, token = who.token) => callHandler(handler, `DELETE /api/uploads/${ulid}`, { token });

test('open uploads are listed newest first in pages, with the received bytes', async () => {
  const multipart = (await create({}, { size: 5 * mebibyte + 7 })).json.uploadId;
  await put(multipart, 1, 5 * mebibyte);
  await put(multipart, 2, 3);
  const form = ulidOf(await params('clip.mp4'));
  const aborted = await open();
  await abort(aborted);
  const listed = await uploads();
  expect(listed).toEqual({
    data: [
      {
        ulid: form,
        upload_id: null,
        kind: 'form',
        replaces: null,
        filename: 'clip.mp4',
        size: null,
        bytes_received: 0,
        created_at: (await stored(form))?.createdAt,
        expires_at: expect.stringMatching(/000Z$/),
      },
      {
        ulid: multipart,
        upload_id: multipart,
        kind: 'multipart',
        replaces: null,
        filename: 'holiday.mp4',
        size: 5 * mebibyte + 7,
        bytes_received: 5 * mebibyte + 3,
        created_at: (await stored(multipart))?.createdAt,
        expires_at: expect.stringMatching(/000Z$/),
      },
    ],
    meta: { current_page: 1, last_page: 1, per_page: 15, total: 2 },
  });
  const hours = listed.data.map(
    (one: { created_at: string; expires_at: string }) =>
      Math.round((Date.parse(one.expires_at) - Date.parse(one.created_at)) / 360_000) / 10,
  );
  expect(hours).toEqual([2, 7 * 24]);
  expect(await uploads('per_page=1&page=2')).toMatchObject({
    data: [{ ulid: multipart }],
    meta: { current_page: 2, last_page: 2, total: 2 },
  });
  expect(await uploads('page=9')).toMatchObject({ data: [], meta: { total: 2 } });
  expect((await uploads('', (await createPerson()).token)).data).toEqual([]);
});

test('an upload that is being completed is listed with all its bytes, and cannot be removed', async () => {
  const uploadId = await open();
  const part = await put(uploadId, 1, 5);
  await complete(uploadId, [part]);
  expect((await uploads()).data).toMatchObject([{ ulid: uploadId, bytes_received: 5 }]);
  expect(await remove(uploadId)).toMatchObject({ status: 409, json: { message: 'The upload is complete.' } });
  expect((await uploads()).data).toHaveLength(1);
});

test('an open upload of either kind can be removed', async () => {
  const multipart = await open();
  await put(multipart, 1, 5);
  const form = ulidOf(await params('clip.mp4'));
  const stranger = (await createPerson()).token;
  for (const ulid of [multipart, form]) {
    expect(await remove(ulid, stranger)).toMatchObject({ status: 404 });
    expect(await remove(ulid.toLowerCase())).toMatchObject({ status: 204, text: undefined });
    expect(await remove(ulid)).toMatchObject({ status: 204 });
    expect((await stored(ulid))?.status).toBe('aborted');
  }
  expect(await uploads()).toMatchObject({ data: [], meta: { total: 0 } });
  expect(await counts()).toMatchObject({ openUploads: 0, references: 0 });
  const { Uploads = [] } = await new S3Client({}).send(
    new ListMultipartUploadsCommand({ Bucket: 'test-bucket', Prefix: `uploads/${who.user.ulid}/` }),
  );
  expect(Uploads).toEqual([]);
});

describe('with 100 uploads open', () => {
  const minute = 60_000;
  const full = () => write({ update: keys.userCounts(who.user.ulid), set: { openUploads: 100 } });
  const later = (minutes: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + minutes * minute });
  const statuses = (...ulids: string[]) => Promise.all(ulids.map(async (ulid) => (await stored(ulid))?.status));

  test('a new one replaces the oldest that has received nothing for an hour', async () => {
    const [first, form, third] = [await open(), ulidOf(await params('a.mp4')), await open()];
    await full();
    expect(await create()).toMatchObject({ status: 422 });
    later(30);
    await put(first, 1, 5);
    expect(await create()).toMatchObject({ status: 422 });
    later(35);
    expect(await create()).toMatchObject({ status: 200 });
    expect(await statuses(first, form, third)).toEqual(['open', 'aborted', 'open']);
    expect(await params('b.mp4')).toMatchObject({ status: 200 });
    expect(await statuses(first, form, third)).toEqual(['open', 'aborted', 'aborted']);
    expect(await readHistory(who.user, 2)).toMatchObject([
      { description: 'Opened the upload of b.mp4' },
      { event: 'deleted', description: 'Gave up for a new one the idle upload of holiday.mp4' },
    ]);
    expect(await create()).toMatchObject({
      status: 422,
      json: { errors: { filename: [expect.stringContaining('100')] } },
    });
    later(26);
    expect(await create()).toMatchObject({ status: 200 });
    expect(await statuses(first)).toEqual(['aborted']);
    expect(await counts()).toMatchObject({ openUploads: 100 });
  });

  test('one whose form was sent, or that is being completed, is not replaced', async () => {
    const form = await params('a.mp4');
    expect(await sendForm(form, 100)).toBe(201);
    const completing = await open();
    await complete(completing, [await put(completing, 1, 5)]);
    await full();
    later(65);
    expect(await create()).toMatchObject({ status: 422 });
    expect(await statuses(ulidOf(form), completing)).toEqual(['open', 'completing']);
  });

  test('that of an object below the watch prefix is not replaced', async () => {
    const ulid = ulidOf(await params('a.mp4'));
    await write({ update: keys.upload(ulid), set: { watched: { key: 'ingest/a.mp4', etag: '"1"' } } });
    await full();
    later(65);
    expect(await create()).toMatchObject({ status: 422 });
    expect(await statuses(ulid)).toEqual(['open']);
  });

  test('if no upload is idle, the store is queried once a minute', async () => {
    const uploadId = await open();
    later(65);
    await put(uploadId, 1, 5);
    await full();
    const store = mockClient(S3Client);
    store.on(CreateMultipartUploadCommand).resolves({ UploadId: 'x' });
    store.on(ListPartsCommand).resolves({ Parts: [{ PartNumber: 1, Size: 5, LastModified: new Date() }] });
    store.on(AbortMultipartUploadCommand).resolves({});
    for (let asked = 0; asked < 5; asked++) expect(await create()).toMatchObject({ status: 422 });
    expect(store.commandCalls(ListPartsCommand)).toHaveLength(1);
    later(2);
    expect(await create()).toMatchObject({ status: 422 });
    expect(store.commandCalls(ListPartsCommand)).toHaveLength(2);
    store.restore();
  });
});

test('a template cannot be deleted while an upload with it is open', async () => {
  const upload = await open();
  const remove = () => callHandler(templates, `DELETE /api/templates/${who.template.id}`, { token: who.token });
  expect(await remove()).toMatchObject({ status: 409, json: { message: 'The template is used by 1 open upload.' } });
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 30 * 24 * 3600_000 });
  expect(await remove()).toMatchObject({ status: 204 });
  expect((await stored(upload))?.status).toBe('aborted');
});

test('the error contains the numbers of videos and open uploads that use a template', async () => {
  const { user, template } = who;
  const remove = () => callHandler(templates, `DELETE /api/templates/${template.id}`, { token: who.token });
  const other = await createTemplate(user.ulid, { name: 'Other', query: {} });
  await storeVideo(user, { template: other });
  await create({ template: other.ulid });
  await open();
  await open();
  expect((await remove()).json.message).toBe('The template is used by 2 open uploads.');
  await storeVideo(user, { template });
  expect((await remove()).json.message).toBe('The template is used by 1 video and 2 open uploads.');
});

test('an alias serves clients that append /s3', async () => {
  const body = { filename: 'a.mp4', metadata: { template: who.template.ulid } };
  const created = await callHandler(handler, 'POST /api/s3/multipart', { token: who.token, body });
  expect(created).toMatchObject({ status: 200 });
  expect(
    await callHandler(handler, `GET /api/s3/multipart/${created.json.uploadId}`, { token: who.token }),
  ).toMatchObject({
    json: [],
  });
});

test('a form upload is signed for one object of a known key', async () => {
  const query = new URLSearchParams({
    filename: 'clip ü.mp4',
    type: 'video/mp4',
    'metadata[template]': who.template.ulid.toLowerCase(),
    'metadata[externalUserId]': 'crm-1',
    'metadata[tags]': 'sea',
    'metadata[externalResourceId]': 'null',
    'metadata[relativePath]': 'null',
  });
  const answer = await callHandler(handler, `GET /api/objstore/params?${query}`, { token: who.token });
  expect(answer).toMatchObject({
    status: 200,
    headers: { 'cache-control': 'no-store' },
    json: { method: 'POST', expires: 3600 },
  });
  const { url, fields } = answer.json;
  expect(url).not.toContain(fields.key);
  expect(fields).toMatchObject({ success_action_status: '201', 'content-type': 'video/mp4', bucket: 'test-bucket' });
  const ulid = fields.key.split('/')[2];
  expect(await stored(ulid)).toMatchObject({
    store: 'post',
    externalUserId: 'crm-1',
    externalResourceId: null,
    tags: ['sea'],
  });

  expect(await sendForm(answer, 0)).toBe(400);
  expect(await sendForm(answer, 100)).toBe(201);
  expect(await list(ulid)).toMatchObject({ status: 404 });
});

test('a cross-site request cannot open a form upload with the session cookie', async () => {
  const { secret: session } = await openSession(who.user);
  const query = new URLSearchParams({ filename: 'clip.mp4', 'metadata[template]': who.template.ulid });
  const ask = async (
    method: string,
    api: string,
    headers: Record<string, string>,
    credential: RequestOptions = { session },
  ) => (await callHandler(handler, `${method} /api/${api}/params?${query}`, { ...credential, headers })).status;
  for (const api of ['objstore', 's3']) {
    for (const method of ['GET', 'HEAD']) {
      expect(await ask(method, api, { 'sec-fetch-site': 'cross-site' })).toBe(419);
      expect(await ask(method, api, { 'sec-fetch-site': 'same-site' })).toBe(419);
      expect(await ask(method, api, { origin: 'https://evil.example' })).toBe(419);
    }
  }
  expect(await counts()).toMatchObject({ openUploads: 0 });
  expect(await ask('GET', 's3', { 'sec-fetch-site': 'same-origin' })).toBe(200);
  expect(await ask('GET', 'objstore', { 'sec-fetch-site': 'cross-site' }, { token: who.token })).toBe(200);
});

test.each([
  ['', ['filename', 'metadata.template']],
  ['filename=a.mp4&metadata[template]=undefined', ['metadata.template']],
])('parameters for %j are 422', async (query, fields) => {
  const answer = await callHandler(handler, `GET /api/objstore/params?${query}`, { token: who.token });
  expect(answer.status).toBe(422);
  expect(Object.keys(answer.json.errors)).toEqual(fields);
});

test('an unavailable store is 503 with Retry-After', async () => {
  vi.spyOn(log, 'warn').mockImplementation(() => {});
  const store = mockClient(S3Client);
  store.rejects(Object.assign(new Error('Please reduce your request rate.'), { name: 'SlowDown' }));
  expect(await create()).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
  store.restore();
});

test.each([
  'GET /api/uploads',
  'DELETE /api/uploads/x',
  'GET /api/objstore/params',
  'POST /api/objstore/multipart',
  'GET /api/objstore/multipart/x',
  'GET /api/objstore/multipart/x/1',
  'POST /api/objstore/multipart/x/complete',
  'DELETE /api/objstore/multipart/x',
] as const)('%s without a credential is 401', async (request) => {
  expect(await callHandler(handler, request)).toMatchObject({ status: 401 });
});
