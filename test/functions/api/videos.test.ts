import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { SFNClient, StartExecutionCommand, StopExecutionCommand } from '@aws-sdk/client-sfn';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { type AwsStub, mockClient } from 'aws-sdk-client-mock';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import signedUrl from '../../../delivery/urls/signed-url.js';
import { handler as templates } from '../../../functions/api/templates.lambda.ts';
import { handler } from '../../../functions/api/videos.lambda.ts';
import { newUlid } from '../../../functions/common/ids.ts';
import { listActivity } from '../../../functions/table/accounts/activity-table.ts';
import { getItem, queryItems, write } from '../../../functions/table/items/items.ts';
import { keys } from '../../../functions/table/items/keys.ts';
import { findJob } from '../../../functions/table/jobs/job-table.ts';
import type { User } from '../../../functions/table/records.ts';
import { createTemplate, deleteTemplate, updateTemplate } from '../../../functions/table/template-table.ts';
import { findVideo } from '../../../functions/table/videos/video-table.ts';
import { callHandler, textWithoutId } from '../../fixtures/call-handler.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { readHistory } from '../../fixtures/read-history.ts';
import { finishJob } from '../../fixtures/records/store-encoded-video.ts';
import { buildOutput, buildStream, storeProxy, storeVideo } from '../../fixtures/records/store-video.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();

const signingKeys = { current: 'k2', keys: { k1: 'b25l', k2: 'dHdv' } };
let machine: AwsStub<never, never, never>;
let parameters: AwsStub<never, never, never>;
beforeEach(() => {
  vi.stubEnv('STATE_MACHINE_ARN', 'arn:aws:states:us-east-1:000000000000:stateMachine:encode');
  vi.stubEnv('PARAMETER_PREFIX', '/video-service/test');
  machine = mockClient(SFNClient) as never;
  parameters = mockClient(SSMClient) as never;
  parameters.on(GetParameterCommand as never).resolves({ Parameter: { Value: JSON.stringify(signingKeys) } } as never);
});
afterEach(() => {
  machine.restore();
  parameters.restore();
  vi.unstubAllEnvs();
});

const counts = async (ulid: string) => getItem(z.looseObject({ videos: z.number() }), keys.userCounts(ulid));

test('a video has its template, streams and outputs', async () => {
  const { user, token } = await createPerson();
  const { video, streams, outputs, template } = await storeVideo(user);
  const answer = await callHandler(handler, `GET /api/videos/${video.ulid.toLowerCase()}`, { token });
  expect(answer.status).toBe(200);
  const stream = {
    id: streams[0]?.id,
    ulid: streams[0]?.ulid,
    video_id: video.id,
    name: '720p',
    type: 'video',
    width: 1280,
    height: 720,
    size: 1000,
    language: null,
    channels: null,
    meta: {},
    input_params: { codec: 'h264', width: 1280, height: 720, bitrate: '2800k' },
    error_log: null,
    status: 'completed',
    created_at: streams[0]?.createdAt,
    source_deleted_at: null,
  };
  expect(answer.json.data).toEqual({
    id: video.id,
    ulid: video.ulid,
    name: 'holiday.mp4',
    playable_at: null,
    replace_error: null,
    status: 'completed',
    duration: 63.48,
    aspect_ratio: '16:9',
    thumbnail_path: null,
    template_id: template.id,
    playback: 'signed',
    externalUserId: 'crm-1',
    externalResourceId: null,
    metadata: {},
    tags: [],
    clip: null,
    picture: null,
    tracks: null,
    source_video: null,
    expires_at: null,
    created_at: video.createdAt,
    streams: [stream],
    template: {
      id: template.id,
      ulid: template.ulid,
      name: 'Web',
      query: { version: 1 },
      shared: false,
      created_at: template.createdAt,
    },
    outputs: [
      {
        ulid: outputs[0]?.ulid,
        format: 'hls',
        status: 'completed',
        progress: 100,
        streams: [stream],
        name: 'hls',
        size: 1200,
        error_log: null,
        created_at: outputs[0]?.createdAt,
        playable_at: null,
        completed_at: outputs[0]?.completedAt,
      },
    ],
  });
});

