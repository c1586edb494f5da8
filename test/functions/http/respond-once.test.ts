import { gunzipSync } from 'node:zlib';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { documents } from '../../../functions/aws/table-client.ts';
import { mapBounded } from '../../../functions/common/concurrency.ts';
import { newUlid } from '../../../functions/common/ids.ts';
import { sha256 } from '../../../functions/common/secret.ts';
import { publishedRoutes } from '../../../functions/contracts/published-routes.ts';
import { respondOnce } from '../../../functions/http/respond-once.ts';
import { successResponse } from '../../../functions/http/responses.ts';
import { keys } from '../../../functions/table/items/keys.ts';
import { createStorage } from '../../../functions/table/storages/storage-table.ts';
import { createTemplate } from '../../../functions/table/template-table.ts';
import { createGatewayEvent } from '../../fixtures/call-handler.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { imageHeaders } from '../../fixtures/image-files.ts';
import { countTableCalls } from '../../fixtures/records/count-table-calls.ts';
import { customerStorage } from '../../fixtures/records/delivering-person.ts';
import { createKeyPair, storeSshKey } from '../../fixtures/records/store-ssh-key.ts';
import { storeVideo } from '../../fixtures/records/store-video.ts';
import { callApi, useWholeApi } from '../../fixtures/use-whole-api.ts';

/** Requests with an Idempotency-Key. */
useWholeApi();
beforeAll(() => {
  process.env.SSH_KEYS_KMS_KEY = 'arn:aws:kms:key';
});

const query = {
  version: 1,
  video: [{ name: 'v720', codec: 'h264', height: 720, bitrate: '2800k' }],
  outputs: [{ name: 'hls', format: 'hls', segment_duration: 4 }],
};
type Person = Awaited<ReturnType<typeof createPerson>>;
type Sent = { key?: string; body?: object };

let person: Person;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  person = await createPerson();
});
afterEach(() => {
  documents.middlewareStack.removeByTag('death');
  vi.useRealTimers();
});

const newKey = (): string => newUlid();
const send = (request: `${string} /${string}`, { key, body = {} }: Sent, { token }: Person = person) =>
  callApi(request, {
    token,
    ...(Buffer.isBuffer(body) ? { file: body } : { body }),
    headers: {
      ...(Buffer.isBuffer(body) && { 'content-type': 'image/png' }),
      ...(key !== undefined && { 'idempotency-key': key }),
    },
  });
const create = (key: string, by: Person = person, name = 'Web') =>
  send('POST /api/templates', { key, body: { name, query } }, by);
const countTemplates = async ({ user }: Person = person): Promise<number> =>
  (await callApi('GET /api/templates', { token: person.token })).json.data.filter(
    (one: { name: string }) => one.name === 'Web' && user.ulid,
  ).length;

type Command = { TransactItems?: object[]; Key?: { pk: string }; Item?: { pk: string } };

/** From the call with this number on, the process makes no further calls; `before` it is made, or after. */
function dieAt(number: number, when: 'before' | 'after'): { calls: () => number } {
  let calls = 0;
  documents.middlewareStack.add(
    (next) => async (args) => {
      calls += 1;
      if (calls > number || (calls === number && when === 'before')) throw new Error('the process has died');
      const result = await next(args);
      if (calls === number) throw new Error('the process has died');
      return result;
    },
    { step: 'initialize', name: 'death', tags: ['death'] },
  );
  return { calls: () => calls };
}

/** The response is never stored. */
function loseResponse(): void {
  documents.middlewareStack.add(
    (next) => async (args) => {
      const { Key, Item } = args.input as Command;
      if ((Key ?? Item)?.pk.startsWith(keys.keyedRequest('').pk) && 'UpdateExpression' in args.input)
        throw new Error('lost');
      return next(args);
    },
    { step: 'initialize', name: 'death', tags: ['death'] },
  );
}

