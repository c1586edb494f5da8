import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest';
import { handler } from '../../../functions/api/webhooks.lambda.ts';
import { failNode } from '../../../functions/table/nodes/node-health.ts';
import { hideVideo } from '../../../functions/table/videos/hide-video.ts';
import { moveOutput } from '../../../functions/table/videos/video-table.ts';
import { claimDue, recordOutcome } from '../../../functions/table/webhooks/delivery-attempts.ts';
import { deleteWebhooks, disableWebhook, findAnyWebhook } from '../../../functions/table/webhooks/webhook-table.ts';
import { timestamp } from '../../../shared/clock.ts';
import { callHandler, type RequestOptions } from '../../fixtures/call-handler.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { readHistory } from '../../fixtures/read-history.ts';
import { storeNode } from '../../fixtures/records/store-node.ts';
import { buildOutput, storeVideo } from '../../fixtures/records/store-video.ts';
import { useWebhookKey } from '../../fixtures/records/use-webhook-key.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();
useWebhookKey();
const lambda = mockClient(LambdaClient);
beforeEach(() => {
  process.env.SEND_FUNCTION = 'send';
  lambda.reset();
  lambda.on(InvokeCommand).resolves({ StatusCode: 202 });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});
afterAll(() => lambda.restore());

const call = (request: `${string} /${string}`, sent: RequestOptions = {}) => callHandler(handler, request, sent);
const shop = { name: 'Shop', url: 'https://shop.example.com/hooks', events: ['video.completed'] };
const create = (token: string, changes = {}) => call('POST /api/webhooks', { token, body: { ...shop, ...changes } });
const started = () => lambda.commandCalls(InvokeCommand).map(({ args }) => args[0].input.Payload);

/** Ends the delivery of a webhook that is due. */
async function fail(webhook: string, status: 'failed' | 'exhausted' = 'exhausted') {
  const claimed = (await claimDue(webhook))!;
  const attempt = { at: timestamp(), httpStatus: 500, milliseconds: 12, error: 'Status 500.', body: 'no' };
  const retryAtMilliseconds = status === 'failed' ? Date.now() + 3_600_000 : undefined;
  await recordOutcome(claimed, { status, attempt, retryAtMilliseconds });
}

test('a webhook is created with its secret, which no other response shows', async () => {
  const { token, user } = await createPerson();
  const created = await create(token, { external_user_id: 'crm-1' });
  const { data, secret } = created.json;
  expect(created.status).toBe(201);
  expect(data).toEqual({
    ulid: expect.any(String),
    ...shop,
    active: true,
    external_user_id: 'crm-1',
    created_at: expect.any(String),
    updated_at: data.created_at,
    disabled_at: null,
    disabled_reason: null,
  });
  expect(Buffer.from(secret.slice('whsec_'.length), 'base64')).toHaveLength(32);
  const { json } = await call('GET /api/webhooks', { token });
  expect(json).toEqual({ data: [data] });
  expect((await call(`GET /api/webhooks/${data.ulid}`, { token })).json).toEqual({ data });
  expect(JSON.stringify(await readHistory(user, 10))).not.toContain('whsec_');
  expect(JSON.stringify(await findAnyWebhook(data.ulid))).not.toContain(secret.slice(6));
});

test('a change keeps the fields that are left out; deleting ends it', async () => {
  const { token } = await createPerson();
  const { data } = (await create(token, { external_user_id: 'crm-1' })).json;
  const path = `/api/webhooks/${data.ulid}` as const;
  const body = { events: ['*'], active: false, external_user_id: null };
  const changed = await call(`PUT ${path}`, { token, body });
  expect(changed.json.data).toMatchObject({ ...body, name: 'Shop', url: shop.url });
  expect((await call(`DELETE ${path}`, { token })).status).toBe(204);
  for (const method of ['GET', 'DELETE']) expect((await call(`${method} ${path}`, { token })).status).toBe(404);
  expect((await create(token)).status).toBe(201);
});