test('progress is at most 99 until an output is completed, and a failed output keeps its value', async () => {
  const { user, token } = await createPerson();
  const outputs = (['pending', 'running', 'failed', 'completed'] as const).map((status) => buildOutput({ status }));
  const { video } = await storeVideo(user, { status: 'running', outputs });
  const progress = async () =>
    (await callHandler(handler, `GET /api/videos/${video.ulid}`, { token })).json.data.outputs.map(
      (output: { progress: number }) => output.progress,
    );
  expect(await progress()).toEqual([0, 0, 0, 100]);
  await write({ update: keys.progress(video.ulid), add: { 'done.r1v0': 2 } });
  expect(await progress()).toEqual([39, 39, 39, 100]);
  await write({ update: keys.progress(video.ulid), add: { 'done.r1v0': 3, 'done.r1a0': 1 } });
  expect(await progress()).toEqual([99, 99, 99, 100]);
});

test('a failed output keeps its progress while a new plan of the video is made', async () => {
  const { user, token } = await createPerson();
  const { video } = await storeVideo(user, { status: 'failed', outputs: [buildOutput({ status: 'failed' })] });
  await write({ update: keys.progress(video.ulid), add: { 'done.r1v0': 2 } });
  const progress = async () =>
    (await callHandler(handler, `GET /api/videos/${video.ulid}`, { token })).json.data.outputs[0].progress;
  expect(await progress()).toBe(39);
  await callHandler(handler, `POST /api/videos/${video.ulid}/reprocess`, { token, body: { force: true } });
  expect(await findVideo(video.ulid)).toMatchObject({ status: 'pending', planNumber: 2 });
  expect(await progress()).toBe(39);
});

test('videos are listed newest first in pages, with streams and without outputs', async () => {
  const { user, token } = await createPerson();
  const { template } = await storeVideo(user, { name: 'one' });
  await storeVideo(user, { name: 'two', template });
  await storeVideo(user, { name: 'three', template });
  const page = async (query: string) => (await callHandler(handler, `GET /api/videos?${query}`, { token })).json;
  const first = await page('per_page=2');
  expect(first.data.map(({ name }: { name: string }) => name)).toEqual(['three', 'two']);
  expect(first.meta).toEqual({ current_page: 1, last_page: 2, per_page: 2, total: 3 });
  expect(first.data[0]).toHaveProperty('streams.0.name', '720p');
  expect(first.data[0]).not.toHaveProperty('outputs');
  expect((await page('page=2&per_page=2')).data).toHaveLength(1);
  expect(await page('page=1000000000000')).toMatchObject({ data: [], meta: { total: 3, per_page: 15, last_page: 1 } });
});

test('the order is that of created_at and not of the uploads, also for a new owner', async () => {
  const [{ user, token }, heir, admin] = [
    await createPerson(),
    await createPerson(),
    await createPerson({ isAdmin: true }),
  ];
  const at = (hour: number) => `2026-11-20T${hour}:00:00.000000Z`;
  // The upload that was opened first was completed last.
  const { video, template } = await storeVideo(user, { name: 'slow', createdAt: at(12) });
  for (const [name, hour] of [
    ['ten', 10],
    ['thirteen', 13],
    ['eleven', 11],
  ] as const) {
    await storeVideo(user, { name, template, createdAt: at(hour) });
  }
  await storeVideo(heir.user, { name: 'later', createdAt: at(14) });
  await storeVideo(heir.user, { name: 'earlier', createdAt: at(10) });
  const names = async (as: string, query: string): Promise<string[]> =>
    (await callHandler(handler, `GET /api/videos?${query}`, { token: as })).json.data.map(
      ({ name }: { name: string }) => name,
    );
  expect(await names(token, '')).toEqual(['thirteen', 'slow', 'eleven', 'ten']);
  expect(await names(token, 'per_page=1&page=2')).toEqual(['slow']);
  expect(await names(token, 'per_page=3&page=2')).toEqual(['ten']);
  const body = { user_id: heir.user.id };
  expect(await callHandler(handler, `PUT /api/videos/${video.ulid}`, { token: admin.token, body })).toMatchObject({
    status: 200,
  });
  expect(await names(heir.token, '')).toEqual(['later', 'slow', 'earlier']);
  expect(await names(token, '')).toEqual(['thirteen', 'eleven', 'ten']);
});

