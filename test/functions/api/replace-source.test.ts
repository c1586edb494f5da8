import { expect, test } from 'vitest';
import { handler } from '../../../functions/api/uploads.lambda.ts';
import { newUlid } from '../../../functions/common/ids.ts';
import { getItem, write } from '../../../functions/table/items/items.ts';
import { keys } from '../../../functions/table/items/keys.ts';
import { uploadRecord, type Video } from '../../../functions/table/records.ts';
import { createTemplate } from '../../../functions/table/template-table.ts';
import { createDirectUpload } from '../../../functions/table/uploads/direct-upload-table.ts';
import { callHandler } from '../../fixtures/call-handler.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { storeVideo } from '../../fixtures/records/store-video.ts';
import { useBucket } from '../../fixtures/use-bucket.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();
useBucket();

type Who = Awaited<ReturnType<typeof createPerson>>;

const create = ({ token }: Pick<Who, 'token'>, metadata: object) =>
  callHandler(handler, 'POST /api/objstore/multipart', { token, body: { filename: 'new.mp4', metadata } });

async function withVideo(changes: Partial<Video> = {}) {
  const who = await createPerson();
  return { who, ...(await storeVideo(who.user, { externalUserId: 'crm-9', ...changes })) };
}

const messageOf = ({ status, json }: Awaited<ReturnType<typeof callHandler>>) => [status, json.message];

test('an upload for a video has its template and external user, and answers with its ULID', async () => {
  const { who, video } = await withVideo();
  const { status, json } = await create(who, { replaces: video.ulid.toLowerCase(), externalUserId: 'other' });
  expect([status, json.ulid]).toEqual([200, video.ulid]);
  expect(json.uploadId).not.toBe(video.ulid);
  expect(await getItem(uploadRecord, keys.upload(json.uploadId))).toMatchObject({
    replaces: video.ulid,
    templateUlid: video.templateUlid,
    externalUserId: 'crm-9',
  });
  const listed = await callHandler(handler, 'GET /api/uploads', { token: who.token });
  expect(listed.json.data).toMatchObject([{ ulid: json.uploadId, replaces: video.ulid }]);
});

test('a form and the template of the video are accepted too', async () => {
  const { who, video } = await withVideo();
  const query = new URLSearchParams({ filename: 'a.mp4', 'metadata[replaces]': video.ulid });
  const { status } = await callHandler(handler, `GET /api/objstore/params?${query}`, { token: who.token });
  expect(status).toBe(200);
  expect((await create(who, { replaces: video.ulid, template: video.templateUlid })).status).toBe(200);
});

test('neither a video nor a template is an error on the template', async () => {
  const { json, status } = await create(await createPerson(), {});
  expect(status).toBe(422);
  expect(json.errors).toEqual({ 'metadata.template': ['The metadata.template field is required.'] });
  expect(json.codes).toEqual({ 'metadata.template': [{ code: 'required' }] });
});

test('the video must be one of the caller, also for an administrator', async () => {
  const { video } = await withVideo();
  const unknown = [422, 'The selected metadata.replaces is invalid.'];
  expect(messageOf(await create(await createPerson(), { replaces: video.ulid }))).toEqual(unknown);
  expect(messageOf(await create(await createPerson({ isAdmin: true }), { replaces: video.ulid }))).toEqual(unknown);
  expect(messageOf(await create(await createPerson(), { replaces: newUlid() }))).toEqual(unknown);
  expect((await create(await createPerson(), { replaces: 'x' })).json.errors).toHaveProperty(['metadata.replaces']);
});

test('another template than that of the video is an error that says what to do', async () => {
  const { who, video } = await withVideo();
  const other = await createTemplate(who.user.ulid, { name: 'Other', query: {} });
  expect(messageOf(await create(who, { replaces: video.ulid, template: other.ulid }))).toEqual([
    422,
    'A new source is encoded with the template of its video: leave this field out, or change the video.',
  ]);
});

test.each<[string, Partial<Video>, RegExp]>([
  ['is being processed', { status: 'running' }, /is being processed/],
  ['has a running stream edit', { editPlanNumber: 2 }, /is being processed/],
  ['has a source that was deleted', { sourceDeletedAt: '2026-11-20T10:00:00.000000Z' }, /file of the video is deleted/],
])('409 while the video %s', async (_, changes, message) => {
  const { who, video } = await withVideo(changes);
  const [status, text] = messageOf(await create(who, { replaces: video.ulid }));
  expect(status).toBe(409);
  expect(text).toMatch(message);
});

test('a failed video can get another source', async () => {
  const { who, video } = await withVideo({ status: 'failed', refusal: 'QUOTA_EXCEEDED: too much' });
  expect((await create(who, { replaces: video.ulid })).status).toBe(200);
});

test('an upload is not completed while its video is being processed, and stays open', async () => {
  const { who, video } = await withVideo();
  const { uploadId } = (await create(who, { replaces: video.ulid })).json;
  await write({ update: keys.video(video.ulid), set: { status: 'running' } });
  const path = `POST /api/objstore/multipart/${uploadId}/complete` as const;
  const body = { parts: [{ PartNumber: 1, ETag: '"x"' }] };
  expect(messageOf(await callHandler(handler, path, { token: who.token, body }))).toEqual([
    409,
    'The video is being processed. Its source can be replaced when that has ended.',
  ]);
  expect(await getItem(uploadRecord, keys.upload(uploadId))).toMatchObject({ status: 'open' });
});

test('the holder of an upload token cannot choose a video', async () => {
  const { who, video } = await withVideo();
  const { token } = await createDirectUpload({
    ownerUlid: who.user.ulid,
    templateUlid: video.templateUlid,
    fileName: null,
    maxBytes: null,
    allowedOrigin: null,
    externalUserId: null,
    externalResourceId: null,
    expiresAt: Date.now() / 1000 + 600,
  });
  const { json } = await create({ token }, { replaces: video.ulid });
  expect(json.ulid).not.toBe(video.ulid);
  expect(await getItem(uploadRecord, keys.upload(json.uploadId))).not.toHaveProperty('replaces');
});
