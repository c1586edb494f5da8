import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { DeleteParameterCommand, GetParameterCommand, PutParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { writeObject } from '../../../functions/aws/object-store.ts';
import { reportFailed } from '../../../functions/queue/report-failure.ts';
import { handler } from '../../../functions/storage-deliveries/continue-storage-deliveries.lambda.ts';
import { requestDelivery } from '../../../functions/storage-deliveries/request-delivery.ts';
import { write } from '../../../functions/table/items/items.ts';
import { keys } from '../../../functions/table/items/keys.ts';
import type { StorageDelivery } from '../../../functions/table/records.ts';
import { firstOpenDeliveries } from '../../../functions/table/storage-deliveries/open-deliveries.ts';
import { findStorageDelivery } from '../../../functions/table/storage-deliveries/storage-delivery-table.ts';
import { findWholeVideo, type WholeVideo } from '../../../functions/table/videos/video-table.ts';
import { customerBucket } from '../../fixtures/open-customer-store.ts';
import { createDeliveringPerson, filesLeftOf, runDelivery } from '../../fixtures/records/delivering-person.ts';
import { nextLease } from '../../fixtures/records/ingesting-person.ts';
import { clearQueue } from '../../fixtures/records/queue-probe.ts';
import { storeEncodedVideo } from '../../fixtures/records/store-encoded-video.ts';
import {
  type Behaviour,
  type HostileStore,
  type StoreCall,
  startHostileStore,
} from '../../fixtures/servers/hostile-store.ts';
import { wordsOfStore } from '../../fixtures/servers/store-responses.ts';
import { useBucket } from '../../fixtures/use-bucket.ts';
import { useEmptyPool } from '../../fixtures/use-empty-pool.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();
useBucket();
useEmptyPool();
mockClient(LambdaClient).on(InvokeCommand).resolves({});

const ssm = mockClient(SSMClient);
ssm.on(PutParameterCommand).resolves({});
ssm.on(DeleteParameterCommand).resolves({});
ssm.on(GetParameterCommand).resolves({ Parameter: { Value: 'secret' } });

const query = {
  version: 1,
  video: [{ name: 'v720', codec: 'h264', height: 720, bitrate: '2800k' }],
  audio: [{ name: 'stereo', codec: 'aac' }],
  outputs: [{ name: 'file', format: 'mp4' }],
};
/** Of a file that is copied in three parts. */
const largeBytes = 17 * 2 ** 20;

let behave: (call: StoreCall) => Behaviour | undefined;
let store: HostileStore;
let person: Awaited<ReturnType<typeof createDeliveringPerson>>;
let whole: WholeVideo | undefined;
beforeAll(async () => {
  Object.assign(process.env, {
    PARAMETER_PREFIX: '/video-service/test',
    STORAGES_KMS_KEY: 'arn:aws:kms:key',
    ACCOUNT_ID: '123456789012',
    ALLOW_LOOPBACK_TARGETS: 'on',
    STORAGE_DELIVERIES_FUNCTION: 'continue-storage-deliveries',
  });
  store = await startHostileStore(customerBucket, (call) => behave(call));
});
afterAll(() => store.close());
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  behave = () => undefined;
  store.calls.length = 0;
  for (const kept of [store.objects, store.uploads]) kept.clear();
  await clearQueue();
  whole ??= await storeLargeVideo();
});
afterEach(() => {
  vi.useRealTimers();
});

async function storeLargeVideo(): Promise<WholeVideo> {
  person = await createDeliveringPerson(store.endpoint);
  const { video } = await storeEncodedVideo(person.user, query);
  await writeObject(video.sourceKey, 'x'.repeat(largeBytes), 'video/mp4');
  await write({ update: keys.video(video.ulid), set: { sourceBytes: largeBytes } });
  return (await findWholeVideo(video.ulid))!;
}

const proceed = () => handler({ userUlid: person.user.ulid });
const read = async ({ ulid }: StorageDelivery): Promise<StorageDelivery> => (await findStorageDelivery(ulid))!;

let begun = 0;
/** The delivery of a small file and a large one. */
async function begin(): Promise<StorageDelivery> {
  const also = ['metadata' as const, 'original' as const];
  const asked = { storage: person.storage.ulid, path: `${++begun}/{ulid}/`, outputs: [], also };
  const delivery = await requestDelivery(whole!, asked, person.user);
  await proceed();
  return delivery;
}

/** A worker waits half a second for a store that does not go on. */
async function runAttempt(): Promise<void> {
  const lease = (await nextLease())!;
  await runDelivery({ ...lease, limits: { ...lease.limits, stallSeconds: 0.5 } });
  await proceed();
}