test('a user without videos has one empty page', async () => {
  const { token } = await createPerson();
  expect((await callHandler(handler, 'GET /api/videos', { token })).json).toEqual({
    data: [],
    meta: { current_page: 1, last_page: 1, per_page: 15, total: 0 },
  });
});

test.each([
  ['per_page=0', 'The per page field must be at least 1.'],
  ['per_page=-1', 'The per page field must be at least 1.'],
  ['per_page=101', 'The per page field must not be greater than 100.'],
  ['per_page=abc', 'The per page field must be an integer.'],
  ['per_page=1e2', 'The per page field must be an integer.'],
  ['page=0', 'The page field must be at least 1.'],
])('%s is 422', async (query, message) => {
  const { token } = await createPerson();
  expect(await callHandler(handler, `GET /api/videos?${query}`, { token })).toMatchObject({
    status: 422,
    json: { message },
  });
});

test("an administrator can list another user's videos; for others it is 403", async () => {
  const [{ user, token }, admin] = [await createPerson(), await createPerson({ isAdmin: true })];
  await storeVideo(user);
  const ask = (as: string, id: number | string) => callHandler(handler, `GET /api/videos?user_id=${id}`, { token: as });
  expect((await ask(admin.token, user.id)).json.meta.total).toBe(1);
  expect((await callHandler(handler, 'GET /api/videos', { token: admin.token })).json.meta.total).toBe(0);
  expect(await ask(token, user.id)).toMatchObject({ status: 403 });
  expect(await ask(token, 'x')).toMatchObject({ status: 403 });
  expect(await ask(admin.token, 999_999)).toMatchObject({
    status: 422,
    json: { errors: { user_id: [expect.any(String)] } },
  });
});

test.each(['GET', 'PUT', 'DELETE', 'GET sources', 'POST reprocess'])(
  'a video of another user is not there for %s, an administrator sees it',
  async (action) => {
    const [{ user }, stranger, admin] = [
      await createPerson(),
      await createPerson(),
      await createPerson({ isAdmin: true }),
    ];
    const { video } = await storeVideo(user);
    const [method, below] = action.split(' ');
    const ask = (ulid: string, token: string) =>
      callHandler(handler, `${method} /api/videos/${ulid}${below ? `/${below}` : ''}`, { token, body: {} });
    const refused = await ask(video.ulid, stranger.token);
    expect(refused).toMatchObject({ status: 404, json: { message: 'Not found.' } });
    for (const ulid of [newUlid(), String(video.id), "' OR 1=1--".replaceAll(' ', '%20')]) {
      const other = await ask(ulid, stranger.token);
      expect([other.status, textWithoutId(other)]).toEqual([404, textWithoutId(refused)]);
    }
    expect((await ask(video.ulid, admin.token)).status).not.toBe(404);
  },
);

test('a rename changes the name and nothing else', async () => {
  const { user, token } = await createPerson();
  const { video } = await storeVideo(user);
  const answer = await callHandler(handler, `PUT /api/videos/${video.ulid}`, {
    token,
    body: { name: ' Holiday 2026 ' },
  });
  expect(answer).toMatchObject({
    status: 200,
    json: { data: { name: 'Holiday 2026', template_id: video.templateId } },
  });
  const { lines } = await listActivity(user.ulid, { offset: 0, limit: 1 });
  expect(lines[0]).toMatchObject({ event: 'updated', properties: { old: { name: 'holiday.mp4' } } });
  for (const body of [{}, { name: '' }, { name: 5 }, { template_id: '3' }, { unknown: 1 }]) {
    expect(await callHandler(handler, `PUT /api/videos/${video.ulid}`, { token, body })).toMatchObject({ status: 422 });
  }
});

