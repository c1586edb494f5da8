import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { SFNClient, StopExecutionCommand } from '@aws-sdk/client-sfn';
import { DeleteParameterCommand, GetParameterCommand, PutParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { listKeys, readObject, writeObject } from '../../../functions/aws/object-store.ts';
import { documents } from '../../../functions/aws/table-client.ts';
import { addCaption } from '../../../functions/captions/add-caption.ts';
import { publishCaptions } from '../../../functions/captions/publish-captions.ts';
import { expireLeases } from '../../../functions/queue/expire-leases.ts';
import { reportFailed } from '../../../functions/queue/report-failure.ts';
import { handler } from '../../../functions/storage-deliveries/continue-storage-deliveries.lambda.ts';
import { filesFrom, writeFilePages } from '../../../functions/storage-deliveries/file-pages.ts';
import { listFiles } from '../../../functions/storage-deliveries/list-files.ts';
import { requestDelivery } from '../../../functions/storage-deliveries/request-delivery.ts';
import { write } from '../../../functions/table/items/items.ts';
import { keys } from '../../../functions/table/items/keys.ts';
import { queryRange } from '../../../functions/table/items/ranges.ts';
import type { StorageDelivery } from '../../../functions/table/records.ts';
import { listDeliveringUsers } from '../../../functions/table/storage-deliveries/open-deliveries.ts';
import {
  beginStorageDelivery,
  findStorageDelivery,
  listStorageDeliveries,
} from '../../../functions/table/storage-deliveries/storage-delivery-table.ts';
import { findStorage } from '../../../functions/table/storages/storage-table.ts';
import { hideVideo } from '../../../functions/table/videos/hide-video.ts';
import { replaceSource } from '../../../functions/table/videos/replace-source.ts';
import { reprocessVideo } from '../../../functions/table/videos/reprocess-video.ts';
import { findWholeVideo, type WholeVideo } from '../../../functions/table/videos/video-table.ts';
import type { FileRequest, FileResponse } from '../../../shared/protocol/jobs.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { customerKeys, openCustomerStore } from '../../fixtures/open-customer-store.ts';
import {
  createDeliveringPerson,
  filesLeftOf,
  runDelivery,
  runNextDelivery,
  storeStorage,
} from '../../fixtures/records/delivering-person.ts';
import { nextLease } from '../../fixtures/records/ingesting-person.ts';
import { clearQueue } from '../../fixtures/records/queue-probe.ts';
import { storeEncodedVideo } from '../../fixtures/records/store-encoded-video.ts';
import { storeUpload } from '../../fixtures/records/store-upload.ts';
import { useBucket } from '../../fixtures/use-bucket.ts';
import { useEmptyPool } from '../../fixtures/use-empty-pool.ts';
import { useLogLines } from '../../fixtures/use-log-lines.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();
useBucket();
useEmptyPool();
const logLines = useLogLines();
mockClient(LambdaClient).on(InvokeCommand).resolves({});
mockClient(SFNClient).on(StopExecutionCommand).resolves({});

const parameters = new Map<string, string>();
const ssm = mockClient(SSMClient);
ssm.on(PutParameterCommand).callsFake(({ Name, Value }) => void parameters.set(Name, Value));
ssm.on(DeleteParameterCommand).callsFake(({ Name }) => void parameters.delete(Name));
ssm.on(GetParameterCommand).callsFake(({ Name }) => ({ Parameter: { Value: parameters.get(Name) } }));

const query = {
  version: 1,
  video: [{ name: 'v720', codec: 'h264', height: 720, bitrate: '2800k' }],
  audio: [{ name: 'stereo', codec: 'aac', languages: 'all' }],
  outputs: [
    { name: 'hls', format: 'hls', segment_duration: 4 },
    { name: 'dash', format: 'dash', segment_duration: 4 },
    { name: 'file', format: 'mp4' },
  ],
  thumbnails: { poster: {}, sprite: {} },
};

let store: Awaited<ReturnType<typeof openCustomerStore>>;
let person: Awaited<ReturnType<typeof createDeliveringPerson>>;
beforeAll(async () => {
  store = await openCustomerStore();
  Object.assign(process.env, {
    PARAMETER_PREFIX: '/video-service/test',
    STORAGES_KMS_KEY: 'arn:aws:kms:key',
    ACCOUNT_ID: '123456789012',
    ALLOW_LOOPBACK_TARGETS: 'on',
    STORAGE_DELIVERIES_FUNCTION: 'continue-storage-deliveries',
  });
});
afterAll(() => store.close());
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  await clearQueue();
  person = await createDeliveringPerson(store.endpoint);
});
afterEach(() => {
  store.deviateBy(() => false);
  store.requests.length = 0;
  vi.useRealTimers();
});

