import type { ServerResponse } from 'node:http';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { newUlid } from '../../../functions/common/ids.ts';
import type { User } from '../../../functions/table/records.ts';
import { claimDue, nextDue } from '../../../functions/table/webhooks/delivery-attempts.ts';
import { addDelivery, findDelivery } from '../../../functions/table/webhooks/webhook-deliveries.ts';
import {
  createWebhook,
  deleteWebhook,
  findAnyWebhook,
  rotateSecret,
  updateWebhook,
  type Webhook,
} from '../../../functions/table/webhooks/webhook-table.ts';
import { handler } from '../../../functions/webhooks/send.lambda.ts';
import { sendDelivery } from '../../../functions/webhooks/sending/send-delivery.ts';
import { webhookSecret } from '../../../functions/webhooks/webhook-secret.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { useWebhookKey } from '../../fixtures/records/use-webhook-key.ts';
import { openReceiver, type ReceivedRequest } from '../../fixtures/servers/open-receiver.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();
useWebhookKey();

let receiver: Awaited<ReturnType<typeof openReceiver>>;
let user: User;
beforeAll(async () => {
  receiver = await openReceiver();
  ({ user } = await createPerson());
});
afterAll(() => receiver.close());
beforeEach(() => {
  vi.stubEnv('ALLOW_LOOPBACK_TARGETS', 'on');
  receiver.requests.length = 0;
  receiver.answer.respond = (response) => response.writeHead(204).end();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

const minute = 60_000;
const hour = 60 * minute;

async function storeWebhook(url = receiver.url): Promise<Webhook> {
  const owner = (await createPerson()).user;
  return createWebhook({ name: 'Shop', url, events: ['*'], active: true, externalUserId: null }, owner);
}

/** Stores an event for a webhook. Returns its ULID. */
async function storeEvent(webhook: Webhook, type = 'video.completed'): Promise<string> {
  const ulid = newUlid();
  await addDelivery(webhook, { ulid, type, body: JSON.stringify({ type, timestamp: 'x', data: { ulid, name: 'Ä' } }) });
  return ulid;
}

/** Makes the attempt that is due at a time. */
async function attemptAt(webhook: Webhook, atMilliseconds: number): Promise<void> {
  vi.useFakeTimers({ toFake: ['Date'], now: atMilliseconds });
  await sendDelivery((await claimDue(webhook.ulid))!);
}

const current = async (webhook: Webhook) => (await findAnyWebhook(webhook.ulid))!;
const verify = (secret: string, { body, headers }: ReceivedRequest) => [
  new StandardWebhook(secret).verify(body, headers),
  new SvixWebhook(secret).verify(body, headers),
];

test('two libraries verify a request, and it has the id of its event', async () => {
  const webhook = await storeWebhook();
  const ulid = await storeEvent(webhook);
  await handler({ webhooks: [webhook.ulid] });
  const [request] = receiver.requests;
  expect(request!.headers).toMatchObject({ 'webhook-id': ulid, 'content-type': 'application/json' });
  const event = JSON.parse(request!.body);
  expect(verify(await webhookSecret(webhook), request!)).toEqual([event, event]);
  const delivery = await findDelivery(webhook.ulid, ulid);
  expect(delivery).toMatchObject({ status: 'delivered', attempts: [{ httpStatus: 204, error: null, body: '' }] });
  expect(await nextDue(webhook.ulid)).toBeUndefined();
});

test('for 24 hours after a rotation both secrets verify, and then only the new one', async () => {
  const old = await storeWebhook();
  const webhook = await rotateSecret(old, user);
  const [oldSecret, newSecret] = [await webhookSecret(old), await webhookSecret(webhook)];
  await storeEvent(webhook);
  await attemptAt(webhook, Date.now() + 23 * hour);
  for (const secret of [oldSecret, newSecret]) expect(() => verify(secret, receiver.requests[0]!)).not.toThrow();
  await storeEvent(webhook);
  await attemptAt(webhook, Date.now() + 2 * hour);
  expect(() => verify(newSecret, receiver.requests[1]!)).not.toThrow();
  expect(() => verify(oldSecret, receiver.requests[1]!)).toThrow();
});

test('an endpoint that fails gets the same body and id ten times, and then no more', async () => {
  receiver.answer.respond = (response) => response.writeHead(500).end('x'.repeat(5000));
  const webhook = await storeWebhook();
  const ulid = await storeEvent(webhook);
  const begun = Date.now();
  let at = begun;
  const waits: number[] = [];
  for (let count = 0; count < 10; count++) {
    await attemptAt(webhook, at);
    const delivery = (await findDelivery(webhook.ulid, ulid))!;
    expect(delivery.status).toBe(count < 9 ? 'failed' : 'exhausted');
    const next = await nextDue(webhook.ulid);
    if (next !== undefined) waits.push(next - at);
    at = next ?? at;
  }
  expect(waits).toHaveLength(9);
  expect(waits[0]).toBe(5000);
  expect(waits[1]).toBeGreaterThanOrEqual(5 * minute);
  expect(waits[1]).toBeLessThanOrEqual(5.5 * minute);
  expect(new Set(receiver.requests.map(({ body }) => body)).size).toBe(1);
  expect(new Set(receiver.requests.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([ulid]));
  const { attempts } = (await findDelivery(webhook.ulid, ulid))!;
  expect(attempts).toHaveLength(10);
  expect(attempts[0]).toMatchObject({ httpStatus: 500, error: 'The endpoint answered with status 500.' });
  expect(attempts[0]!.body).toBe('x'.repeat(1024));
  expect(await current(webhook)).toMatchObject({ active: true });
});

test('five days of failures disable a webhook; a success starts the time again', async () => {
  receiver.answer.respond = (response) => response.writeHead(500).end();
  const webhook = await storeWebhook();
  await storeEvent(webhook);
  const begun = Date.now();
  await attemptAt(webhook, begun);
  expect((await current(webhook)).failingSince).not.toBeNull();
  receiver.answer.respond = (response) => response.writeHead(200).end();
  await attemptAt(webhook, begun + 100 * hour);
  expect((await current(webhook)).failingSince).toBeNull();
  receiver.answer.respond = (response) => response.writeHead(500).end();
  await storeEvent(webhook);
  await attemptAt(webhook, begun + 101 * hour);
  await attemptAt(webhook, begun + 220 * hour);
  expect(await current(webhook)).toMatchObject({ active: true });
  await attemptAt(webhook, begun + 222 * hour);
  expect(await current(webhook)).toMatchObject({
    active: false,
    disabledAt: expect.any(String),
    disabledReason: 'All attempts of five days have failed.',
  });
  expect(await nextDue(webhook.ulid)).toBeUndefined();
});

test('410 disables a webhook at once, and what waits for it is not sent', async () => {
  receiver.answer.respond = (response) => response.writeHead(410).end();
  const webhook = await storeWebhook();
  const ulids = [await storeEvent(webhook), await storeEvent(webhook)];
  await handler({ webhooks: [webhook.ulid] });
  expect(receiver.requests).toHaveLength(1);
  expect(await current(webhook)).toMatchObject({ active: false, disabledReason: expect.stringContaining('410') });
  const statuses = await Promise.all(ulids.map(async (ulid) => (await findDelivery(webhook.ulid, ulid))!.status));
  expect(statuses).toEqual(['exhausted', 'exhausted']);
});

test.each([429, 503])('an endpoint that answers %i says when it is tried again', async (status) => {
  receiver.answer.respond = (response) => response.writeHead(status, { 'retry-after': '3600' }).end();
  const webhook = await storeWebhook();
  await storeEvent(webhook);
  const at = Date.now();
  await attemptAt(webhook, at);
  expect(await nextDue(webhook.ulid)).toBe(at + hour);
});

test('a redirect is a failure', async () => {
  receiver.answer.respond = (response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end();
  const webhook = await storeWebhook();
  const ulid = await storeEvent(webhook);
  await attemptAt(webhook, Date.now());
  const { attempts } = (await findDelivery(webhook.ulid, ulid))!;
  expect(attempts[0]!.error).toBe('The endpoint answered with status 302. Redirects are not followed.');
});

test('a name that has turned to an address that is not public gets no connection', async () => {
  vi.stubEnv('ALLOW_LOOPBACK_TARGETS', 'off');
  const before = receiver.connections();
  const webhook = await storeWebhook(`https://shop.example.com:${receiver.port}/`);
  const ulid = await storeEvent(webhook);
  await sendDelivery((await claimDue(webhook.ulid))!, (_hostname, _options, callback) =>
    callback(null, [{ address: '127.0.0.1', family: 4 }]),
  );
  expect((await findDelivery(webhook.ulid, ulid))!).toMatchObject({
    status: 'failed',
    attempts: [{ httpStatus: null, error: 'The host of the URL must have public addresses only.' }],
  });
  expect(receiver.connections()).toBe(before);
});

test('at most two attempts to a webhook are made at a time, and none is left over', async () => {
  const webhook = await storeWebhook();
  // The first is answered during the second, since one of two senders may be much slower than the other.
  let first: ServerResponse | undefined;
  const other = await openReceiver((response) => {
    if (!first) first = response;
    else for (const one of [first, response]) setTimeout(() => one.headersSent || one.writeHead(204).end(), 20);
  });
  const limited = await updateWebhook(webhook, { url: other.url }, user);
  const ulids: string[] = [];
  for (let count = 0; count < 12; count++) ulids.push(await storeEvent(limited));
  await Promise.all(Array.from({ length: 6 }, () => handler({ webhooks: [webhook.ulid] })));
  expect(other.mostOpen()).toBe(2);
  expect(other.requests.map(({ headers }) => headers['webhook-id']).toSorted()).toEqual(ulids.toSorted());
  await other.close();
});

test('an endpoint that hangs delays no other webhook', async () => {
  const hanging: ServerResponse[] = [];
  const dead = await openReceiver((response) => void hanging.push(response));
  const [slow, fast] = [await storeWebhook(dead.url), await storeWebhook()];
  for (let count = 0; count < 10; count++) {
    await storeEvent(slow);
    await storeEvent(fast);
  }
  const senders = [slow, slow, slow, fast].map(({ ulid }) => handler({ webhooks: [ulid] }));
  await senders.at(-1);
  await expect.poll(() => receiver.requests.length).toBe(10);
  await expect.poll(() => dead.requests.length).toBe(2);
  for (const response of hanging) response.writeHead(410).end();
  await Promise.all(senders);
  expect(dead.requests).toHaveLength(2);
  await dead.close();
});

test('endpoints that hang take two senders, whatever their number, and other webhooks get their events', async () => {
  const hanging: ServerResponse[] = [];
  const dead = await openReceiver((response) => void hanging.push(response));
  const slow = await Promise.all(Array.from({ length: 12 }, () => storeWebhook(dead.url)));
  for (const webhook of slow) await storeEvent(webhook);
  let running = 0;
  const send = async (webhooks: string[]): Promise<void> => {
    running += 1;
    await handler({ webhooks });
    running -= 1;
  };
  const senders = slow.map(({ ulid }) => send([ulid]));
  await expect.poll(() => dead.requests.length).toBe(12);
  await expect.poll(() => running).toBe(2);
  const fast = await storeWebhook();
  await storeEvent(fast);
  senders.push(send([fast.ulid]));
  await expect.poll(() => receiver.requests.length).toBe(1);
  expect(running).toBe(2);
  for (const response of hanging) response.writeHead(410).end();
  await Promise.all(senders);
  await dead.close();
});

test('a delivery whose sender has died is sent again after its time', async () => {
  const webhook = await storeWebhook();
  const ulid = await storeEvent(webhook);
  const begun = Date.now();
  vi.useFakeTimers({ toFake: ['Date'], now: begun });
  expect((await claimDue(webhook.ulid))?.ulid).toBe(ulid);
  expect(await claimDue(webhook.ulid)).toBeUndefined();
  vi.setSystemTime(begun + 31_000);
  expect((await claimDue(webhook.ulid))?.ulid).toBe(ulid);
});

test('what is stored for a deleted webhook is not sent', async () => {
  const webhook = await storeWebhook();
  await storeEvent(webhook);
  await deleteWebhook(webhook, user);
  await handler({ webhooks: [webhook.ulid] });
  expect(receiver.requests).toHaveLength(0);
  expect(await nextDue(webhook.ulid)).toBeUndefined();
});

test('a test event is sent once, also to a webhook that is not active', async () => {
  receiver.answer.respond = (response) => response.writeHead(500).end();
  const webhook = await updateWebhook(await storeWebhook(), { active: false }, user);
  const ulid = await storeEvent(webhook, 'webhook.test');
  await handler({ webhooks: [webhook.ulid] });
  expect(receiver.requests).toHaveLength(1);
  expect((await findDelivery(webhook.ulid, ulid))!.status).toBe('exhausted');
});