test('a new template moves the reference, and is refused while the video is being processed', async () => {
  const { user, token } = await createPerson();
  const { video, template } = await storeVideo(user, { status: 'running' });
  const other = await createTemplate(user.ulid, { name: 'Other', query: {} });
  const foreign = await createTemplate((await createPerson()).user.ulid, { name: 'Foreign', query: {} });
  const update = (template_id: number) =>
    callHandler(handler, `PUT /api/videos/${video.ulid}`, { token, body: { template_id } });
  expect(await update(other.id)).toMatchObject({ status: 409 });
  expect(await update(template.id)).toMatchObject({ status: 200 });
  expect(await update(foreign.id)).toMatchObject({
    status: 422,
    json: { errors: { template_id: [expect.any(String)] } },
  });
  await write({ update: keys.video(video.ulid), set: { status: 'completed' } });
  const shared = await createTemplate(foreign.ownerUlid, { name: 'House', query: {}, shared: true });
  expect(await update(shared.id)).toMatchObject({ status: 200, json: { data: { template: { name: 'House' } } } });
  await updateTemplate(shared, { shared: false }, user);
  expect(await update(other.id)).toMatchObject({ status: 200, json: { data: { template: { name: 'Other' } } } });
  await expect(deleteTemplate(template, user)).resolves.toBeUndefined();
  await expect(deleteTemplate(other, user)).rejects.toThrow('The template is used by 1 video.');
});

test('only an administrator can transfer a video to another user', async () => {
  const [{ user, token }, heir, admin] = [
    await createPerson(),
    await createPerson(),
    await createPerson({ isAdmin: true }),
  ];
  const { video } = await storeVideo(user);
  const give = (as: string, user_id: number) =>
    callHandler(handler, `PUT /api/videos/${video.ulid}`, { token: as, body: { user_id } });
  expect(await give(token, heir.user.id)).toMatchObject({ status: 403 });
  expect(await give(admin.token, 999_999)).toMatchObject({ status: 422 });
  expect(await give(admin.token, heir.user.id)).toMatchObject({ status: 200 });
  expect(await callHandler(handler, `GET /api/videos/${video.ulid}`, { token })).toMatchObject({ status: 404 });
  expect((await callHandler(handler, 'GET /api/videos', { token: heir.token })).json.meta.total).toBe(1);
  expect([(await counts(user.ulid))?.videos, (await counts(heir.user.ulid))?.videos]).toEqual([0, 1]);
});

describe('the template of a transferred video', () => {
  async function given() {
    const [{ user }, heir, admin] = [await createPerson(), await createPerson(), await createPerson({ isAdmin: true })];
    const made = await storeVideo(user, { status: 'completed' });
    const give = (to: User) =>
      callHandler(handler, `PUT /api/videos/${made.video.ulid}`, { token: admin.token, body: { user_id: to.id } });
    expect(await give(heir.user)).toMatchObject({ status: 200 });
    const { id, ulid } = made.template;
    const ofTemplate = (method: string, token: string, body?: object) =>
      callHandler(templates, `${method} /api/templates/${id}`, { token, ...(body && { body }) });
    return { ...made, id, ulid, user, heir, admin, give, ofTemplate };
  }

  test('is readable by the new owner, but not listed, and cannot be changed by them', async () => {
    const { heir, ofTemplate, id, ulid } = await given();
    expect(await ofTemplate('GET', heir.token)).toMatchObject({ status: 200, json: { data: { id } } });
    expect(await callHandler(templates, `GET /api/templates/${ulid}`, { token: heir.token })).toMatchObject({
      status: 200,
    });
    expect((await callHandler(templates, 'GET /api/templates', { token: heir.token })).json.data).toEqual([]);
    expect(await ofTemplate('PUT', heir.token, { name: 'Mine' })).toMatchObject({ status: 404 });
    expect(await ofTemplate('DELETE', heir.token)).toMatchObject({ status: 404 });
    expect(await ofTemplate('GET', (await createPerson()).token)).toMatchObject({ status: 404 });
  });

  test('can be sent back without a change', async () => {
    const { heir, video, id } = await given();
    const answer = await callHandler(handler, `PUT /api/videos/${video.ulid}`, {
      token: heir.token,
      body: { name: 'Renamed', template_id: id },
    });
    expect(answer).toMatchObject({ status: 200, json: { data: { name: 'Renamed', template_id: id } } });
    const { video: other } = await storeVideo(heir.user);
    expect(
      await callHandler(handler, `PUT /api/videos/${other.ulid}`, { token: heir.token, body: { template_id: id } }),
    ).toMatchObject({ status: 422 });
  });

  test('is used when the new owner reprocesses the video', async () => {
    const { heir, video } = await given();
    const answer = await callHandler(handler, `POST /api/videos/${video.ulid}/reprocess`, { token: heir.token });
    expect(answer).toMatchObject({ status: 202, json: { data: { status: 'pending' } } });
  });

  test('is not readable any more when the video gets another template or owner, or is deleted', async () => {
    const own = await given();
    const mine = await createTemplate(own.heir.user.ulid, { name: 'Mine', query: { version: 1 } });
    await callHandler(handler, `PUT /api/videos/${own.video.ulid}`, {
      token: own.heir.token,
      body: { template_id: mine.id },
    });
    expect(await own.ofTemplate('GET', own.heir.token)).toMatchObject({ status: 404 });

    const passedOn = await given();
    await passedOn.give(passedOn.admin.user);
    expect(await passedOn.ofTemplate('GET', passedOn.heir.token)).toMatchObject({ status: 404 });
    expect(await passedOn.ofTemplate('GET', passedOn.admin.token)).toMatchObject({ status: 200 });

    const deleted = await given();
    await callHandler(handler, `DELETE /api/videos/${deleted.video.ulid}`, { token: deleted.heir.token });
    expect(await deleted.ofTemplate('GET', deleted.heir.token)).toMatchObject({ status: 404 });
    await expect(deleteTemplate(deleted.template, own.user)).resolves.toBeUndefined();
    expect(await queryItems(keys.template(deleted.ulid).pk)).toEqual([]);
  });
});

