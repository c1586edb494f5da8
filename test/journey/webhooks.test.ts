import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { attemptTimeoutMilliseconds } from '../../functions/webhooks/sending/attempt.ts';
import { openReceiver, type ReceivedRequest } from '../fixtures/servers/open-receiver.ts';
import { type Account, openAccount } from './support/account.ts';
import { type Client, signUp } from './support/client.ts';
import { hlsOf } from './support/templates.ts';

/** Webhooks of the running service: one video, and receivers that behave differently. */
const clip = inject('clip');

type Created = { data: { ulid: string }; secret: string };
type Delivery = { ulid: string; event: string; status: string; attempts: { error: string | null }[] };
type Event = { type: string; timestamp: string; data: { ulid: string; status: string; sequence: number } };

let client: Client;
let account: Account;
let receiver: Awaited<ReturnType<typeof openReceiver>>;
/** what the API shows of a video when its event arrives */
const shown: { type: string; status: string; shownStatus: string }[] = [];

beforeAll(async () => {
  [client, account] = await Promise.all([signUp(inject('apiUrl')), openAccount(inject('dataFolder'))]);
  receiver = await openReceiver(async (response, received) => {
    const times = requestsTo(received.path).length;
    if (received.path === '/hangs') return;
    if (received.path === '/fails-once' && times === 1) return void response.writeHead(500).end('not now');
    if (received.path === '/gone') return void response.writeHead(410).end();
    if (received.path === '/redirects') return void response.writeHead(302, { location: receiver.url }).end();
    if (received.path === '/huge') return void response.writeHead(200).end(Buffer.alloc(2_000_000, 'x'));
    if (received.path === '/all') await lookAtVideo(eventOf(received));
    response.writeHead(204).end();
  });
});
afterAll(async () => {
  account.close();
  await receiver.close();
});

const requestsTo = (path: string) => receiver.requests.filter((request) => request.path === path);
const eventOf = ({ body }: ReceivedRequest): Event => JSON.parse(body);
const typesTo = (path: string) => requestsTo(path).map((request) => eventOf(request).type);
const create = (path: string, events: string[]) =>
  client.post<Created>('/api/webhooks', { name: path, url: `http://127.0.0.1:${receiver.port}${path}`, events });
const deliveriesOf = async ({ data }: Created) =>
  (await client.get<{ data: Delivery[] }>(`/api/webhooks/${data.ulid}/deliveries?per_page=100`)).data;

async function lookAtVideo({ type, data }: Event): Promise<void> {
  if (!type.startsWith('video.')) return;
  const { status } = await client.getVideo(data.ulid);
  shown.push({ type, status: data.status, shownStatus: status });
}

function verify(secret: string, { body, headers }: ReceivedRequest): void {
  for (const Library of [StandardWebhook, SvixWebhook]) new Library(secret).verify(body, headers);
}

