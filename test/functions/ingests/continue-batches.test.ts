import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { mockClient } from 'aws-sdk-client-mock';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { handler as uploads } from '../../../functions/api/uploads.lambda.ts';
import { continueBatches } from '../../../functions/ingests/continue-batches.ts';
import { continueUser } from '../../../functions/ingests/continue-user.ts';
import { listIngestingUsers } from '../../../functions/table/ingests/ingest-slots.ts';
import { pageOfIngests } from '../../../functions/table/ingests/ingest-table.ts';
import {
  createStorage,
  findStorage,
  recordFirstSecret,
  type Storage,
  updateStorage,
} from '../../../functions/table/storages/storage-table.ts';
import { closeUpload, listOpenUploads } from '../../../functions/table/uploads/upload-table.ts';
import { callHandler } from '../../fixtures/call-handler.ts';
import { buildStorage } from '../../fixtures/records/build-storage.ts';
import { createIngestingPerson } from '../../fixtures/records/ingesting-person.ts';
import {
  type Behaviour,
  type HostileStore,
  type StoreCall,
  startHostileStore,
} from '../../fixtures/servers/hostile-store.ts';
import { useBucket } from '../../fixtures/use-bucket.ts';
import { useEmptyPool } from '../../fixtures/use-empty-pool.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();
useBucket();
useEmptyPool();
mockClient(LambdaClient).on(InvokeCommand).resolves({});
const parameters = mockClient(SSMClient);

let behave: (call: StoreCall) => Behaviour | undefined;
let store: HostileStore;
let person: Awaited<ReturnType<typeof createIngestingPerson>>;
let storage: Storage;
beforeEach(async () => {
  behave = () => undefined;
  parameters.reset();
  parameters.on(GetParameterCommand).resolves({ Parameter: { Value: 'secret' } });
  Object.assign(process.env, { PARAMETER_PREFIX: '/video-service/test', ALLOW_LOOPBACK_TARGETS: 'on' });
  store = await startHostileStore('films', (call) => behave(call));
  person = await createIngestingPerson();
  const { ulid, ownerUlid, ...fields } = buildStorage({ endpoint: store.endpoint, prefix: 'in/' });
  storage = (await recordFirstSecret(await createStorage(fields, person.user)))!;
});
afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  await store.close();
});

const put = (key: string, bytes = 5) => store.objects.set(key, { body: Buffer.alloc(bytes), headers: {} });
const fill = (count: number) => {
  for (let number = 0; number < count; number++) put(`in/${String(number).padStart(4, '0')}.mp4`);
};
const begin = (fields: object = {}) =>
  callHandler(uploads, 'POST /api/ingests/batch', {
    token: person.token,
    body: { storage: storage.ulid, prefix: 'in/', metadata: { template: person.template.ulid }, ...fields },
  });
const find = async (ulid: string) =>
  (await callHandler(uploads, `GET /api/ingests/batch/${ulid}`, { token: person.token })).json.data;
const proceed = () => continueBatches(person.user.ulid);
const keysOf = async () =>
  (await pageOfIngests(person.user.ulid, { offset: 0, limit: 100 })).ingests
    .map(({ storageKey }) => storageKey)
    .toSorted();
const closeAll = async () => {
  for (const upload of await listOpenUploads(person.user.ulid))
    await closeUpload(upload, 'notFetched', 'INPUT_GONE: x');
};

test('each file below the prefix makes one ingest; folders and empty objects are skipped and counted', async () => {
  for (const key of ['in/a.mp4', 'in/b/c.mp4', 'out/d.mp4']) put(key);
  put('in/b/', 0);
  put('in/empty.mp4', 0);
  const { status, json } = await begin();
  expect([status, json.data.status]).toEqual([202, 'listing']);
  expect(await listIngestingUsers()).toContain(person.user.ulid);
  expect(await proceed()).toBe(false);
  expect(await keysOf()).toEqual(['in/a.mp4', 'in/b/c.mp4']);
  expect(await find(json.data.ulid)).toMatchObject({ status: 'fetching', created: 2, skipped: 2, stored: 0 });
  await closeAll();
  expect(await find(json.data.ulid)).toMatchObject({ status: 'completed', failed: 2 });
  expect((await findStorage(person.user.ulid, storage.ulid))?.ingests).toBe(0);
});