/** Deviates in all calls of an operation, or in the first ones. */
const inCallsOf =
  (operation: StoreCall['operation'], behaviour: Behaviour, atMost = Number.POSITIVE_INFINITY) =>
  (call: StoreCall): Behaviour | undefined =>
    call.operation === operation && call.count <= atMost ? behaviour : undefined;

const expectWhole = (): void => {
  const sizes = [...store.objects].filter(([key]) => key.includes('/original/')).map(([, { body }]) => body.length);
  expect(sizes).toEqual([largeBytes]);
  expect(store.objects.size).toBe(2);
  expect(store.uploads.size).toBe(0);
};

/** `put` is a small file; `begin`, `part`, `join` and `head` are of a large one. */
describe('a store ends a delivery', () => {
  test.each<[StoreCall['operation'], Behaviour, RegExp]>([
    ['put', 'forbidden', /^STORAGE_REFUSED: .* may not do this in the bucket/],
    ['put', 'redirect', /^STORAGE_REFUSED: The store redirects to another address, which is not followed/],
    ['put', 'wrong-etag', /^STORAGE_MISMATCH: .* another size or checksum/],
    ['put', 'flood', /^STORAGE_MISMATCH: .* another size or checksum/],
    ['put', { status: 404, code: 'NoSuchBucket' }, /^STORAGE_REFUSED: The store has no such bucket/],
    ['put', { status: 400, code: 'NotOfS3' }, /^STORAGE_REFUSED: The store refused the request with status 400/],
    ['begin', 'forbidden', /^STORAGE_REFUSED: .* may not do this in the bucket/],
    ['begin', 'redirect', /^STORAGE_REFUSED: The store redirects/],
    ['part', 'forbidden', /^STORAGE_REFUSED: .* may not do this in the bucket/],
    ['part', 'redirect', /^STORAGE_REFUSED: The store redirects/],
    ['part', 'wrong-etag', /^STORAGE_MISMATCH: .* another size or checksum/],
    ['part', { status: 403, code: 'InvalidAccessKeyId' }, /^STORAGE_REFUSED: The store refuses the access key/],
    ['join', 'forbidden', /^STORAGE_REFUSED: .* may not do this in the bucket/],
    ['join', 'redirect', /^STORAGE_REFUSED: The store redirects/],
    ['head', 'forbidden', /^STORAGE_REFUSED: .* may not do this in the bucket/],
    ['head', 'wrong-bytes', /^STORAGE_MISMATCH: .* another size of a file/],
  ])('whose %s is %o, with a sentence, and without an open upload', async (operation, behaviour, sentence) => {
    behave = inCallsOf(operation, behaviour);
    const delivery = await begin();
    await runAttempt();
    const { status, error } = await read(delivery);
    expect([status, error]).toEqual(['failed', expect.stringMatching(sentence)]);
    expect(error).not.toContain(wordsOfStore);
    expect(store.uploads.size).toBe(0);
    expect(store.calls.length).toBeLessThan(20);
  });

  test('that refuses in the middle: what it has stays, and nothing more is sent', async () => {
    behave = ({ operation, count }) => (operation === 'part' && count > 1 ? 'forbidden' : undefined);
    const delivery = await begin();
    await runAttempt();
    expect(await read(delivery)).toMatchObject({ status: 'failed', error: expect.stringMatching(/^STORAGE_REFUSED/) });
    expect([...store.objects.keys()].map((key) => key.split('/').at(-1))).toEqual(['metadata.json']);
    expect(store.uploads.size).toBe(0);
  });

  test.each<Behaviour>(['silent', 'flood', 'cut'])(
    'that is %o when uploads are aborted: the delivery has ended, and nothing of it stays here',
    async (behaviour) => {
      behave = inCallsOf('abort', behaviour);
      const delivery = await begin();
      const multiparts = { p0: 'one', p1: 'two' };
      await write({ update: keys.storageDelivery(delivery.ulid), set: { multiparts, progressAttempt: -5 } });
      const { id } = (await nextLease())!;
      await reportFailed({ lease: id, code: 'STORAGE_REFUSED', message: 'no', fatal: true });
      await proceed();
      expect(await read(delivery)).toMatchObject({ status: 'failed' });
      expect(store.calls.filter(({ operation }) => operation === 'abort').length).toBeGreaterThanOrEqual(2);
      expect(await firstOpenDeliveries(person.user.ulid, 10)).toEqual([]);
      expect(await filesLeftOf(delivery)).toEqual([]);
    },
    30_000,
  );

  test('that refuses even to abort an upload', async () => {
    behave = (call) => inCallsOf('part', 'forbidden')(call) ?? inCallsOf('abort', 'forbidden')(call);
    const delivery = await begin();
    await runAttempt();
    expect(await read(delivery)).toMatchObject({ status: 'failed', error: expect.stringMatching(/^STORAGE_REFUSED/) });
  });
});