test('a deletion starts the removal of the files, and succeeds also if that cannot be started', async () => {
  const { user, token } = await createPerson();
  vi.stubEnv('SWEEP_FUNCTION', 'video-service-test-sweep');
  const lambda = mockClient(LambdaClient);
  const remove = async () =>
    callHandler(handler, `DELETE /api/videos/${(await storeVideo(user)).video.ulid}`, { token });
  expect(await remove()).toMatchObject({ status: 204 });
  expect(lambda.commandCalls(InvokeCommand)[0]?.args[0].input).toEqual({
    FunctionName: 'video-service-test-sweep',
    InvocationType: 'Event',
    Payload: '{"waiting":true}',
  });
  lambda.on(InvokeCommand).rejects(new Error('away'));
  expect(await remove()).toMatchObject({ status: 204 });
  lambda.restore();
});

test('a deleted video is 404 at once, its execution is stopped and its template can be deleted', async () => {
  const { user, token } = await createPerson();
  const { video, template } = await storeVideo(user, { status: 'running' });
  const remove = () => callHandler(handler, `DELETE /api/videos/${video.ulid}`, { token });
  expect(await remove()).toMatchObject({ status: 204, text: undefined });
  expect(machine.commandCalls(StopExecutionCommand as never)).toHaveLength(1);
  expect(await callHandler(handler, `GET /api/videos/${video.ulid}`, { token })).toMatchObject({ status: 404 });
  expect((await callHandler(handler, 'GET /api/videos', { token })).json).toMatchObject({
    data: [],
    meta: { total: 0 },
  });
  expect(await remove()).toMatchObject({ status: 404 });
  await expect(deleteTemplate(template, user)).resolves.toBeUndefined();
});

test('deleting a finished video stops nothing', async () => {
  const { user, token } = await createPerson();
  const { video } = await storeVideo(user);
  expect(await callHandler(handler, `DELETE /api/videos/${video.ulid}`, { token })).toMatchObject({ status: 204 });
  expect(machine.calls()).toHaveLength(0);
});