test('without a prefix, all files of the storage are ingested, also of a storage without one', async () => {
  const { ulid, ownerUlid, ...fields } = buildStorage({ endpoint: store.endpoint, prefix: '' });
  const whole = (await recordFirstSecret(await createStorage({ ...fields, name: 'Whole' }, person.user)))!;
  for (const key of ['a.mp4', 'in/b.mp4']) put(key);
  expect((await begin({ prefix: undefined })).json.data.prefix).toBe('in/');
  expect((await begin({ prefix: undefined, storage: whole.ulid })).json.data.prefix).toBe('');
  expect(await proceed()).toBe(false);
  expect(await keysOf()).toEqual(['a.mp4', 'in/b.mp4', 'in/b.mp4']);
});

test('ingests are created while few uploads are open, and the listing goes on when they have ended', async () => {
  fill(70);
  const { ulid } = (await begin()).json.data;
  expect(await proceed()).toBe(true);
  expect(await find(ulid)).toMatchObject({ status: 'listing', created: 50 });
  const lists = store.calls.length;
  expect(await proceed()).toBe(true);
  // Without room nothing is listed.
  expect(store.calls.length).toBe(lists);
  await closeAll();
  expect(await proceed()).toBe(false);
  expect(await find(ulid)).toMatchObject({ status: 'fetching', created: 70, failed: 50 });
  expect(store.calls.at(-1)?.query.get('start-after')).toBe('in/0049.mp4');
});

test('the lists of a batch are in proportion to its keys, although few of its ingests end at a time', async () => {
  fill(120);
  for (let number = 0; number < 1000; number++) put(`in/9${String(number).padStart(3, '0')}/`, 0);
  put('in/last.mp4');
  const { ulid } = (await begin()).json.data;
  let calls = 0;
  for (; await proceed(); calls++) {
    const oldest = (await listOpenUploads(person.user.ulid)).slice(0, 4);
    await Promise.all(oldest.map((upload) => closeUpload(upload, 'notFetched', 'INPUT_GONE: x')));
  }
  expect(calls).toBeGreaterThan(15);
  expect(await find(ulid)).toMatchObject({ status: 'fetching', created: 121, skipped: 1000 });
  const lists = store.calls.filter(({ operation }) => operation === 'list');
  expect(lists.length).toBeLessThan(121 / 25 + Math.log2(1000) + 2);
  const asked = lists.map(({ query }) => Number(query.get('max-keys')));
  expect(asked.reduce((sum, keys) => sum + keys, 0)).toBeLessThan(2.5 * 1121);
  expect(Math.max(...asked)).toBeLessThanOrEqual(1000);
});

test('calls at the same time create each ingest once', async () => {
  fill(12);
  const { ulid } = (await begin()).json.data;
  await Promise.all([proceed(), proceed(), proceed()]);
  while (await proceed());
  expect(await find(ulid)).toMatchObject({ created: 12 });
  expect(await keysOf()).toHaveLength(12);
});

test('a call that dies leaves a position from which the next one continues', async () => {
  fill(6);
  const { ulid } = (await begin()).json.data;
  behave = ({ operation, count }) => (operation === 'list' && count === 1 ? 'cut' : undefined);
  await proceed();
  await proceed();
  expect(await find(ulid)).toMatchObject({ created: 6 });
  expect(await keysOf()).toHaveLength(6);
});

test('no more ingests are created than the limit allows, and none after a cancellation', async () => {
  fill(9);
  const limited = (await begin({ limit: 4 })).json.data.ulid;
  await proceed();
  expect(await find(limited)).toMatchObject({ status: 'fetching', created: 4 });
  const cancelled = (await begin()).json.data.ulid;
  const removed = await callHandler(uploads, `DELETE /api/ingests/batch/${cancelled}`, { token: person.token });
  expect(removed.status).toBe(204);
  await proceed();
  expect(await find(cancelled)).toMatchObject({ status: 'cancelled', created: 0 });
  const listed = await callHandler(uploads, 'GET /api/ingests/batch', { token: person.token });
  expect(listed.json.data.map((one: { ulid: string }) => one.ulid).toSorted()).toEqual([limited, cancelled].toSorted());
});

test.each<[Behaviour, RegExp]>([
  ['same-page', /lists keys more than once/],
  ['endless', /says that its list goes on, and sends no more keys/],
  ['foreign-key', /lists keys that are not below the prefix/],
  ['forbidden', /cannot be listed. The access key or the role may not do this/],
  ['redirect', /redirects/],
  [{ code: 'NoSuchBucket', status: 404 }, /no such bucket/],
])('a list that is %o ends the batch with a sentence', async (behaviour, sentence) => {
  behave = ({ operation }) => (operation === 'list' ? behaviour : undefined);
  const { ulid } = (await begin()).json.data;
  await proceed();
  expect(await find(ulid)).toMatchObject({ status: 'failed', error: expect.stringMatching(sentence) });
  expect(store.calls.length).toBeLessThan(25);
});