const passSeconds = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000);
/** What the schedule has done. */
const everyMinute = async () => {
  for (const userUlid of await listDeliveringUsers()) await handler({ userUlid });
};
const proceed = () => handler({ userUlid: person.user.ulid });
const storeWhole = (deliver?: object[]): Promise<WholeVideo> =>
  storeEncodedVideo(person.user, { ...query, ...(deliver && { deliver }) });
const read = async ({ ulid }: Pick<StorageDelivery, 'ulid'>) => (await findStorageDelivery(ulid))!;
const usesOfStorage = async () => (await findStorage(person.user.ulid, person.storage.ulid))?.deliveries;
const eventsOf = async () =>
  (await queryRange(keys.event(person.user.ulid, '').pk, '0', 'Z', 100))
    .map(({ type, subject }) => ({ type, subject }))
    .filter(({ type }) => String(type).startsWith('delivery.'));
const ask = (whole: WholeVideo, asked: Parameters<typeof requestDelivery>[1] = {}) =>
  requestDelivery(whole, { storage: person.storage.ulid, ...asked }, person.user);
/** Keys of the customer's store below the folder of a video. */
const keysOf = async ({ video }: WholeVideo): Promise<string[]> =>
  (await store.keys())
    .filter((key) => key.startsWith(`video/${video.ulid}/`))
    .map((key) => key.slice(`video/${video.ulid}/`.length));

async function beginDelivery(asked: Parameters<typeof requestDelivery>[1] = {}) {
  const whole = await storeWhole();
  const delivery = await ask(whole, asked);
  await proceed();
  return { whole, delivery };
}

/** A file of an output that is copied in parts, and takes the place of one of its segments. */
const largeBytes = 44 * 2 ** 20;
async function beginLargeDelivery() {
  const whole = await storeWhole();
  const { sourceKey } = whole.video;
  await writeObject(sourceKey, 'x'.repeat(largeBytes), 'video/mp4');
  await write({ update: keys.video(whole.video.ulid), set: { sourceBytes: largeBytes } });
  const delivery = await ask(whole, { outputs: [], also: ['original'] });
  await proceed();
  return { whole, delivery };
}

