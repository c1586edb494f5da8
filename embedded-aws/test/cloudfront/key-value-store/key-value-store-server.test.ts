import '@aws-sdk/signature-v4a';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CloudFrontKeyValueStoreClient,
  DeleteKeyCommand,
  DescribeKeyValueStoreCommand,
  GetKeyCommand,
  ListKeysCommand,
  PutKeyCommand,
  UpdateKeysCommand,
} from '@aws-sdk/client-cloudfront-keyvaluestore';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Meter } from '../../../src/account/meter.ts';
import { openKeyValueStore } from '../../../src/cloudfront/key-value-store/key-value-store.ts';
import { keyValueStoreService } from '../../../src/cloudfront/key-value-store/key-value-store-server.ts';
import { createPrincipal, createPrincipalLookup } from '../../../src/testing/create-principal.ts';
import { credentials, serveControl } from '../../../src/testing/serve-control.ts';
import { signRequest } from '../../../src/testing/sign-request.ts';
import { failureOf } from '../../s3/running.ts';

const region = 'local-1';
const KvsARN = 'arn:aws:cloudfront::000000000000:key-value-store/keys';
const reading = { accessKeyId: 'LOCALREADER', secretAccessKey: 'reader' };

let folder: string;
let store: Awaited<ReturnType<typeof openKeyValueStore>>;
let endpoint: string;
let stop: () => Promise<void>;
let client: CloudFrontKeyValueStoreClient;
let delayMs = 0;
const metered: string[] = [];
const meter: Meter = (billed, _amount, operation) => void metered.push(`${billed}: ${operation}`);
const clients: CloudFrontKeyValueStoreClient[] = [];

/** The client puts the account before the host name. Not every system resolves such a name. */
const httpAgent = new Agent({
  lookup: (_name, options, found) =>
    options.all ? found(null, [{ address: '127.0.0.1', family: 4 }]) : found(null, '127.0.0.1', 4),
});
function connect(given = credentials): CloudFrontKeyValueStoreClient {
  const one = new CloudFrontKeyValueStoreClient({
    endpoint: endpoint.replace('127.0.0.1', 'localhost'),
    region,
    credentials: given,
    maxAttempts: 1,
    requestHandler: { httpAgent },
  });
  clients.push(one);
  return one;
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kvs-'));
  delayMs = 0;
  metered.length = 0;
  store = await openKeyValueStore({ arn: KvsARN, folder, propagationDelayMs: () => delayMs, now: () => Date.now() });
  const find = createPrincipalLookup(
    createPrincipal(credentials),
    createPrincipal(reading, ({ action }) => action.includes(':Get') || action.includes(':Describe')),
  );
  ({ endpoint, stop } = await serveControl({ region, find, keyValueStores: keyValueStoreService([store], meter) }));
  client = connect();
});
afterEach(async () => {
  vi.useRealTimers();
  for (const one of clients.splice(0)) one.destroy();
  await stop();
  store.close();
  await rm(folder, { recursive: true });
});

const etag = async () => (await client.send(new DescribeKeyValueStoreCommand({ KvsARN }))).ETag!;
const put = async (Key: string, Value: string, IfMatch?: string) =>
  client.send(new PutKeyCommand({ KvsARN, Key, Value, IfMatch: IfMatch ?? (await etag()) }));

test('every request is billed, also a read', async () => {
  await put('key/k1', 'secret');
  expect(metered).toEqual(['DescribeKeyValueStore', 'PutKey'].map((name) => `key value store requests: ${name}`));
});

test('keys are written, read, listed and removed, each write with the ETag of the version before', async () => {
  const first = await put('key/k1', 'secret');
  expect(first).toMatchObject({ ItemCount: 1, TotalSizeInBytes: 12 });
  const { ETag } = await client.send(
    new UpdateKeysCommand({
      KvsARN,
      IfMatch: first.ETag,
      Puts: [{ Key: 'deleted/1', Value: '1' }],
      Deletes: [{ Key: 'key/k1' }],
    }),
  );
  expect(await client.send(new GetKeyCommand({ KvsARN, Key: 'deleted/1' }))).toMatchObject({
    Value: '1',
    ItemCount: 1,
  });
  expect(store.reader.get('deleted/1')).toBe('1');
  expect(store.reader.get('key/k1')).toBeUndefined();
  await client.send(new DeleteKeyCommand({ KvsARN, Key: 'deleted/1', IfMatch: ETag }));
  expect(await failureOf(client.send(new GetKeyCommand({ KvsARN, Key: 'deleted/1' })))).toMatchObject({
    code: 'ResourceNotFoundException',
    status: 404,
  });
  expect(await client.send(new DescribeKeyValueStoreCommand({ KvsARN }))).toMatchObject({
    Status: 'READY',
    ItemCount: 0,
    TotalSizeInBytes: 0,
    Created: expect.any(Date),
  });
});