test('a finished video is reprocessed in the next execution; one in progress is 409', async () => {
  const { user, token } = await createPerson();
  const { video } = await storeVideo(user, { status: 'failed' });
  const again = () => callHandler(handler, `POST /api/videos/${video.ulid}/reprocess`, { token });
  expect(await again()).toMatchObject({ status: 202, json: { data: { status: 'pending' } } });
  expect(machine.commandCalls(StartExecutionCommand as never)[0]?.args[0].input).toMatchObject({
    name: `${video.ulid}-2`,
  });
  expect(await again()).toMatchObject({
    status: 409,
    json: { message: 'The video or one of its streams is being processed.' },
  });
  const [line, before] = await readHistory(user, 2);
  expect(line).toMatchObject({
    logName: 'video',
    event: 'reprocessed',
    description: 'Reprocessed holiday.mp4',
    subject: { type: 'video', id: video.id, ulid: video.ulid },
  });
  expect(before).toMatchObject({ logName: 'template' });
});

test('forced reprocessing makes a new plan and probes the source again', async () => {
  const { user, token } = await createPerson();
  const { video } = await storeVideo(user, { status: 'completed' });
  const probe = { videoUlid: video.ulid, planNumber: 0, kind: 'probe' as const, group: 0, index: 0 };
  await finishJob(probe, {});
  const again = (body?: object) => callHandler(handler, `POST /api/videos/${video.ulid}/reprocess`, { token, body });
  expect(await again({ force: 'yes' })).toMatchObject({ status: 422, json: { errors: { force: expect.anything() } } });
  expect(await again({ force: true })).toMatchObject({ status: 202, json: { data: { status: 'pending' } } });
  expect(await findVideo(video.ulid)).toMatchObject({ planNumber: 2, lastPlanNumber: 2, executionCount: 2 });
  expect(await findJob(probe)).toMatchObject({ status: 'CANCELLED' });
  expect(machine.commandCalls(StartExecutionCommand as never)[0]?.args[0].input).toMatchObject({
    input: JSON.stringify({ videoUlid: video.ulid, planNumber: 2 }),
  });
});

test.each([undefined, {}, { force: false }])(
  'with the body %j only what is not finished is done again',
  async (body) => {
    const { user, token } = await createPerson();
    const { video } = await storeVideo(user, { status: 'failed' });
    const probe = { videoUlid: video.ulid, planNumber: 0, kind: 'probe' as const, group: 0, index: 0 };
    await finishJob(probe, {});
    const sent = body === undefined ? { token } : { token, body };
    expect(await callHandler(handler, `POST /api/videos/${video.ulid}/reprocess`, sent)).toMatchObject({ status: 202 });
    expect(await findVideo(video.ulid)).toMatchObject({ planNumber: 1, executionCount: 2 });
    expect(await findJob(probe)).toMatchObject({ status: 'DONE' });
  },
);

test('a reprocessing that could not be started is started by the next call', async () => {
  const { user, token } = await createPerson();
  const { video } = await storeVideo(user, { status: 'failed' });
  const again = () => callHandler(handler, `POST /api/videos/${video.ulid}/reprocess`, { token });
  machine
    .on(StartExecutionCommand as never)
    .rejectsOnce(Object.assign(new Error('away'), { $fault: 'server' }) as never);
  expect((await again()).status).toBe(503);
  expect((await again()).status).toBe(409);
  const names = machine
    .commandCalls(StartExecutionCommand as never)
    .map(({ args }) => (args[0] as never as { input: { name: string } }).input.name);
  expect(names).toEqual([`${video.ulid}-2`, `${video.ulid}-2`]);
});

test('sources need an active proxy', async () => {
  const { user, token } = await createPerson();
  const { video } = await storeVideo(user);
  await storeProxy('failed.example.com', { status: 'failed' });
  await storeProxy('worker.example.com', { type: 'worker' });
  expect(await callHandler(handler, `GET /api/videos/${video.ulid}/sources`, { token })).toMatchObject({
    status: 503,
    json: { message: 'No active proxy node is available.' },
    headers: { 'retry-after': '60' },
  });
});