test('the lists of one call end after half a minute, however slow a store is, and the next call continues', async () => {
  for (let number = 1000; number < 9000; number++) put(`in/${number}/`, 0);
  vi.useFakeTimers({ toFake: ['Date'] });
  behave = ({ operation }) => {
    if (operation === 'list') vi.setSystemTime(Date.now() + 9000);
    return undefined;
  };
  const { ulid } = (await begin()).json.data;
  expect(await proceed()).toBe(true);
  expect(store.calls.length).toBeLessThanOrEqual(4);
  const { skipped } = await find(ulid);
  expect(await proceed()).toBe(true);
  expect((await find(ulid)).skipped).toBeGreaterThan(skipped);
});

test('one call lists at a time, and a call that died stops the others for two minutes at most', async () => {
  fill(2);
  vi.useFakeTimers({ toFake: ['Date'] });
  const asked = Promise.withResolvers<void>();
  behave = ({ count }) => {
    asked.resolve();
    return count === 1 ? 'silent' : undefined;
  };
  const { ulid } = (await begin()).json.data;
  const hanging = proceed();
  await asked.promise;
  expect(await proceed()).toBe(true);
  expect(store.calls.length).toBe(1);
  vi.setSystemTime(Date.now() + 120_000);
  expect(await proceed()).toBe(false);
  expect(await find(ulid)).toMatchObject({ created: 2 });
  store.disconnect();
  await hanging;
});

test('few batches of a user are listed at a time', async () => {
  const ulids: string[] = [];
  for (let number = 0; number < 20; number++) ulids.push((await begin()).json.data.ulid);
  const refused = await begin();
  expect([refused.status, refused.json.code]).toEqual([409, 'ingest_batch_limit']);
  await callHandler(uploads, `DELETE /api/ingests/batch/${ulids[7]}`, { token: person.token });
  expect((await begin()).status).toBe(202);
  expect(await proceed()).toBe(false);
  expect((await begin()).status).toBe(202);
  expect((await findStorage(person.user.ulid, storage.ulid))?.ingests).toBe(1);
});

test('a key that is longer than those of S3 ends the batch: no record could have it', async () => {
  put(`in/${'x'.repeat(500_000)}`);
  const { ulid } = (await begin()).json.data;
  expect(await proceed()).toBe(false);
  expect(await find(ulid)).toMatchObject({ status: 'failed', error: expect.stringMatching(/longer than those of S3/) });
});

test('nothing outside of the prefix of a storage is listed after it was changed', async () => {
  fill(1);
  const { ulid } = (await begin()).json.data;
  await updateStorage(storage, { ...storage, prefix: 'other/' }, person.user);
  expect(await proceed()).toBe(false);
  expect(await find(ulid)).toMatchObject({ status: 'failed', error: expect.stringMatching(/has another prefix now/) });
  expect(store.calls).toEqual([]);
});

test('a store that is busy is asked again later', async () => {
  fill(1);
  behave = () => 'busy';
  const { ulid } = (await begin()).json.data;
  await continueUser(person.user.ulid);
  expect(await find(ulid)).toMatchObject({ status: 'listing', error: null });
  behave = () => undefined;
  await continueUser(person.user.ulid);
  expect(await find(ulid)).toMatchObject({ created: 1 });
});

test.each<[string, object, string]>([
  ['a prefix outside of that of the storage', { prefix: 'out/' }, 'prefix'],
  ['no prefix', { prefix: null }, 'prefix'],
  ['a limit of none', { limit: 0 }, 'limit'],
  ['an unknown storage', { storage: '01K9Z3P6M8N9P0Q1R2S3T4V5W6' }, 'storage'],
  ['an unknown template', { metadata: { template: '01K9Z3P6M8N9P0Q1R2S3T4V5W6' } }, 'metadata.template'],
])('%s is refused', async (_, fields, field) => {
  const { status, json } = await begin(fields);
  expect([status, Object.keys(json.errors)]).toEqual([422, [field]]);
  expect((await findStorage(person.user.ulid, storage.ulid))?.ingests).toBe(0);
});