function revive(): void {
  documents.middlewareStack.removeByTag('death');
}
const afterLease = (): void => void vi.setSystemTime(Date.now() + 36_000);

test('a repeat gets the response of the first call, and makes nothing', async () => {
  const key = newKey();
  const first = await create(key);
  expect(first.status).toBe(201);
  expect(first.headers).not.toHaveProperty('idempotency-replayed');
  const second = await create(key);
  expect(second).toMatchObject({ status: 201, json: first.json, headers: { 'idempotency-replayed': 'true' } });
  expect(await countTemplates()).toBe(1);
});

test('a refusal is replayed too', async () => {
  const [key, body] = [newKey(), { metadata: { template: newUlid() }, filename: 'a.mp4' }];
  const first = await send('POST /api/objstore/multipart', { key, body });
  expect(first).toMatchObject({ status: 422, json: { errors: { 'metadata.template': [expect.any(String)] } } });
  expect(await send('POST /api/objstore/multipart', { key, body })).toMatchObject({
    status: 422,
    json: { ...first.json, request_id: expect.any(String) },
    headers: { 'idempotency-replayed': 'true' },
  });
});

test('after 24 hours a key is new', async () => {
  const key = newKey();
  await create(key);
  vi.setSystemTime(Date.now() + 24 * 3600_000 + 1000);
  expect((await create(key)).headers).not.toHaveProperty('idempotency-replayed');
  expect(await countTemplates()).toBe(2);
});

test('two users with one key, and two operations with one key, do not meet', async () => {
  const key = newKey();
  const other = await createPerson();
  const [one, two] = [await create(key), await create(key, other)];
  expect([one.status, two.status]).toEqual([201, 201]);
  expect(two.json.data.ulid).not.toBe(one.json.data.ulid);
  expect(await send('POST /api/tokens', { key, body: { name: 'a' } })).toMatchObject({ status: 201 });
});

test('a key with another body, and with another path, is 422', async () => {
  const key = newKey();
  await create(key);
  const reused = {
    status: 422,
    json: { code: 'idempotency_key_reused', errors: { 'Idempotency-Key': [expect.any(String)] } },
  };
  expect(await create(key, person, 'Other')).toMatchObject(reused);
  const webhook = await send('POST /api/webhooks', { body: { name: 'a', url: 'https://example.com', events: ['*'] } });
  const two = await send('POST /api/webhooks', { body: { name: 'b', url: 'https://example.com', events: ['*'] } });
  const rotate = (ulid: string) => send(`POST /api/webhooks/${ulid}/rotate-secret`, { key });
  expect((await rotate(webhook.json.data.ulid)).status).toBe(200);
  expect(await rotate(two.json.data.ulid)).toMatchObject(reused);
});

test.each([
  ['empty', ''],
  ['of 256 characters', 'a'.repeat(256)],
  ['with a space', 'a b'],
  ['with other characters', 'ä'],
])('a key that is %s is 422', async (_, key) => {
  expect(await create(key)).toMatchObject({ status: 422, json: { code: 'validation_failed' } });
  expect(await countTemplates()).toBe(0);
});

async function stored(operationId: string, key: string) {
  const id = sha256(JSON.stringify([person.user.ulid, undefined, operationId, key]));
  const { Item } = await documents.send(
    new GetCommand({ TableName: process.env.TABLE_NAME, Key: keys.keyedRequest(id) }),
  );
  return Item!;
}

test('who reads the table cannot find a secret in a request by trying: its hash also depends on the key', async () => {
  const fields = { name: 'a', endpoint: 'https://s3.example.com', region: 'auto', bucket: 'films' };
  const body = { ...fields, access_key_id: 'admin', secret_access_key: 'weak' };
  const hashes: string[] = [];
  for (const key of [newKey(), newKey()]) {
    expect((await send('POST /api/storages', { key, body })).status).toBe(201);
    hashes.push((await stored('createStorage', key)).contentHash);
  }
  expect(hashes[0]).toMatch(/^[0-9a-f]{64}$/);
  expect(hashes[0]).not.toBe(hashes[1]);
});