test('the events of a video reach its webhooks, whatever other webhooks answer', async () => {
  const all = await create('/all', ['*']);
  const completed = ['video.completed'];
  const [hangs, failsOnce, gone, redirects, huge] = [
    await create('/hangs', ['*']),
    await create('/fails-once', completed),
    await create('/gone', completed),
    await create('/redirects', completed),
    await create('/huge', completed),
  ];
  await client.post('/api/webhooks', {
    name: 'other',
    url: `http://127.0.0.1:${receiver.port}/other`,
    events: ['*'],
    external_user_id: 'crm-2',
  });
  const template = await client.makeTemplate(hlsOf([240]));
  const ulid = await client.upload({ file: clip.file, template, partBytes: 16 * 2 ** 20, externalUserId: 'crm-1' });
  const video = await client.waitUntilDone(ulid);
  expect(video.status).toBe('completed');

  await expect.poll(() => typesTo('/all')).toContain('video.completed');
  expect(typesTo('/all')).toEqual(
    expect.arrayContaining(['upload.completed', 'video.created', 'output.completed', 'stream.completed']),
  );
  expect(new Set(requestsTo('/all').map(({ headers }) => headers['webhook-id'])).size).toBe(requestsTo('/all').length);
  for (const request of requestsTo('/all')) verify(all.secret, request);
  // No event waits for an attempt at the webhook that hangs. `npm run bench -- --only webhooks` measures the times.
  const lags = requestsTo('/all').map((one) => one.atMilliseconds - Date.parse(eventOf(one).timestamp));
  expect(Math.max(...lags), lags.join()).toBeLessThan(attemptTimeoutMilliseconds);
  // The change is there before its event.
  for (const { type, status, shownStatus } of shown) {
    if (type === 'video.completed') expect([status, shownStatus]).toEqual(['completed', 'completed']);
  }
  const ofVideo = requestsTo('/all').map(eventOf);
  const sequenceOf = (type: string) => ofVideo.find((event) => event.type === type)!.data.sequence;
  expect(sequenceOf('video.created')).toBeLessThan(sequenceOf('output.completed'));
  expect(sequenceOf('output.completed')).toBeLessThan(sequenceOf('video.completed'));

  // The first retry follows after five seconds, with the same body and id.
  await expect.poll(() => requestsTo('/fails-once').length).toBe(2);
  const [first, second] = requestsTo('/fails-once');
  expect(second!.body).toBe(first!.body);
  expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id']);
  expect(second!.atMilliseconds - first!.atMilliseconds).toBeGreaterThan(4900);
  await expect.poll(async () => (await deliveriesOf(failsOnce))[0]!.status).toBe('delivered');

  const goneNow = await client.get<{ data: { active: boolean } }>(`/api/webhooks/${gone.data.ulid}`);
  expect(goneNow.data.active).toBe(false);
  const [redirected] = await deliveriesOf(redirects);
  expect(redirected!.attempts[0]!.error).toContain('302');
  expect((await deliveriesOf(huge))[0]!.status).toBe('delivered');
  expect(typesTo('/hook')).toEqual([]);
  expect(typesTo('/other')).toEqual([]);
  // Two at a time, each for up to 15 seconds.
  expect((await deliveriesOf(hangs)).length).toBe(requestsTo('/all').length);
  for (const { data } of [hangs, redirects]) await client.remove(`/api/webhooks/${data.ulid}`);
});

test('both secrets verify after a rotation, and an event is sent again with its id', async () => {
  const webhook = await create('/rotated', ['*']);
  const rotated = await client.post<Created>(`/api/webhooks/${webhook.data.ulid}/rotate-secret`, {});
  const tested = await client.post<{ data: Delivery }>(`/api/webhooks/${webhook.data.ulid}/test`, {});
  await expect.poll(() => requestsTo('/rotated').length).toBe(1);
  for (const { secret } of [webhook, rotated]) verify(secret, requestsTo('/rotated')[0]!);
  await expect.poll(async () => (await deliveriesOf(webhook))[0]!.status).toBe('delivered');
  await client.post(`/api/webhooks/${webhook.data.ulid}/deliveries/${tested.data.ulid}/resend`, {});
  await expect.poll(() => requestsTo('/rotated').length).toBe(2);
  const ids = requestsTo('/rotated').map(({ headers }) => headers['webhook-id']);
  expect(ids).toEqual([tested.data.ulid, tested.data.ulid]);
});

test('the list of events has what the webhooks got, and nothing waits for the dispatcher', async () => {
  type Page = { data: (Event & { ulid: string })[]; meta: { next_cursor: string | null } };
  const events: Page['data'] = [];
  await expect
    .poll(async () => {
      const page = await client.get<Page>(`/api/events?per_page=3&after=${events.at(-1)?.ulid ?? '0'.repeat(26)}`);
      events.push(...page.data);
      return events.map(({ type }) => type);
    })
    .toContain('video.completed');
  const got = new Map(requestsTo('/all').map((request) => [request.headers['webhook-id'], eventOf(request)]));
  for (const { ulid, ...event } of events) expect(got.get(ulid)).toEqual(event);
  await expect
    .poll(async () => (await account.items('EVENT#')).filter(({ ownerKey }) => ownerKey === 'all#event'))
    .toEqual([]);
});