describe('the files of a video', () => {
  test('are copied when a video is completed, as its template says', async () => {
    const whole = await storeWhole([{ storage: person.storage.ulid, also: ['poster', 'metadata'] }]);
    const [delivery] = await listStorageDeliveries(whole.video);
    expect(delivery).toMatchObject({ status: 'pending', target: { path: '{ulid}/{output}/', outputs: '*' } });
    await everyMinute();
    expect(await read(delivery!)).toMatchObject({ status: 'running', copiedFiles: 0 });
    expect(await usesOfStorage()).toBe(1);
    expect(await runNextDelivery()).toBeUndefined();
    await handler({ ulid: delivery!.ulid });
    const ended = await read(delivery!);
    expect(ended).toMatchObject({ status: 'completed', error: null, copiedFiles: ended.fileCount });
    expect(await eventsOf()).toEqual([
      { type: 'delivery.completed', subject: { kind: 'delivery', videoUlid: whole.video.ulid, ulid: ended.ulid } },
    ]);
    expect(await usesOfStorage()).toBe(0);
    const copied = await keysOf(whole);
    expect(copied).toHaveLength(ended.fileCount!);
    expect(copied).toEqual(
      expect.arrayContaining([
        'hls/master.m3u8',
        'hls/v720.m3u8',
        'dash/manifest.mpd',
        'file/video.mp4',
        'poster.jpg',
        'thumbnails/sprite.vtt',
        'metadata.json',
      ]),
    );
    passSeconds(61);
    await everyMinute();
    expect(await listDeliveringUsers()).not.toContain(person.user.ulid);
    expect(await filesLeftOf(ended)).toEqual([]);
  });

  test('have the types and cache headers that the service delivers them with', async () => {
    const { whole } = await beginDelivery();
    await runNextDelivery();
    const root = `video/${whole.video.ulid}/hls/`;
    expect(await store.read(`${root}master.m3u8`)).toMatchObject({
      contentType: 'application/vnd.apple.mpegurl',
      cacheControl: 'public, max-age=60',
    });
    const segment = (await store.keys()).find((key) => key.startsWith(root) && key.endsWith('.m4s'))!;
    expect(await store.read(segment)).toMatchObject({
      contentType: 'video/mp4',
      cacheControl: 'public, max-age=31536000, immutable',
    });
  });

  test.each(['{ulid}/{output}/', 'films/{ulid}/'])(
    'play by themselves below %s: what manifests name is copied',
    async (path) => {
      const whole = await storeWhole();
      const cue = { startMs: 1000, endMs: 2000, settings: '', text: 'a' };
      const added = { language: 'de', kind: 'captions', label: 'Deutsch', isDefault: false, origin: 'upload' } as const;
      await addCaption(whole.video, { ...added, cues: [cue] }, person.user);
      await publishCaptions(whole.video.ulid);
      await ask(whole, { path });
      await proceed();
      await runNextDelivery();
      const copied = new Set(await store.keys());
      const manifests = [...copied].filter((key) => key.includes(whole.video.ulid) && /\.(m3u8|mpd)$/.test(key));
      expect(manifests.length).toBeGreaterThan(4);
      for (const manifest of manifests) {
        const { body } = await store.read(manifest);
        const named = [...body.matchAll(/(?:URI|media|sourceURL)="([^"]+)"|<BaseURL>([^<]+)|^([^#<\s].*\.\w+)$/gm)]
          .map(([, uri, base, line]) => uri ?? base ?? line!)
          .filter((reference) => reference !== undefined);
        expect(named.length, manifest).toBeGreaterThan(0);
        for (const reference of named) {
          const { pathname } = new URL(reference, `http://h/${manifest}`);
          expect(copied.has(pathname.slice(1)), `${reference} in ${manifest}`).toBe(true);
        }
      }
      const requests = store.requests.filter((line) => line.startsWith('PUT'));
      expect(requests.at(-1)).toMatch(/master\.m3u8|manifest\.mpd/);
      // Shared files are copied once below a path without an output.
      expect(new Set(requests).size).toBe(requests.length);
    },
  );

  test('have their captions, the uploaded file and the chosen outputs', async () => {
    const whole = await storeWhole();
    await writeObject(whole.video.sourceKey, 'source', 'video/mp4');
    await write({ update: keys.video(whole.video.ulid), set: { sourceBytes: 6 } });
    const cue = { startMs: 1000, endMs: 2000, settings: '', text: 'a' };
    const added = { language: 'de', kind: 'forced', label: 'Deutsch', isDefault: false, origin: 'upload' } as const;
    await addCaption(whole.video, { ...added, cues: [cue] }, person.user);
    await ask(whole, { outputs: ['file'], also: ['captions', 'original'] });
    await proceed();
    await runNextDelivery();
    const name = whole.video.sourceKey.split('/').at(-1);
    expect((await keysOf(whole)).toSorted()).toEqual(
      ['captions/de.forced.vtt', 'file/video.mp4', `original/${name}`].toSorted(),
    );
  });

  test('are copied again into the same paths', async () => {
    const { whole } = await beginDelivery();
    await runNextDelivery();
    await proceed();
    const before = await keysOf(whole);
    const again = await requestDelivery(whole, {}, person.user);
    expect(again.target).toMatchObject({ path: '{ulid}/{output}/', outputs: '*' });
    await proceed();
    await runNextDelivery();
    await proceed();
    expect(await keysOf(whole)).toEqual(before);
    expect((await listStorageDeliveries(whole.video)).map(({ status }) => status)).toEqual(['completed', 'completed']);
  });
});