test('sources are signed URLs on one proxy, one for each completed output', async () => {
  const { user, token } = await createPerson();
  await storeProxy('edge1.example.com');
  await storeProxy('edge2.example.com');
  const stream = buildStream();
  const outputs = [
    buildOutput({ streams: [stream.ulid] }),
    buildOutput({ name: 'mp4', format: 'mp4', status: 'failed' }),
    buildOutput({ name: 'dash', format: 'dash' }),
  ];
  const { video } = await storeVideo(user, { streams: [stream], outputs });
  const answer = await callHandler(handler, `GET /api/videos/${video.ulid}/sources`, { token });
  expect(answer.json.sources.map(({ format }: { format: string }) => format)).toEqual(['hls', 'dash']);
  const urls = answer.json.sources.map(({ url }: { url: string }) => new URL(url));
  expect(urls[0].host).toMatch(/^edge[12]\.example\.com$/);
  expect(urls[1].host).toBe(urls[0].host);
  const seconds = Math.floor(Date.now() / 1000);
  expect(signedUrl.checkSignedPath(urls[0].pathname, signingKeys.keys, seconds)).toMatchObject({
    status: 200,
    objectKey: `videos/${video.ulid}/${outputs[0]?.ulid}/master.m3u8`,
  });
  expect(signedUrl.checkSignedPath(urls[0].pathname, signingKeys.keys, seconds + 6 * 3600 + 1)).toMatchObject({
    status: 410,
  });
});

test("the source of a muxed stream has the stream's name", async () => {
  const { user, token } = await createPerson();
  await storeProxy('edge.example.com');
  const muxed = buildStream({ type: 'muxed', name: 'For the train' });
  const hls = buildOutput();
  const file = buildOutput({ format: 'mp4', container: 'mp4', name: '360p', streams: [muxed.ulid] });
  const { video } = await storeVideo(user, { streams: [buildStream(), muxed], outputs: [hls, file] });
  const { json } = await callHandler(handler, `GET /api/videos/${video.ulid}/sources`, { token });
  expect(json.sources.map(({ name }: { name: string }) => name)).toEqual(['hls', 'For the train']);
});

test('a video without a completed output has no sources', async () => {
  const { user, token } = await createPerson();
  await storeProxy('edge1.example.com');
  const { video } = await storeVideo(user, { status: 'running', outputs: [buildOutput({ status: 'running' })] });
  expect((await callHandler(handler, `GET /api/videos/${video.ulid}/sources`, { token })).json).toEqual({
    sources: [],
    poster_url: null,
    storyboard_url: null,
    preview_url: null,
    thumbnails: [],
    captions: [],
  });
});

test('POST /api/videos is 405', async () => {
  const { token } = await createPerson();
  expect(await callHandler(handler, 'POST /api/videos', { token, body: {} })).toMatchObject({
    status: 405,
    headers: { allow: 'GET, HEAD' },
  });
});

test.each([
  'GET /api/videos',
  'GET /api/videos/x',
  'PUT /api/videos/x',
  'DELETE /api/videos/x',
  'GET /api/videos/x/sources',
  'POST /api/videos/x/reprocess',
] as const)('%s without a credential is 401', async (request) => {
  expect(await callHandler(handler, request)).toMatchObject({ status: 401 });
});