test('another secret after a rotation, and the previous one is the same until then', async () => {
  const { token } = await createPerson();
  const { data, secret } = (await create(token)).json;
  const rotated = await call(`POST /api/webhooks/${data.ulid}/rotate-secret`, { token });
  expect(rotated).toMatchObject({ status: 200, json: { data: { ulid: data.ulid }, secret: expect.any(String) } });
  expect(rotated.json.secret).not.toBe(secret);
  expect(rotated.headers['cache-control']).toBe('no-store');
});

test.each([
  [{ url: 'http://shop.example.com/' }, 'url', 'must begin with https://'],
  [{ url: 'https://127.0.0.1/' }, 'url', 'public addresses only'],
  [{ url: 'https://[64:ff9b::a9fe:a9fe]/' }, 'url', 'public addresses only'],
  [{ url: 'https://0x7f.1/' }, 'url', 'public addresses only'],
  [{ url: 'https://localhost/' }, 'url', 'ALLOW_LOOPBACK_TARGETS=on'],
  [{ url: 'https://a:b@shop.example.com/' }, 'url', 'user name or password'],
  [{ url: 'shop' }, 'url', 'valid URL'],
  [{ url: `https://shop.example.com/${'x'.repeat(2048)}` }, 'url', '2048'],
  [{ events: [] }, 'events', ''],
  [{ events: ['video.exploded'] }, 'events.0', ''],
  [{ events: ['webhook.test'] }, 'events.0', ''],
  [{ events: ['*', 'video.completed'] }, 'events', '* alone'],
  [{ events: ['video.failed', 'video.failed'] }, 'events', 'duplicate'],
  [{ events: ['node.failed'] }, 'events', 'Only administrators'],
  [{ name: '' }, 'name', ''],
])('%j is refused', async (changes, field, text) => {
  const { token } = await createPerson();
  const answer = await create(token, changes);
  expect([answer.status, Object.keys(answer.json.errors)]).toEqual([422, [field]]);
  expect(answer.json.errors[field][0]).toContain(text);
});

test('on one machine a setting allows http to loopback', async () => {
  vi.stubEnv('ALLOW_LOOPBACK_TARGETS', 'on');
  const { token } = await createPerson();
  expect((await create(token, { url: 'http://127.0.0.1:8000/' })).status).toBe(201);
  expect((await create(token, { url: 'http://10.0.0.1:8000/' })).status).toBe(422);
});

test('a user has at most 20 webhooks, also with concurrent requests', async () => {
  const { token } = await createPerson();
  const answers = await Promise.all(Array.from({ length: 22 }, () => create(token)));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(20).fill(201), 422, 422]);
  expect((await call('GET /api/webhooks', { token })).json.data).toHaveLength(20);
});

test('a webhook of another user is not found; administrators can use every one', async () => {
  const [owner, other, admin] = [await createPerson(), await createPerson(), await createPerson({ isAdmin: true })];
  const { data } = (await create(owner.token)).json;
  const path = `/api/webhooks/${data.ulid}` as const;
  const requests = [`GET ${path}`, `PUT ${path}`, `POST ${path}/test`, `GET ${path}/deliveries`] as const;
  for (const request of requests) {
    const sent = { token: other.token, ...(request.startsWith('PUT') && { body: { active: false } }) };
    expect((await call(request, sent)).status, request).toBe(404);
  }
  expect((await call(`GET /api/webhooks?user_id=${owner.user.id}`, { token: other.token })).status).toBe(403);
  const listed = await call(`GET /api/webhooks?user_id=${owner.user.id}`, { token: admin.token });
  expect(listed.json.data).toEqual([data]);
  const changed = await call(`PUT ${path}`, { token: admin.token, body: { events: ['node.failed'] } });
  expect(changed.status).toBe(200);
  expect((await readHistory(admin.user, 1))[0]).toMatchObject({ subject: { type: 'webhook', ulid: data.ulid } });
});