describe('an attempt', () => {
  test('continues where a worker died: a part of a large file is not sent again', async () => {
    const { delivery, whole } = await beginLargeDelivery();
    const death = new AbortController();
    const lease = (await nextLease())!;
    const parts = () => store.requests.filter((line) => line.startsWith('PUT')).length;
    store.deviateBy((request) => {
      if (request.url?.includes('partNumber=6')) death.abort(new Error('died'));
      return death.signal.aborted;
    });
    await runDelivery(lease, { signal: death.signal });
    store.deviateBy(() => false);
    expect(Object.keys((await read(delivery)).multiparts)).toEqual(['p0']);
    const known = await store.openUploads();
    expect(known).toBe(1);
    passSeconds(3600);
    expect(await expireLeases()).toBe(1);
    await proceed();
    store.requests.length = 0;
    await runNextDelivery();
    await proceed();
    expect(await read(delivery)).toMatchObject({ status: 'completed', multiparts: {} });
    expect(parts()).toBeLessThan(6);
    expect(await store.openUploads()).toBe(0);
    expect(await keysOf(whole)).toEqual([`original/${whole.video.sourceKey.split('/').at(-1)}`]);
  });

  test('that fails for a while is repeated later and later, and the sixth is the last', async () => {
    const { delivery } = await beginDelivery();
    store.deviateBy((_, response) => {
      response.destroy();
      return true;
    });
    const fails = { code: 'STORAGE_FAILED', message: 'The storage did not take the files: it is away.', fatal: false };
    for (const minutes of [1, 2, 4, 8, 16]) {
      await reportFailed({ lease: (await nextLease())!.id, ...fails });
      passSeconds(minutes * 60 - 10);
      await proceed();
      expect(await nextLease()).toBeUndefined();
      passSeconds(11);
      await proceed();
    }
    await reportFailed({ lease: (await nextLease())!.id, ...fails });
    await proceed();
    expect(await read(delivery)).toMatchObject({ status: 'failed', error: `STORAGE_FAILED: ${fails.message}` });
    expect((await eventsOf()).map(({ type }) => type)).toEqual(['delivery.failed']);
  });

  test.each([
    [403, 'AccessDenied', /may not do this in the bucket/],
    [403, 'InvalidAccessKeyId', /refuses the access key/],
    [404, 'NoSuchBucket', /no such bucket/],
    [507, 'XMinioStorageFull', /takes no more bytes/],
  ])('that the store refuses with %d %s ends the delivery with a sentence', async (status, code, sentence) => {
    const { delivery } = await beginDelivery();
    let puts = 0;
    store.deviateBy((request, response) => {
      if (request.method !== 'PUT' || ++puts < 10) return false;
      request.resume();
      response
        .writeHead(status === 507 ? 400 : status)
        .end(`<Error><Code>${code}</Code><Message>internals</Message></Error>`);
      return true;
    });
    await runNextDelivery();
    await proceed();
    const { error, status: ended, copiedFiles } = await read(delivery);
    expect(ended).toBe('failed');
    expect(error).toMatch(/^STORAGE_REFUSED: /);
    expect(error).toMatch(sentence);
    expect(error).not.toContain('internals');
    expect(copiedFiles).toBeGreaterThan(0);
    expect(await usesOfStorage()).toBe(0);
  });
});

