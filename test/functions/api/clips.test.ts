import { SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, expect, test, vi } from 'vitest';
import { handler } from '../../../functions/api/videos.lambda.ts';
import { deleteObject, objectBytes, readObject, writeObject } from '../../../functions/aws/object-store.ts';
import { newUlid } from '../../../functions/common/ids.ts';
import { handler as createVideo } from '../../../functions/pipeline/create-video.lambda.ts';
import { reconcileVideos } from '../../../functions/reconcile/reconcile-videos.ts';
import { updateUser } from '../../../functions/table/accounts/user-table.ts';
import { getItem, queryItems } from '../../../functions/table/items/items.ts';
import { keys } from '../../../functions/table/items/keys.ts';
import { uploadRecord, type Video } from '../../../functions/table/records.ts';
import { createTemplate } from '../../../functions/table/template-table.ts';
import { hideVideo } from '../../../functions/table/videos/hide-video.ts';
import { findVideo } from '../../../functions/table/videos/video-table.ts';
import { copySource } from '../../../functions/uploads/claim-source.ts';
import { uploadKey } from '../../../shared/object-keys.ts';
import { callHandler, type RequestOptions } from '../../fixtures/call-handler.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { storeVideo } from '../../fixtures/records/store-video.ts';
import { useBucket } from '../../fixtures/use-bucket.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();
useBucket();
const machine = mockClient(SFNClient);
beforeEach(() => {
  machine.reset().onAnyCommand().resolves({});
  vi.stubEnv('STATE_MACHINE_ARN', 'arn:aws:states:us-east-1:000000000000:stateMachine:encode');
  vi.stubEnv('MAX_RUNNING_EXECUTIONS', '10');
});

type Who = Awaited<ReturnType<typeof createPerson>>;

/** A completed video of 63.48 s with its source in the store. */
async function withSource(changes: Partial<Video> = {}) {
  const who = await createPerson();
  const sourceKey = uploadKey(who.user.ulid, newUlid(), 'film.mp4');
  const source = { sourceKey, sourceBytes: 6, durationSeconds: 63.48 };
  const { video } = await storeVideo(who.user, { name: 'Film', externalUserId: 'crm-9', ...source, ...changes });
  await writeObject(video.sourceKey, 'source', 'video/mp4');
  return { who, video };
}

const clip = ({ token }: Pick<Who, 'token'>, { ulid }: Pick<Video, 'ulid'>, body: object, more: RequestOptions = {}) =>
  callHandler(handler, `POST /api/videos/${ulid}/clips`, { token, body, ...more });

const started = () =>
  machine.commandCalls(StartExecutionCommand).map(({ args }) => JSON.parse(String(args[0].input.input)));

const runOf = ({ ulid }: { ulid: string }, execution = 'arn:1') =>
  createVideo({ event: { videoUlid: ulid, planNumber: 1 }, executionArn: execution });

test('a clip is a video of its own with a copy of the source, of which a part is used', async () => {
  const { who, video } = await withSource();
  const answer = await clip(who, video, { start_seconds: 1.5, end_seconds: 4, tags: ['goal'], metadata: { a: 'b' } });
  expect(answer.status).toBe(201);
  const made = answer.json.data;
  expect(made).toMatchObject({
    name: 'Film',
    status: 'pending',
    clip: { start_seconds: 1.5, end_seconds: 4 },
    source_video: video.ulid,
    template_id: video.templateId,
    externalUserId: 'crm-9',
    tags: ['goal'],
    metadata: { a: 'b' },
  });
  expect(made.ulid).not.toBe(video.ulid);
  expect(started()).toEqual([{ videoUlid: made.ulid, planNumber: 1 }]);
  expect(await runOf(made)).toMatchObject({ decision: 'process', videoUlid: made.ulid });
  const current = (await findVideo(made.ulid))!;
  expect(current).not.toHaveProperty('copiedFrom');
  expect(current.sourceKey).not.toBe(video.sourceKey);
  expect(new TextDecoder().decode(await readObject(current.sourceKey))).toBe('source');
  expect(await getItem(uploadRecord, keys.upload(made.ulid))).toMatchObject({ status: 'stored' });
  const [counts] = await queryItems(keys.userCounts(who.user.ulid).pk, 'COUNTS');
  expect(counts).toMatchObject({ openUploads: 0 });
});