describe('a delivery is completed by a store', () => {
  test.each<[StoreCall['operation'], Behaviour, number]>([
    ['put', 'silent', 1],
    ['put', 'cut', 2],
    ['put', 'cut-body', 1],
    ['put', 'error-in-200', 1],
    ['put', 'busy', 1],
    ['put', { status: 400, code: 'BadDigest' }, 1],
    ['begin', 'busy', 1],
    ['part', 'silent', 1],
    ['part', 'cut', 2],
    ['part', 'cut-body', 2],
    ['part', 'error-in-200', 1],
    ['part', 'busy', 2],
    ['part', 'forbidden', 1],
    ['join', 'busy', 1],
    ['join', 'cut', 1],
    ['join', 'wrong-etag', 1],
    ['head', 'busy', 1],
  ])('whose %s is %o for a while, in one attempt', async (operation, behaviour, calls) => {
    behave = inCallsOf(operation, behaviour, calls);
    const delivery = await begin();
    await runAttempt();
    expect(await read(delivery)).toMatchObject({ status: 'completed', error: null });
    expectWhole();
  });

  /** Nothing says that a file which the store has is the one of an upload that is gone. */
  test.each<[StoreCall['operation'], Behaviour, number]>([
    ['begin', 'flood', 3],
    ['begin', 'error-in-200', 3],
    ['join', 'error-in-200', 0],
    ['join', 'busy', 0],
    ['head', 'busy', 3],
  ])('whose %s is %o for longer, by the next attempt, which sends %i parts', async (operation, behaviour, parts) => {
    behave = inCallsOf(operation, behaviour);
    const delivery = await begin();
    await runAttempt();
    expect(await read(delivery)).toMatchObject({ status: 'running', error: null });
    behave = () => undefined;
    vi.setSystemTime(Date.now() + 61_000);
    await proceed();
    const sent = store.calls.filter((call) => call.operation === 'part').length;
    await runAttempt();
    expect(await read(delivery)).toMatchObject({ status: 'completed', error: null });
    expectWhole();
    const all = store.calls.filter((call) => call.operation === 'part').length;
    expect(all - sent).toBe(parts);
  });

  test.each<Behaviour>(['endless', 'same-page', 'forbidden', { status: 404, code: 'NoSuchUpload' }])(
    'whose list of parts is %o: the parts are sent again, and the earlier upload is aborted',
    async (behaviour) => {
      behave = ({ operation, query }) => {
        if (operation === 'part' && query.get('partNumber') === '3') return { status: 404, code: 'NoSuchUpload' };
        return operation === 'parts' ? behaviour : undefined;
      };
      const delivery = await begin();
      await runAttempt();
      expect(await read(delivery)).toMatchObject({ status: 'running', error: null });
      behave = inCallsOf('parts', behaviour);
      vi.setSystemTime(Date.now() + 61_000);
      await proceed();
      await runAttempt();
      expect(await read(delivery)).toMatchObject({ status: 'completed', error: null });
      expectWhole();
      expect(store.calls.filter(({ operation }) => operation === 'parts').length).toBeLessThanOrEqual(20);
    },
  );
});

test.each<[Behaviour, RegExp]>([
  ['busy', /^STORAGE_FAILED: The storage did not take the files: it answered with status 503/],
  ['error-in-200', /^STORAGE_FAILED: The storage did not take the files: it answered with an error/],
  ['silent', /^STORAGE_FAILED: The storage did not take the files: it stopped reading/],
  ['cut-body', /^STORAGE_FAILED: The storage did not take the files: /],
])('a store that is %o in the sixth attempt too ends a delivery with a sentence', async (behaviour, sentence) => {
  behave = inCallsOf('put', behaviour);
  const delivery = await begin();
  // Five attempts have copied no file.
  await write({ update: keys.storageDelivery(delivery.ulid), set: { progressAttempt: -5 } });
  await runAttempt();
  expect(await read(delivery)).toMatchObject({ status: 'failed', error: expect.stringMatching(sentence) });
  expect(store.uploads.size).toBe(0);
});