test('a test event is stored and its sender started, also when the webhook is not active', async () => {
  const { token } = await createPerson();
  const { data } = (await create(token, { active: false })).json;
  const tested = await call(`POST /api/webhooks/${data.ulid}/test`, { token });
  expect(tested).toMatchObject({ status: 202, json: { data: { event: 'webhook.test', status: 'pending' } } });
  expect(started()).toEqual([JSON.stringify({ webhooks: [data.ulid] })]);
  const { json } = await call(`GET /api/webhooks/${data.ulid}/deliveries`, { token });
  expect(json.data).toEqual([tested.json.data]);
});

test('a failed event is sent again with the same id, once', async () => {
  const { token } = await createPerson();
  const { data } = (await create(token)).json;
  const path = `/api/webhooks/${data.ulid}` as const;
  const { ulid } = (await call(`POST ${path}/test`, { token })).json.data;
  await fail(data.ulid);
  const again = await call(`POST ${path}/deliveries/${ulid}/resend`, { token });
  expect(again).toMatchObject({ status: 202, json: { data: { ulid, status: 'pending' } } });
  expect((await call(`POST ${path}/deliveries/${ulid}/resend`, { token })).status).toBe(202);
  const [lower, lowerDelivery] = [data.ulid.toLowerCase(), ulid.toLowerCase()];
  const named = await call(`POST /api/webhooks/${lower}/deliveries/${lowerDelivery}/resend`, { token });
  expect(named).toMatchObject({ status: 202, json: { data: { ulid, status: 'pending' } } });
  const claimed = (await claimDue(data.ulid))!;
  expect(claimed).toMatchObject({ ulid, tries: 0, attempts: [{ httpStatus: 500 }] });
  expect(await claimDue(data.ulid)).toBeUndefined();
  expect((await call(`POST ${path}/deliveries/${data.ulid}/resend`, { token })).status).toBe(404);
});

test('all failed events since an instant are sent again', async () => {
  const { token } = await createPerson();
  const { data } = (await create(token)).json;
  const path = `/api/webhooks/${data.ulid}` as const;
  for (const status of ['failed', 'exhausted', 'exhausted'] as const) {
    await call(`POST ${path}/test`, { token });
    await fail(data.ulid, status);
  }
  await call(`POST ${path}/test`, { token });
  const resend = (from: string, more = {}) =>
    call(`POST ${path}/deliveries/resend-failed`, { token, body: { from, ...more } });
  const meta = { next_cursor: null };
  expect(await resend('2999-01-01')).toMatchObject({ status: 202, json: { data: { resent: 0 }, meta } });
  const later = { cursor: '7'.repeat(26) };
  expect(await resend('2026-01-01', later)).toMatchObject({ status: 202, json: { data: { resent: 0 }, meta } });
  expect(await resend('2026-01-01')).toMatchObject({ status: 202, json: { data: { resent: 3 } } });
  expect(await resend('2026-01-01')).toMatchObject({ status: 202, json: { data: { resent: 0 } } });
  expect((await resend('yesterday')).status).toBe(422);
  expect((await resend('2026-01-01', { cursor: 'x' })).status).toBe(422);
});

test('to a webhook that was switched off nothing is sent again, until its owner switches it on', async () => {
  const { token } = await createPerson();
  const { data } = (await create(token)).json;
  const path = `/api/webhooks/${data.ulid}` as const;
  await disableWebhook((await findAnyWebhook(data.ulid))!, 'Gone.');
  const from = '2026-01-01';
  expect((await call(`GET ${path}`, { token })).json.data).toMatchObject({ active: false, disabled_reason: 'Gone.' });
  expect((await call(`POST ${path}/deliveries/resend-failed`, { token, body: { from } })).status).toBe(409);
  const on = await call(`PUT ${path}`, { token, body: { active: true } });
  expect(on.json.data).toMatchObject({ active: true, disabled_at: null, disabled_reason: null });
});