test('its name and its template can be others', async () => {
  const { who, video } = await withSource();
  const other = await createTemplate(who.user.ulid, { name: 'Small', query: {} });
  const { json } = await clip(who, video, { end_seconds: 4, name: 'Goal', template: other.ulid.toLowerCase() });
  expect(json.data).toMatchObject({ name: 'Goal', template_id: other.id });
});

test.each<[string, Partial<Video>, object, object]>([
  [
    'of a clip counts from its start',
    { sourceOptions: { clip: { startSeconds: 10 } } },
    { start_seconds: 2 },
    { start_seconds: 12, end_seconds: null },
  ],
  [
    'of a clip ends with it',
    { sourceOptions: { clip: { startSeconds: 10, endSeconds: 20 } } },
    { start_seconds: 2, end_seconds: 60 },
    { start_seconds: 12, end_seconds: 20 },
  ],
  [
    'of a clip counts from the frame that it begins with',
    { sourceOptions: { clip: { startSeconds: 10, endSeconds: 20 } }, originSeconds: 9.96 },
    { start_seconds: 2, end_seconds: 3 },
    { start_seconds: 11.96, end_seconds: 12.96 },
  ],
  [
    'of a video without the first sound of its source',
    { originSeconds: 0.5 },
    { end_seconds: 3 },
    { start_seconds: 0.5, end_seconds: 3.5 },
  ],
])('a clip %s', async (_, changes, asked, expected) => {
  const { who, video } = await withSource(changes);
  expect((await clip(who, video, asked)).json.data.clip).toEqual(expected);
});

test('while the source is replaced, a clip is of what plays', async () => {
  const { who, video } = await withSource();
  const replaced = { ...video, status: 'completed' as const, sourceKey: video.sourceKey };
  const { video: busy } = await storeVideo(who.user, {
    status: 'running',
    sourceKey: uploadKey(who.user.ulid, newUlid(), 'new.mp4'),
    durationSeconds: 1,
    replaced,
  });
  const { status, json } = await clip(who, busy, { start_seconds: 10 });
  expect(status).toBe(201);
  expect((await findVideo(json.data.ulid))?.copiedFrom).toBe(video.sourceKey);
});

test('a clip of a clip whose source is still to be copied has the source of both', async () => {
  const { who, video } = await withSource();
  const first = (await clip(who, video, { start_seconds: 1 })).json.data;
  const { json } = await clip(who, first, { start_seconds: 2 });
  expect(json.data).toMatchObject({ clip: { start_seconds: 3 }, source_video: first.ulid });
  expect(await runOf(json.data)).toMatchObject({ decision: 'process' });
  const { sourceKey } = (await findVideo(json.data.ulid))!;
  expect(new TextDecoder().decode(await readObject(sourceKey))).toBe('source');
});

test.each<[string, object, string]>([
  ['without times', {}, 'start_seconds'],
  ['that ends before it starts', { start_seconds: 4, end_seconds: 3 }, 'end_seconds'],
  ['after the end', { start_seconds: 63.48 }, 'start_seconds'],
  ['of a negative time', { start_seconds: -1 }, 'start_seconds'],
  ['with a template of nobody', { start_seconds: 1, template: newUlid() }, 'template'],
])('a clip %s is 422', async (_, body, field) => {
  const { who, video } = await withSource();
  const { status, json } = await clip(who, video, body);
  expect([status, Object.keys(json.errors)]).toEqual([422, [field]]);
});

test('only the owner can make one, and no administrator', async () => {
  const { video } = await withSource();
  for (const who of [await createPerson(), await createPerson({ isAdmin: true })]) {
    expect((await clip(who, video, { start_seconds: 1 })).status).toBe(404);
  }
});

test('409 when the source is deleted', async () => {
  const { who, video } = await withSource({ sourceDeletedAt: '2026-11-20T10:00:00.000000Z' });
  expect(await clip(who, video, { start_seconds: 1 })).toMatchObject({ status: 409, json: { code: 'source_deleted' } });
});