describe('a delivery ends', () => {
  test('when its video is deleted: what was begun at the storage is aborted, and nothing remains', async () => {
    const { whole, delivery } = await beginLargeDelivery();
    const before = async (request: FileRequest) => {
      if (request.ask === 'parts') await hideVideo(whole.video, person.user);
    };
    await expect(runNextDelivery({ before })).resolves.toBeDefined();
    expect(await store.openUploads()).toBe(1);
    await everyMinute();
    expect(await findStorageDelivery(delivery.ulid)).toBeUndefined();
    expect(await store.openUploads()).toBe(0);
    expect(await usesOfStorage()).toBe(0);
    expect(await nextLease()).toBeUndefined();
    expect(await eventsOf()).toEqual([]);
  });

  test('with a sentence when the video is processed again', async () => {
    const { whole, delivery } = await beginDelivery();
    const lease = (await nextLease())!;
    await reprocessVideo(whole.video, { replan: true, probe: undefined, quota: null, properties: {} }, person.user);
    await runDelivery(lease);
    await proceed();
    expect((await read(delivery)).error).toMatch(/^VIDEO_CHANGED: The video was processed again/);
  });

  test('with the next request of its worker when the video gets another owner, who does not see it', async () => {
    const { whole, delivery } = await beginDelivery();
    const lease = (await nextLease())!;
    const { user: other } = await createPerson();
    await write({ update: keys.video(whole.video.ulid), set: { ownerUlid: other.ulid } });
    expect(await runDelivery(lease)).toMatchObject({ code: 'lease_over' });
    expect(await keysOf(whole)).toEqual([]);
    await proceed();
    expect((await read(delivery)).error).toMatch(/^VIDEO_CHANGED: The video has another owner now/);
    expect(await listStorageDeliveries({ ...whole.video, ownerUlid: other.ulid })).toEqual([]);
    expect(await listStorageDeliveries(whole.video)).toHaveLength(1);
  });

  test('with a sentence when the source of the video is replaced', async () => {
    const { whole, delivery } = await beginLargeDelivery();
    const { ulid, ownerUlid } = whole.video;
    const upload = await storeUpload({ ownerUlid, replaces: ulid });
    const before = async (request: FileRequest) => {
      if (request.ask !== 'parts') return;
      const source = { key: upload.key, bytes: 5 };
      const begun = { source, executionArn: 'arn:execution', atMilliseconds: Date.now() };
      expect(await replaceSource((await findWholeVideo(ulid))!.video, upload, begun)).toBe(true);
    };
    await runNextDelivery({ before });
    expect(await store.openUploads()).toBe(1);
    await proceed();
    expect((await read(delivery)).error).toMatch(/^VIDEO_CHANGED: The video was processed again/);
    expect(await store.openUploads()).toBe(0);
    expect(await nextLease()).toBeUndefined();
  });

  test('with a sentence when its credentials were changed meanwhile', async () => {
    const { delivery } = await beginDelivery();
    let requests = 0;
    const before = async () => {
      if (++requests === 2) {
        parameters.clear();
        await write({ update: keys.storage(person.storage.ulid), set: { secretVersion: 2 } });
      }
    };
    await write({ update: keys.storage(person.storage.ulid), set: { secretVersion: 1 } });
    store.deviateBy((request, response) => {
      if (requests < 1 || request.method !== 'PUT' || !request.url?.includes('.m4s')) return false;
      request.resume();
      response.writeHead(403).end('<Error><Code>InvalidAccessKeyId</Code></Error>');
      return true;
    });
    await runNextDelivery({ before });
    await proceed();
    expect((await read(delivery)).error).toMatch(/^STORAGE_REFUSED: The storage has no secret/);
  });

  test('with a sentence when there is nothing to copy', async () => {
    const whole = await storeWhole();
    const delivery = await ask(whole, { outputs: [], also: ['captions'] });
    await proceed();
    expect(await read(delivery)).toMatchObject({
      status: 'failed',
      error: 'FILES_MISSING: The video has none of the files to copy.',
    });
  });

  test('when its storage was deleted before it began', async () => {
    const whole = await storeWhole([{ storage: person.storage.ulid }]);
    await write({ delete: keys.storage(person.storage.ulid) });
    await proceed();
    const [delivery] = await listStorageDeliveries(whole.video);
    expect(delivery).toMatchObject({
      status: 'failed',
      error:
        'STORAGE_GONE: The owner of the video has no such storage. It was deleted, or the video has another owner now.',
    });
  });
});

test('a call that is slow to list the files changes nothing of those that another call has begun with', async () => {
  const whole = await storeWhole();
  const delivery = await ask(whole);
  const pending = await read(delivery);
  await proceed();
  const { listing, fileCount } = await read(delivery);
  const listed = async () => filesFrom({ ...delivery, listing, fileCount }, 0, 1000);
  const before = await listed();
  const cue = { startMs: 1000, endMs: 2000, settings: '', text: 'a' };
  const added = { language: 'de', kind: 'captions', label: 'Deutsch', isDefault: false, origin: 'upload' } as const;
  await addCaption(whole.video, { ...added, cues: [cue] }, person.user);
  const later = await listFiles(pending, (await findWholeVideo(whole.video.ulid))!);
  expect(later.length).toBeGreaterThan(before.length);
  const otherListing = await writeFilePages(pending, later);
  expect(otherListing).not.toBe(listing);
  expect(
    await beginStorageDelivery(pending, { planNumber: 0, listing: otherListing, fileCount: 1, totalBytes: 1 }),
  ).toBe(false);
  // A page that this process has not read before.
  vi.resetModules();
  const again = await import('../../../functions/storage-deliveries/file-pages.ts');
  expect(await again.filesFrom({ ...delivery, listing, fileCount }, 0, 1000)).toEqual(before);
  const changed = await Promise.all(
    before.map(async ({ source, bytes }) => (await readObject(source)).length !== bytes),
  );
  expect(changed).not.toContain(true);
  expect(await runNextDelivery()).toBeUndefined();
  await proceed();
  expect(await read(delivery)).toMatchObject({ status: 'completed' });
});