test('a secret is shown again, and the table does not have it in clear', async () => {
  const key = newKey();
  const first = await send('POST /api/tokens', { key, body: { name: 'a' } });
  expect((await send('POST /api/tokens', { key, body: { name: 'a' } })).json).toEqual(first.json);
  const secret = first.json.token.split('|')[1];
  const { choices, body } = await stored('createToken', key);
  for (const sealed of [choices, body].map((bytes) => Buffer.from(bytes))) {
    expect(sealed.toString('latin1')).not.toContain(secret);
    expect(() => gunzipSync(sealed)).toThrow();
  }
});

describe('when the process died before its response was stored, a repeat gets what it would have been', () => {
  const mail = `${newUlid().toLowerCase()}@example.com`;
  const adopted = async ({ token }: Person): Promise<string> =>
    (await callApi('POST /api/template-presets/mp4-720p/adopt', { token })).json.data.ulid;
  const bodies: Record<string, (by: Person) => Promise<object>> = {
    createTemplate: async () => ({ name: 'Web', query }),
    adoptPreset: async () => ({}),
    createToken: async () => ({ name: 'a' }),
    createUser: async () => ({ name: 'Bo', email: mail, password: 'correct horse' }),
    createWebhook: async () => ({ name: 'Shop', url: 'https://shop.example.com/hooks', events: ['*'] }),
    createDirectUpload: async (by) => ({ template: await adopted(by) }),
    createIngest: async (by) => ({ url: 'https://media.example.com/b.mp4', metadata: { template: await adopted(by) } }),
    createMultipart: async (by) => ({ filename: 'b.mp4', metadata: { template: await adopted(by) } }),
    createNode: async ({ user }) => ({
      name: 'n',
      ip_address: '198.51.100.9',
      user: 'deploy',
      type: 'worker',
      ssh_key_id: (await storeSshKey(user)).id,
    }),
    createImage: async () => imageHeaders.png(100, 100),
    createStorage: async () => ({
      name: 'Archive',
      endpoint: 'https://store.invalid',
      region: 'auto',
      bucket: 'archive',
      access_key_id: 'CUSTOMERKEY',
      secret_access_key: 'secret',
    }),
    createIngestBatch: async (by) => {
      const body = {
        name: 'Archive',
        endpoint: 'https://store.invalid',
        region: 'auto',
        bucket: 'archive',
        access_key_id: 'CUSTOMERKEY',
        secret_access_key: 'secret',
      };
      const { ulid } = (await callApi('POST /api/storages', { token: by.token, body })).json.data;
      return { storage: ulid, prefix: 'in/', metadata: { template: await adopted(by) } };
    },
    createClip: async () => ({ start_seconds: 1 }),
    createStorageDelivery: async ({ user }) => ({ storage: (await createStorage(customerStorage, user)).ulid }),
    createSshKey: async () => ({ name: 'fleet', ...createKeyPair() }),
  };
  /** A URL of the store is signed for the time of the response. */
  const unsigned = (json: object): object => JSON.parse(JSON.stringify(json).replaceAll(/\?X-Amz-[^"]*/g, ''));
  const continued = publishedRoutes.filter(({ repeats }) => repeats === 'continued');

  test.each(continued.map((one) => [one.operationId, one] as const))('%s', async (name, { path, status }) => {
    const admin = await createPerson({ isAdmin: true });
    const [key, body] = [newKey(), await bodies[name]!(admin)];
    const { video } = await storeVideo(admin.user);
    const filled = path.replace('{slug}', 'mp4-720p').replace('{ulid}', video.ulid) as `/${string}`;
    const request = `POST ${filled}` as const;
    loseResponse();
    const first = await send(request, { key, body }, admin);
    revive();
    expect(first.status, first.text).toBe(status);
    afterLease();
    const second = await send(request, { key, body }, admin);
    expect({ ...second, json: unsigned(second.json) }).toMatchObject({ status, json: unsigned(first.json) });
    expect(await send(request, { key, body }, admin)).toMatchObject({ status, json: second.json });
  });
});

describe('a process can die at each call of the table', () => {
  test('and a repeat makes one template, with the response that the first call would have had', async () => {
    await create(newKey());
    for (let number = 1; ; number++) {
      for (const when of ['before', 'after'] as const) {
        const someone = await createPerson();
        const key = newKey();
        const death = dieAt(number, when);
        const first = await create(key, someone).catch(() => undefined);
        revive();
        // The last call was made before the number: nothing has died.
        if (death.calls() < number) return expect(first?.status).toBe(201);
        afterLease();
        const second = await create(key, someone);
        expect(second.status, `died ${when} call ${number}`).toBe(201);
        const { json } = await callApi('GET /api/templates', { token: someone.token });
        expect(json.data.map(({ ulid }: { ulid: string }) => ulid)).toEqual([second.json.data.ulid]);
        expect((await create(key, someone)).json).toEqual(second.json);
      }
    }
  });
});

test('while the first call runs a repeat is 409 with Retry-After, also when its process has died just now', async () => {
  const key = newKey();
  loseResponse();
  const first = await create(key);
  revive();
  expect(await create(key)).toMatchObject({
    status: 409,
    json: { code: 'idempotency_in_progress' },
    headers: { 'retry-after': '1' },
  });
  afterLease();
  expect((await create(key)).json).toEqual(first.json);
  expect(await countTemplates()).toBe(1);
});

test('a call that has failed is made again at once', async () => {
  const key = newKey();
  documents.middlewareStack.add(
    (next) => async (args) => {
      if ('TransactItems' in args.input) throw new Error('broken');
      return next(args);
    },
    { step: 'initialize', name: 'death', tags: ['death'] },
  );
  const failed = await create(key);
  expect(failed.status).toBe(500);
  revive();
  expect((await create(key)).status).toBe(201);
  expect(await countTemplates()).toBe(1);
});

test('1,000 concurrent repeats make one template', async () => {
  const key = newKey();
  const event = {
    ...createGatewayEvent('POST /api/templates', { headers: { 'idempotency-key': key }, body: {} }),
    call: {
      route: { declaration: publishedRoutes.find(({ operationId }) => operationId === 'createTemplate') },
      user: person.user,
      rawBody: { name: 'Web' },
      headers: {},
      cookies: [],
      outcome: { isReplaced: false },
    },
  } as never;
  // At the same time as many as a few functions of the API run: later ones find the response.
  const answers = await mapBounded(
    Array.from({ length: 1000 }),
    () =>
      respondOnce(event, async () => {
        const { ulid } = await createTemplate(person.user.ulid, { name: 'Web', query: query as never });
        return successResponse(event, { ulid });
      }).catch((error: { code: string }) => error.code),
    40,
  );
  expect(await countTemplates()).toBe(1);
  const made = answers.filter((one) => typeof one === 'object');
  expect(made.length).toBeGreaterThan(0);
  expect(new Set(made.map(({ body }) => body)).size).toBe(1);
  expect(new Set(answers.filter((one) => typeof one === 'string'))).toEqual(
    new Set(made.length === 1000 ? [] : ['idempotency_in_progress']),
  );
});

test('a key costs one call that reads and one that writes', async () => {
  await create(newKey());
  const without = await countTableCalls(() => send('POST /api/templates', { body: { name: 'a', query } }));
  const keyed = await countTableCalls(() => create(newKey()));
  const added = [...keyed.calls];
  for (const call of without.calls) added.splice(added.indexOf(call), 1);
  expect(added.toSorted()).toEqual(['GetCommand', 'UpdateCommand']);
});