describe('the description of a video', () => {
  const change = (token: string, ulid: string, body: object) =>
    callHandler(handler, `PUT /api/videos/${ulid}`, { token, body });

  test('keys and tags can have the names of what every object of JavaScript has', async () => {
    const { user, token } = await createPerson();
    const { video } = await storeVideo(user);
    const sent = {
      metadata: { constructor: 'x', toString: 'y', hasOwnProperty: 'z' },
      tags: ['__proto__', 'constructor'],
    };
    expect((await change(token, video.ulid, sent)).json.data).toMatchObject(sent);
    const { json } = await change(token, video.ulid, { metadata: { constructor: null, toString: null } });
    expect(json.data.metadata).toEqual({ hasOwnProperty: 'z' });
  });

  test('metadata is merged, tags are replaced, and each call shows them', async () => {
    const { user, token } = await createPerson();
    const { video } = await storeVideo(user);
    const first = await change(token, video.ulid, { metadata: { a: ' 1 ', b: '2' }, tags: ['Sea', 'SEA', 'sun'] });
    expect(first.json.data).toMatchObject({ metadata: { a: '1', b: '2' }, tags: ['sea', 'sun'] });
    const second = await change(token, video.ulid, { metadata: { a: null, b: '', c: '3' }, tags: [] });
    expect(second.json.data).toMatchObject({ metadata: { c: '3' }, tags: [] });
    const { json } = await callHandler(handler, 'GET /api/videos', { token });
    expect(json.data).toMatchObject([{ metadata: { c: '3' }, tags: [], expires_at: null }]);
    await change(token, video.ulid, { metadata: { c: null } });
    expect(await findVideo(video.ulid)).toMatchObject({ descriptionVersion: 3 });
    expect(Object.keys((await findVideo(video.ulid))!)).not.toContain('metadata');
  });

  test('pairs that become too many with those that exist are refused', async () => {
    const { user, token } = await createPerson();
    const metadata = Object.fromEntries(Array.from({ length: 32 }, (_, number) => [`k${number}`, 'x']));
    const { video } = await storeVideo(user, { metadata });
    const answer = await change(token, video.ulid, { metadata: { more: 'x' } });
    expect(answer).toMatchObject({ status: 422, json: { errors: { metadata: [expect.stringContaining('32')] } } });
    expect((await change(token, video.ulid, { metadata: { k0: null, more: 'x' } })).status).toBe(200);
  });

  test.each([
    [{ metadata: { 'a b': 'x' } }, 'metadata'],
    [{ metadata: 'text' }, 'metadata'],
    [{ metadata: { a: 1 } }, 'metadata.a'],
    [{ tags: 'text' }, 'tags'],
    [{ tags: ['x'.repeat(33)] }, 'tags.0'],
    [{ expires_at: '2020-01-01T00:00:00Z' }, 'expires_at'],
    [{ expires_at: 'tomorrow' }, 'expires_at'],
    [{ expires_at: '2999-02-30' }, 'expires_at'],
    [{ expires_at: 1 }, 'expires_at'],
  ])('%j is refused on %s', async (body, field) => {
    const { user, token } = await createPerson();
    const { video } = await storeVideo(user);
    const answer = await change(token, video.ulid, body);
    expect(answer.status).toBe(422);
    expect(Object.keys(answer.json.errors)).toEqual([field]);
  });

  test('a video expires at a time in the future, or does not', async () => {
    const { user, token } = await createPerson();
    const { video } = await storeVideo(user);
    const set = await change(token, video.ulid, { expires_at: '2999-01-01T02:00:00+02:00' });
    expect(set.json.data.expires_at).toBe('2999-01-01T00:00:00.000000Z');
    expect((await change(token, video.ulid, { name: 'Other' })).json.data.expires_at).toBe(set.json.data.expires_at);
    expect((await change(token, video.ulid, { expires_at: null })).json.data.expires_at).toBeNull();
    expect(await getItem(z.looseObject({}), keys.video(video.ulid))).not.toHaveProperty('dueAt');
  });

  test('tags are listed with the number of videos, also those of another user for administrators', async () => {
    const [{ user, token }, admin] = [await createPerson(), await createPerson({ isAdmin: true })];
    await storeVideo(user, { tags: ['sea', 'sun'] });
    await storeVideo(user, { tags: ['sea'] });
    const tags = async (query: string, caller: string) =>
      callHandler(handler, `GET /api/tags${query}`, { token: caller });
    const all = [
      { tag: 'sea', videos: 2 },
      { tag: 'sun', videos: 1 },
    ];
    expect((await tags('', token)).json).toEqual({ data: all, meta: { next_cursor: null, per_page: 1000 } });
    const first = (await tags('?per_page=1', token)).json;
    expect(first).toEqual({ data: [all[0]], meta: { next_cursor: 'sea', per_page: 1 } });
    expect((await tags(`?per_page=1&cursor=${first.meta.next_cursor}`, token)).json.data).toEqual([all[1]]);
    expect((await tags('', admin.token)).json.data).toEqual([]);
    expect((await tags(`?user_id=${user.id}`, admin.token)).json.data).toEqual(all);
    expect((await tags(`?user_id=${admin.user.id}`, token)).status).toBe(403);
  });
});