test('keys are listed in pages', async () => {
  for (const key of ['b', 'a', 'c']) await put(key, key);
  const first = await client.send(new ListKeysCommand({ KvsARN, MaxResults: 2 }));
  const second = await client.send(new ListKeysCommand({ KvsARN, MaxResults: 2, NextToken: first.NextToken }));
  expect([first.Items, second.Items, second.NextToken]).toEqual([
    [
      { Key: 'a', Value: 'a' },
      { Key: 'b', Value: 'b' },
    ],
    [{ Key: 'c', Value: 'c' }],
    undefined,
  ]);
});

test('of two writes with one ETag, the second is refused', async () => {
  const version = await etag();
  await put('a', '1', version);
  expect(await failureOf(put('a', '2', version))).toMatchObject({ code: 'ConflictException', status: 409 });
  expect(store.reader.get('a')).toBe('1');
});

test.each([
  ['a key over 512 bytes', () => put('k'.repeat(513), 'v'), 'ValidationException'],
  ['a value over 1 KB', () => put('k', 'v'.repeat(1025)), 'ValidationException'],
  [
    'an unknown store',
    () => client.send(new GetKeyCommand({ KvsARN: `${KvsARN}2`, Key: 'a' })),
    'ResourceNotFoundException',
  ],
  [
    'a key that does not exist',
    async () => client.send(new DeleteKeyCommand({ KvsARN, Key: 'a', IfMatch: await etag() })),
    'ResourceNotFoundException',
  ],
])('%s is refused', async (_, send, code) => {
  expect((await failureOf(send())).code).toBe(code);
});

test('a store has at most 5 MB', async () => {
  const version = () => store.content().etag;
  const large = (from: number) =>
    Array.from({ length: 50 }, (_, index) => ({ key: `${from + index}`.padEnd(512, 'k'), value: 'v'.repeat(1024) }));
  let refused: Error | undefined;
  for (let from = 0; from < 4000 && !refused; from += 50) {
    await store.update({ puts: large(from), deletes: [] }, version()).catch((error: Error) => {
      refused = error;
    });
  }
  expect(refused?.name).toBe('ServiceQuotaExceededException');
  expect(store.content().items.size).toBe(3400);
});

test('only principals with the permission may write', async () => {
  const reader = connect(reading);
  const IfMatch = (await reader.send(new DescribeKeyValueStoreCommand({ KvsARN }))).ETag!;
  expect(await failureOf(reader.send(new PutKeyCommand({ KvsARN, Key: 'a', Value: '1', IfMatch })))).toMatchObject({
    code: 'AccessDeniedException',
    status: 403,
  });
});

test('requests need a SigV4A signature of a known key', async () => {
  const wrong = connect({ ...credentials, secretAccessKey: 'wrong' });
  expect((await failureOf(wrong.send(new DescribeKeyValueStoreCommand({ KvsARN })))).code).toBe(
    'InvalidSignatureException',
  );
  const unknown = connect({ accessKeyId: 'LOCALNONE', secretAccessKey: 'x' });
  expect((await failureOf(unknown.send(new DescribeKeyValueStoreCommand({ KvsARN })))).code).toBe(
    'UnrecognizedClientException',
  );
  const url = `${endpoint}/key-value-stores/${encodeURIComponent(KvsARN)}`;
  const symmetric = signRequest({ url, method: 'GET', service: 'cloudfront-keyvaluestore', region, credentials });
  const answer = await fetch(url, symmetric);
  expect([answer.status, answer.headers.get('x-amzn-errortype')]).toEqual([403, 'IncompleteSignatureException']);
  expect((await fetch(url)).headers.get('x-amzn-errortype')).toBe('MissingAuthenticationTokenException');
});

test('a write survives a restart', async () => {
  await put('a', '1');
  const version = store.content().etag;
  const reopened = await openKeyValueStore({ arn: KvsARN, folder });
  expect([reopened.reader.get('a'), reopened.content().etag]).toEqual(['1', version]);
});

test('chaos: functions read the earlier version for a while, and never again after a later one', async () => {
  // The clock stands still between the two writes.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: Date.now() });
  delayMs = 3000;
  await put('a', '1');
  expect(store.reader.get('a')).toBeUndefined();
  expect(await client.send(new GetKeyCommand({ KvsARN, Key: 'a' }))).toMatchObject({ Value: '1' });
  delayMs = 2000;
  await put('a', '2');
  vi.advanceTimersByTime(1999);
  expect(store.reader.get('a')).toBeUndefined();
  vi.advanceTimersByTime(1);
  expect(store.reader.get('a')).toBe('2');
  vi.advanceTimersByTime(1000);
  expect(store.reader.get('a')).toBe('2');
});