test('the copy counts as uploaded bytes', async () => {
  const { who, video } = await withSource({ sourceBytes: 600 });
  await updateUser(who.user, { quota: { uploadBytesPerMonth: 1000, encodingCpuSecondsPerMonth: null } }, who.user);
  expect((await clip(who, video, { start_seconds: 1 })).status).toBe(201);
  expect(await clip(who, video, { start_seconds: 1 })).toMatchObject({ status: 402, json: { code: 'quota_exceeded' } });
});

test('a repeated request makes one video, also after a process died before its run was started', async () => {
  const { who, video } = await withSource();
  const more = { headers: { 'idempotency-key': 'one' } };
  machine.onAnyCommand().rejectsOnce(new Error('the process died'));
  expect((await clip(who, video, { start_seconds: 1 }, more)).status).toBe(500);
  const { json } = await clip(who, video, { start_seconds: 1 }, more);
  const again = await clip(who, video, { start_seconds: 1 }, more);
  expect(again).toMatchObject({ status: 201, headers: { 'idempotency-replayed': 'true' } });
  expect(again.json.data.ulid).toBe(json.data.ulid);
  const { json: listed } = await callHandler(handler, 'GET /api/videos', { token: who.token });
  expect(listed.data).toHaveLength(2);
});

test('the run copies the source again when it died during the copy, and two runs copy it at once', async () => {
  const { who, video } = await withSource();
  const made = (await clip(who, video, { start_seconds: 1 })).json.data;
  const before = (await findVideo(made.ulid))!;
  await writeObject(before.sourceKey, 'part', 'video/mp4');
  const decisions = await Promise.all([runOf(made, 'arn:1'), runOf(made, 'arn:2')]);
  expect(decisions.map(({ decision }) => decision).sort()).toEqual(['already-created', 'process']);
  expect(new TextDecoder().decode(await readObject(before.sourceKey))).toBe('source');
  expect(await findVideo(made.ulid)).not.toHaveProperty('copiedFrom');
});

test('a run that was never started is found, and started', async () => {
  vi.stubEnv('MAX_RUNNING_EXECUTIONS', '100');
  const { who, video } = await withSource();
  machine.onAnyCommand().rejectsOnce(new Error('the process died'));
  await clip(who, video, { start_seconds: 1 });
  machine.reset().onAnyCommand().resolves({});
  const { json } = await callHandler(handler, 'GET /api/videos', { token: who.token });
  const { ulid } = json.data.find(({ source_video }: { source_video: string | null }) => source_video === video.ulid);
  vi.useFakeTimers({ now: Date.now() + 3_600_000, toFake: ['Date'] });
  await reconcileVideos({ untilMilliseconds: Number.POSITIVE_INFINITY, concurrency: 1 });
  vi.useRealTimers();
  expect(started()).toContainEqual({ videoUlid: ulid, planNumber: 1 });
});

test('the video fails when the other one was deleted before the copy, and says why', async () => {
  const { who, video } = await withSource();
  const made = (await clip(who, video, { start_seconds: 1 })).json.data;
  await deleteObject(video.sourceKey);
  expect(await runOf(made)).toEqual({ decision: 'ignored' });
  const { json } = await callHandler(handler, `GET /api/videos/${made.ulid}`, { token: who.token });
  expect(json.data.status).toBe('failed');
  expect(json.data.streams[0].error_log).toMatch(/^INPUT_GONE: /);
});

test('a copy that ended before its run died is used, also without the other source', async () => {
  const { who, video } = await withSource();
  const made = (await clip(who, video, { start_seconds: 1 })).json.data;
  const { sourceKey } = (await findVideo(made.ulid))!;
  await writeObject(sourceKey, 'source', 'video/mp4');
  await deleteObject(video.sourceKey);
  expect(await runOf(made)).toMatchObject({ decision: 'process' });
});

test('a clip that is deleted during the copy leaves no file', async () => {
  const { who, video } = await withSource();
  const made = (await clip(who, video, { start_seconds: 1 })).json.data;
  const current = (await findVideo(made.ulid))!;
  await hideVideo(current, who.user);
  expect(await copySource({ ...current, copiedFrom: video.sourceKey })).toBe(false);
  expect(await objectBytes(current.sourceKey)).toBeUndefined();
  expect(await objectBytes(video.sourceKey)).toBe(6);
});
