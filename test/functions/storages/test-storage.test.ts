import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { mockClient } from 'aws-sdk-client-mock';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { storageErrorCodes } from '../../../functions/contracts/routes/storage-routes.ts';
import { testStorage } from '../../../functions/storages/test-storage.ts';
import { buildStorage } from '../../fixtures/records/build-storage.ts';
import {
  type Behaviour,
  type HostileStore,
  type StoreCall,
  startHostileStore,
} from '../../fixtures/servers/hostile-store.ts';
import { wordsOfStore } from '../../fixtures/servers/store-responses.ts';
import { useBucket } from '../../fixtures/use-bucket.ts';

useBucket();

const parameters = mockClient(SSMClient);
let store: HostileStore | undefined;

beforeEach(() => {
  parameters.reset();
  parameters.on(GetParameterCommand).resolves({ Parameter: { Value: 'test' } });
  Object.assign(process.env, { PARAMETER_PREFIX: '/video-service/test', ALLOW_LOOPBACK_TARGETS: 'on' });
});

afterEach(async () => {
  await store?.close();
  store = undefined;
});

async function tryStore(behave: (call: StoreCall) => Behaviour | undefined) {
  store = await startHostileStore('films', behave);
  const result = await testStorage(buildStorage({ endpoint: store.endpoint, prefix: 'videos/' }));
  expect(JSON.stringify(result)).not.toContain(wordsOfStore);
  return { ...result, steps: result.steps.map(({ step, ok, code }) => (ok ? step : `${step}: ${code}`)), store };
}

test('a store that checks signatures passes every step, and nothing is left in it', async () => {
  const storage = buildStorage({
    endpoint: process.env.AWS_ENDPOINT_URL_S3!,
    bucket: 'test-bucket',
    accessKeyId: 'test',
  });
  const { ok, steps } = await testStorage(storage);
  expect(steps).toEqual(['open', 'write', 'read', 'list', 'delete'].map((step) => ({ step, ok: true })));
  expect(ok).toBe(true);
  parameters.on(GetParameterCommand).resolves({ Parameter: { Value: 'wrong' } });
  const wrong = await testStorage({ ...storage, ulid: buildStorage().ulid });
  expect(wrong).toMatchObject({ ok: false, steps: [{ ok: true }, { step: 'write', code: 'credentials_refused' }] });
});

test('a key that may not list passes, and the step says so', async () => {
  const {
    ok,
    steps,
    store: used,
  } = await tryStore(({ operation }) => (operation === 'list' ? 'forbidden' : undefined));
  expect([ok, steps]).toEqual([true, ['open', 'write', 'read', 'list: no_permission', 'delete']]);
  expect(used.objects.size).toBe(0);
});

test.each<[string, Behaviour, string]>([
  ['put', 'forbidden', 'write: no_permission'],
  ['put', { code: 'NoSuchBucket', status: 404 }, 'write: no_bucket'],
  ['put', { code: 'PermanentRedirect', status: 301 }, 'write: wrong_region'],
  ['put', { code: 'InvalidAccessKeyId', status: 403 }, 'write: credentials_refused'],
  ['put', 'redirect', 'write: redirected'],
  ['put', 'error-in-200', 'write: store_busy'],
])('a failed %s ends the test, and what may have been written is deleted', async (operation, behaviour, step) => {
  const { ok, steps, store: used } = await tryStore((call) => (call.operation === operation ? behaviour : undefined));
  expect([ok, steps]).toEqual([false, ['open', step]]);
  expect(used.calls.at(-1)).toMatchObject({ operation: 'delete', key: used.calls[0]!.key });
});

test.each<[Behaviour, string]>([
  ['forbidden', 'read: no_permission'],
  ['error-in-200', 'read: invalid_response'],
  ['wrong-bytes', 'read: invalid_response'],
  ['flood', 'read: invalid_response'],
  ['redirect', 'read: redirected'],
])('an object that cannot be read, with %o, is deleted', async (behaviour, step) => {
  const { ok, steps, store: used } = await tryStore(({ operation }) => (operation === 'get' ? behaviour : undefined));
  expect([ok, steps]).toEqual([false, ['open', 'write', step, 'delete']]);
  expect(used.objects.size).toBe(0);
});

test('a key that may not delete is told so', async () => {
  const { ok, steps } = await tryStore(({ operation }) => (operation === 'delete' ? 'forbidden' : undefined));
  expect([ok, steps]).toEqual([false, ['open', 'write', 'read', 'list', 'delete: no_permission']]);
});

test('the objects have random names below the prefix', async () => {
  const { store: used } = await tryStore(() => undefined);
  expect(used.calls[0]!.key).toMatch(/^videos\/storage-test-[0-9a-f-]{36}\.txt$/);
});

test('the documentation explains each code', async () => {
  const page = await readFile(join(import.meta.dirname, '../../../docs/storages.md'), 'utf8');
  const rows = page.split('\n').filter((line) => line.startsWith('| `'));
  const explained = rows.flatMap((line) => [...line.split('|')[1]!.matchAll(/`([a-z_]+)`/g)].map(([, code]) => code));
  expect(storageErrorCodes.filter((code) => !explained.includes(code))).toEqual([]);
});