test.each<[string, (whole: WholeVideo) => Promise<unknown>]>([
  ['is completed', () => runNextDelivery()],
  ['fails', ({ video }) => write({ update: keys.video(video.ulid), set: { planNumber: 9 } })],
])('a call that lists the files and dies leaves none of them when the delivery %s meanwhile', async (_, end) => {
  const { whole, delivery } = await beginDelivery();
  const pending = { ...(await read(delivery)), status: 'pending' as const };
  await end(whole);
  await proceed();
  await writeFilePages(pending, await listFiles(pending, whole));
  expect(await filesLeftOf(delivery)).toEqual([]);
});

test('two deliveries of a user run at a time, the oldest first', async () => {
  const whole = await storeWhole();
  const deliveries: StorageDelivery[] = [];
  for (const path of ['a/{ulid}/', 'b/{ulid}/', 'c/{ulid}/']) {
    passSeconds(1);
    deliveries.push(await ask(whole, { path }));
  }
  await Promise.all([proceed(), proceed(), handler({ ulid: deliveries[2]!.ulid })]);
  const statuses = async () => (await Promise.all(deliveries.map(read))).map(({ status }) => status);
  expect(await statuses()).toEqual(['running', 'running', 'pending']);
  await runNextDelivery();
  await proceed();
  expect((await statuses()).toSorted()).toEqual(['completed', 'running', 'running']);
});

async function allItems(): Promise<object[]> {
  const items: object[] = [];
  for (let from: Record<string, unknown> | undefined; ; ) {
    const page = await documents.send(new ScanCommand({ TableName: 'test-table', ExclusiveStartKey: from }));
    items.push(...(page.Items ?? []));
    from = page.LastEvaluatedKey;
    if (!from) return items;
  }
}

test('nothing that a delivery stores or logs has the secret, the credentials of a session, or a signature', async () => {
  const session = {
    AccessKeyId: 'ASIASESSION',
    SecretAccessKey: 'secret-of-the-session',
    SessionToken: 'session-token',
  };
  const fields = { roleArn: 'arn:aws:iam::111122223333:role/films', externalId: 'x'.repeat(32), accessKeyId: null };
  // The role requires its external id.
  mockClient(STSClient)
    .on(AssumeRoleCommand)
    .callsFake(async ({ ExternalId }) => {
      if (ExternalId !== fields.externalId) throw Object.assign(new Error('no'), { name: 'AccessDenied' });
      return { Credentials: session };
    });
  const whole = await storeWhole();
  const ofRole = await storeStorage(person.user, store.endpoint, fields);
  const urls: string[] = [];
  for (const storageUlid of [person.storage.ulid, ofRole.ulid]) {
    await ask(whole, { storage: storageUlid });
    await proceed();
    const after = ({ files = [] }: FileResponse) => {
      urls.push(...files.flatMap(({ source, target }) => [source, target?.url ?? '']));
    };
    await runNextDelivery({ after });
    await proceed();
  }
  const sent = urls.filter((url) => url !== '').map((url) => new URL(url).searchParams);
  expect(sent.some((query) => query.get('X-Amz-Security-Token') === session.SessionToken)).toBe(true);
  const signatures = sent.map((query) => query.get('X-Amz-Signature') ?? '');
  expect(new Set(signatures).size).toBeGreaterThan(50);
  const written = [JSON.stringify(await allItems()), ...logLines().map((line) => JSON.stringify(line))];
  for (const key of (await listKeys(`plans/${whole.video.ulid}/`, '', 1000)).keys) {
    written.push(new TextDecoder().decode(await readObject(key)));
  }
  expect(written.join()).toContain(whole.video.ulid);
  const { AccessKeyId, SecretAccessKey, SessionToken } = session;
  for (const hidden of [customerKeys.secretAccessKey, AccessKeyId, SecretAccessKey, SessionToken, ...signatures]) {
    for (const form of [hidden, Buffer.from(hidden).toString('base64'), Buffer.from(hidden).toString('hex')]) {
      expect(written.filter((text) => text.includes(form))).toEqual([]);
    }
  }
});

test('a storage in a second place gets the same files', async () => {
  const whole = await storeWhole();
  const second = await storeStorage(person.user, store.endpoint, { prefix: 'second/' });
  await ask(whole, { storage: second.ulid, outputs: ['file'] });
  await proceed();
  await runNextDelivery();
  expect(await store.keys()).toContain(`second/${whole.video.ulid}/file/video.mp4`);
});