test('events are listed oldest first, behind a cursor that stays on the last page', async () => {
  const { token, user } = await createPerson();
  const outputs = [buildOutput({ status: 'running' }), buildOutput({ status: 'running' })];
  const { video } = await storeVideo(user, { outputs });
  for (const { ulid } of outputs) await moveOutput(video, ulid, 'completed');
  await hideVideo(video, user);
  const list = async (query = '') => (await call(`GET /api/events?${query}`, { token })).json;
  expect(await list()).toEqual({ data: [], meta: { next_cursor: null, per_page: 15 } });
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3000 });
  const first = await list('per_page=2');
  expect(first.data).toMatchObject([
    { type: 'output.completed', data: { ulid: outputs[0]!.ulid, video_ulid: video.ulid } },
    { type: 'output.completed', data: { ulid: outputs[1]!.ulid, video_ulid: video.ulid } },
  ]);
  const second = await list(`per_page=2&after=${first.meta.next_cursor}`);
  expect(second.data).toMatchObject([{ type: 'video.deleted', data: { ulid: video.ulid, status: 'completed' } }]);
  expect(second.data[0].data.sequence).toBeGreaterThan(first.data[1].data.sequence);
  const { next_cursor } = second.meta;
  expect(await list(`after=${next_cursor}`)).toEqual({ data: [], meta: { next_cursor, per_page: 15 } });
});

test('events belong to their user; administrators also get those of nodes', async () => {
  const [user, admin] = [await createPerson(), await createPerson({ isAdmin: true })];
  const { video } = await storeVideo(admin.user);
  await hideVideo(video, admin.user);
  await failNode(await storeNode(), 'No answer.');
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3000 });
  expect((await call('GET /api/events', { token: user.token })).json.data).toEqual([]);
  const { data } = (await call('GET /api/events', { token: admin.token })).json;
  expect(data.map(({ type }: { type: string }) => type)).toEqual(['video.deleted', 'node.failed']);
});

test('the webhooks of a deleted user are gone', async () => {
  const { token, user } = await createPerson();
  const { data } = (await create(token)).json;
  await deleteWebhooks(user.ulid);
  expect(await findAnyWebhook(data.ulid)).toBeUndefined();
});

// The last test: ULIDs of this process are never older than one that was made.
test('deliveries are listed newest first, by status, event and time, in pages', async () => {
  const begun = Date.now();
  vi.useFakeTimers({ toFake: ['Date'], now: begun });
  const { token } = await createPerson();
  const path = `/api/webhooks/${(await create(token)).json.data.ulid}` as const;
  const webhook = path.split('/').at(-1)!;
  const ulids: string[] = [];
  for (let count = 0; count < 5; count++) {
    ulids.unshift((await call(`POST ${path}/test`, { token })).json.data.ulid);
    if (count < 2) await fail(webhook, count === 0 ? 'failed' : 'exhausted');
    vi.setSystemTime(Date.now() + 60_000);
  }
  const list = async (query: string) => {
    const { json } = await call(`GET ${path}/deliveries?${query}`, { token });
    return { ulids: json.data.map(({ ulid }: { ulid: string }) => ulid), next: json.meta.next_cursor };
  };
  expect(await list('')).toEqual({ ulids, next: null });
  const first = await list('per_page=2');
  expect(first.ulids).toEqual(ulids.slice(0, 2));
  const second = await list(`per_page=3&cursor=${first.next}`);
  expect(second).toEqual({ ulids: ulids.slice(2), next: null });
  expect((await list('status=exhausted')).ulids).toEqual([ulids[3]]);
  expect((await list('status=delivered')).ulids).toEqual([]);
  expect((await list('event=webhook.test&status=failed')).ulids).toEqual([ulids[4]]);
  expect((await list('event=video.failed')).ulids).toEqual([]);
  const after = (seconds: number) => new Date(begun + seconds * 1000).toISOString();
  expect((await list(`from=${after(90)}&to=${after(210)}`)).ulids).toEqual(ulids.slice(1, 3));
  expect((await call(`GET ${path}/deliveries?status=lost`, { token })).status).toBe(422);
  const { data } = (await call(`GET ${path}/deliveries?status=failed`, { token })).json;
  expect(data[0].attempts).toEqual([
    { at: expect.any(String), http_status: 500, milliseconds: 12, error: 'Status 500.', body: 'no' },
  ]);
  expect(Date.parse(data[0].next_attempt_at)).toBeGreaterThan(Date.now());
});
