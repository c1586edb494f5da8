import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { mockClient } from 'aws-sdk-client-mock';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { handler as usersApi } from '../../../functions/api/users.lambda.ts';
import { objectHead } from '../../../functions/aws/object-store.ts';
import { documents } from '../../../functions/aws/table-client.ts';
import { listParts } from '../../../functions/aws/upload-store.ts';
import { Conflict, QuotaExceeded, ValidationFailed } from '../../../functions/common/errors.ts';
import { newUlid } from '../../../functions/common/ids.ts';
import { log } from '../../../functions/common/log.ts';
import { handler } from '../../../functions/ingests/continue-ingests.lambda.ts';
import { removeIngest } from '../../../functions/ingests/remove-ingest.ts';
import { expireLeases } from '../../../functions/queue/expire-leases.ts';
import { handleFileRequest } from '../../../functions/queue/lease-files.ts';
import { reportDone } from '../../../functions/queue/report.ts';
import { reportFailed } from '../../../functions/queue/report-failure.ts';
import { handler as reap } from '../../../functions/schedule/reap.lambda.ts';
import { findSlots, listIngestingUsers } from '../../../functions/table/ingests/ingest-slots.ts';
import { findAnyIngest } from '../../../functions/table/ingests/ingest-table.ts';
import { getItem, write } from '../../../functions/table/items/items.ts';
import { keys } from '../../../functions/table/items/keys.ts';
import { queryRange } from '../../../functions/table/items/ranges.ts';
import { ingestJobId } from '../../../functions/table/job-id.ts';
import { findJob } from '../../../functions/table/jobs/job-table.ts';
import { remainingUploadBytes } from '../../../functions/table/quotas/reserve.ts';
import type { Upload, User } from '../../../functions/table/records.ts';
import { findAnyUpload } from '../../../functions/table/uploads/upload-table.ts';
import { openUpload } from '../../../functions/uploads/upload-lifecycle.ts';
import type { IngestSpec, Lease } from '../../../shared/protocol/jobs.ts';
import { callHandler } from '../../fixtures/call-handler.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import {
  createIngestingPerson,
  ingestUrl,
  newWorker,
  nextLease,
  putPart,
} from '../../fixtures/records/ingesting-person.ts';
import { clearQueue } from '../../fixtures/records/queue-probe.ts';
import { useBucket } from '../../fixtures/use-bucket.ts';
import { useEmptyPool } from '../../fixtures/use-empty-pool.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();
useBucket();
useEmptyPool();
const functions = mockClient(LambdaClient);
functions.on(InvokeCommand).resolves({});
const called = () => functions.commandCalls(InvokeCommand).map(({ args: [{ input }] }) => String(input.Payload));

const passSeconds = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000);
let person: Awaited<ReturnType<typeof createIngestingPerson>>;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  await clearQueue();
  person = await createIngestingPerson();
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const userUlid = () => person.user.ulid;
const proceed = () => handler({ userUlid: userUlid() });
const statusOf = async ({ ulid }: Upload) => (await findAnyIngest(ulid))?.status;
const jobOf = ({ ulid }: Upload) => findJob(ingestJobId(ulid));
const openUploads = async () =>
  (await getItem(z.object({ openUploads: z.number() }), keys.userCounts(userUlid())))?.openUploads;
const setQuota = (uploadBytesPerMonth: number) => {
  const quota: User['quota'] = { uploadBytesPerMonth, encodingCpuSecondsPerMonth: null };
  person.user.quota = quota;
  return write({ update: keys.user(userUlid()), set: { quota } });
};
const eventsOf = async () =>
  (await queryRange(keys.event(userUlid(), '').pk, '0', 'Z', 100)).map(({ type, subject }) => ({ type, subject }));

/** Begins an ingest whose file a worker fetches. */
async function beginFetching(): Promise<{ upload: Upload; lease: Lease }> {
  const upload = await person.begin();
  await proceed();
  return { upload, lease: (await nextLease())! };
}

const unreachable = { code: 'INPUT_UNREACHABLE', message: 'The server did not send the file.', fatal: false } as const;

/** Reports a file of one part. */
async function finish(lease: Lease, bytes = 10): Promise<void> {
  const parts = [await putPart(lease, 1, bytes)];
  await handleFileRequest({ ask: 'source', lease: lease.id, sizeBytes: bytes, validator: '"1"' }, { node: 'pool' });
  await reportDone(newWorker(), { lease: lease.id, result: { sizeBytes: bytes, parts, cpuSeconds: 0 } });
}

describe('the ingests of a user', () => {
  test('run one after the other, the oldest first', async () => {
    const uploads = [await person.begin(), await person.begin(), await person.begin()];
    await Promise.all([proceed(), proceed(), handler({ ulid: uploads[2]!.ulid })]);
    expect(await findSlots(userUlid())).toEqual([uploads[0]!.ulid]);
    expect((await Promise.all(uploads.map(jobOf))).map((job) => job?.status)).toEqual(['QUEUED', undefined, undefined]);
    const lease = (await nextLease())!;
    expect(await nextLease()).toBeUndefined();
    await finish(lease);
    await proceed();
    expect(await findSlots(userUlid())).toEqual([uploads[1]!.ulid]);
    expect((await nextLease())?.id).toContain(uploads[1]!.ulid);
  });

  test('run beside each other up to the setting, and beside those of other users', async () => {
    vi.stubEnv('MAX_RUNNING_INGESTS', '2');
    for (let n = 0; n < 3; n++) await person.begin();
    await proceed();
    expect(await findSlots(userUlid())).toHaveLength(2);
    const other = await createIngestingPerson();
    await other.begin();
    await handler({ userUlid: other.user.ulid });
    expect(await findSlots(other.user.ulid)).toHaveLength(1);
  });

  test('are continued by the schedule when calls were lost, until none is open', async () => {
    const upload = await person.begin();
    functions.resetHistory();
    await reap();
    // A call for each user: none waits for the servers of another.
    expect(called()).toContain(JSON.stringify({ userUlid: userUlid() }));
    await proceed();
    expect(await jobOf(upload)).toMatchObject({ status: 'QUEUED' });
    await removeIngest((await findAnyIngest(upload.ulid))!);
    await proceed();
    // The index may not list a new ingest yet.
    expect(await listIngestingUsers()).toContain(userUlid());
    passSeconds(61);
    await proceed();
    expect(await listIngestingUsers()).not.toContain(userUlid());
  });
});

describe('an attempt that fails', () => {
  test('is repeated after a minute, and the fifth is the last', async () => {
    const { upload, lease } = await beginFetching();
    let current = lease;
    for (let attempt = 1; attempt < 5; attempt++) {
      await reportFailed({ lease: current.id, ...unreachable });
      await proceed();
      expect(await jobOf(upload)).toMatchObject({ status: 'FAILED', attempt });
      passSeconds(61);
      await proceed();
      current = (await nextLease())!;
    }
    expect(await statusOf(upload)).toBe('fetching');
    expect(await eventsOf()).toEqual([]);
    await reportFailed({ lease: current.id, ...unreachable });
    await proceed();
    expect(await findAnyIngest(upload.ulid)).toMatchObject({
      status: 'failed',
      error: 'INPUT_UNREACHABLE: The server did not send the file.',
    });
    expect(await eventsOf()).toEqual([{ type: 'ingest.failed', subject: { kind: 'ingest', ulid: upload.ulid } }]);
  });

  test('ends the ingest at once when it is fatal: nothing of it remains but its record, without the URL', async () => {
    const { upload, lease } = await beginFetching();
    await putPart(lease, 1, 10);
    const next = await person.begin();
    expect(await openUploads()).toBe(2);
    await reportFailed({ lease: lease.id, ...unreachable, fatal: true });
    await Promise.all([proceed(), proceed()]);
    const ingest = await findAnyIngest(upload.ulid);
    expect(ingest).toMatchObject({ status: 'failed', shownUrl: 'https://media.example.com/film.mp4' });
    expect(JSON.stringify(ingest)).not.toContain('secret');
    expect(await findAnyUpload(upload.ulid)).toMatchObject({ status: 'aborted' });
    expect(await listParts(upload)).toBeUndefined();
    expect(await jobOf(upload)).toBeUndefined();
    expect(await openUploads()).toBe(1);
    expect(await eventsOf()).toHaveLength(1);
    await proceed();
    expect(await findSlots(userUlid())).toEqual([next.ulid]);
  });

  test('has its event in the transaction that ends the ingest', async () => {
    const { upload, lease } = await beginFetching();
    await reportFailed({ lease: lease.id, ...unreachable, fatal: true });
    const sent = vi.spyOn(documents, 'send');
    await proceed();
    const transactions = sent.mock.calls
      .map(([command]) => JSON.stringify(command.input))
      .filter((text) => text.includes('ingest.failed'));
    expect(transactions).toHaveLength(1);
    expect(transactions[0]).toContain('TransactItems');
    expect(transactions[0]).toContain(`"pk":"UPLOAD#${upload.ulid}","sk":"INGEST"`);
  });

  test('does not show errors of the service', async () => {
    const { upload, lease } = await beginFetching();
    const message = 'connect ECONNREFUSED 10.0.0.7';
    await reportFailed({ lease: lease.id, code: 'INTERNAL', message, fatal: true });
    await proceed();
    expect((await findAnyIngest(upload.ulid))?.error).toBe(
      'INTERNAL: The service failed to fetch the file. Ingest it again.',
    );
  });

  test('because its worker was lost is repeated at once', async () => {
    vi.spyOn(log, 'warn').mockImplementation(() => {});
    const { upload } = await beginFetching();
    passSeconds(3600);
    expect(await expireLeases()).toBeGreaterThan(0);
    expect(await jobOf(upload)).toMatchObject({ status: 'FAILED', error: { code: 'WORKER_STOPPED' } });
    await proceed();
    expect(await jobOf(upload)).toMatchObject({ status: 'QUEUED', attempt: 1 });
  });
});

describe('a fetched file', () => {
  test('is joined once by calls at the same time, and reported twice', async () => {
    const { upload, lease } = await beginFetching();
    await finish(lease);
    const done = await jobOf(upload);
    expect(done?.status).toBe('DONE');
    await reportDone(newWorker(), { lease: lease.id, result: { sizeBytes: 10, parts: [], cpuSeconds: 0 } });
    await Promise.all([proceed(), proceed(), handler({ ulid: upload.ulid })]);
    await proceed();
    expect(await findAnyUpload(upload.ulid)).toMatchObject({ status: 'completing' });
    expect((await objectHead(upload.key))?.bytes).toBe(10);
    expect(await findSlots(userUlid())).toEqual([]);
    expect(await findAnyIngest(upload.ulid)).toMatchObject({ status: 'fetching', error: null });
    await expect(removeIngest((await findAnyIngest(upload.ulid))!)).rejects.toThrow(Conflict);
  });

  test('has only the parts that its worker lists', async () => {
    const { upload, lease } = await beginFetching();
    await putPart(lease, 2, 7);
    await finish(lease);
    await proceed();
    expect((await objectHead(upload.key))?.bytes).toBe(10);
  });

  test('whose parts are not those of the worker fails the ingest', async () => {
    vi.spyOn(log, 'warn').mockImplementation(() => {});
    const { upload, lease } = await beginFetching();
    await putPart(lease, 1, 10);
    const parts = [{ number: 1, etag: '"00000000000000000000000000000000"' }];
    await reportDone(newWorker(), { lease: lease.id, result: { sizeBytes: 10, parts, cpuSeconds: 0 } });
    await proceed();
    expect((await findAnyIngest(upload.ulid))?.error).toMatch(/^STORE_FAILED: /);
    expect(await objectHead(upload.key)).toBeUndefined();
  });
});

describe('while its file is fetched', () => {
  test('a deleted ingest stops, its parts are deleted, and the next one begins', async () => {
    const { upload, lease } = await beginFetching();
    const next = await person.begin();
    await putPart(lease, 1, 10);
    await removeIngest((await findAnyIngest(upload.ulid))!);
    await proceed();
    expect(await findAnyIngest(upload.ulid)).toBeUndefined();
    expect(await listParts(upload)).toBeUndefined();
    expect(await findSlots(userUlid())).toEqual([next.ulid]);
    const result = { sizeBytes: 10, parts: [{ number: 1, etag: '"x"' }], cpuSeconds: 0 };
    expect(await reportDone(newWorker(), { lease: lease.id, result })).toBeUndefined();
    expect(await eventsOf()).toEqual([]);
  });

  test('an ingest whose owner is deleted ends, and its URL is deleted', async () => {
    const { upload, lease } = await beginFetching();
    await putPart(lease, 1, 10);
    const { token } = await createPerson({ isAdmin: true });
    const { status } = await callHandler(usersApi, `DELETE /api/users/${userUlid()}`, { token });
    expect(status).toBe(204);
    await proceed();
    expect(await findAnyIngest(upload.ulid)).toBeUndefined();
    expect(await listParts(upload)).toBeUndefined();
    expect(await findSlots(userUlid())).toEqual([]);
    const question = { ask: 'outputs', lease: lease.id, from: '1' } as const;
    await expect(handleFileRequest(question, { node: 'pool' })).rejects.toThrow(Conflict);
  });
});

describe('the quota', () => {
  test('limits the file to what is left of it', async () => {
    await setQuota(1000);
    const { lease } = await beginFetching();
    expect((lease.spec as IngestSpec).maxBytes).toBe(1000);
  });

  test('fails an ingest when it is used up before the file is fetched', async () => {
    const upload = await person.begin();
    await setQuota(0);
    await proceed();
    expect((await findAnyIngest(upload.ulid))?.error).toMatch(/^QUOTA_EXCEEDED: /);
    expect(await eventsOf()).toHaveLength(1);
    await expect(person.begin()).rejects.toThrow(QuotaExceeded);
  });

  test('holds the size of a file once it is known, until the ingest has ended', async () => {
    vi.stubEnv('MAX_RUNNING_INGESTS', '2');
    await setQuota(1000);
    const [first, second] = [await beginFetching(), await beginFetching()];
    const describe = ({ lease }: { lease: Lease }) =>
      handleFileRequest({ ask: 'source', lease: lease.id, sizeBytes: 600, validator: '"1"' }, { node: 'pool' });
    expect(await describe(first)).toEqual({});
    expect(await describe(first)).toEqual({});
    expect(await remainingUploadBytes(person.user)).toBe(400);
    expect(await remainingUploadBytes(person.user, first.upload.ulid)).toBe(1000);
    const { quotaExceeded } = await describe(second);
    expect(quotaExceeded).toMatch(/^The quota of 1000 uploaded bytes a month does not allow this/);
    const failure = { code: 'QUOTA_EXCEEDED', message: quotaExceeded!, fatal: true } as const;
    await reportFailed({ lease: second.lease.id, ...failure });
    await proceed();
    expect((await findAnyIngest(second.upload.ulid))?.error).toBe(`QUOTA_EXCEEDED: ${quotaExceeded}`);
    await removeIngest((await findAnyIngest(first.upload.ulid))!);
    expect(await remainingUploadBytes(person.user)).toBe(1000);
  });

  test('fails an ingest whose file is larger than what is left of it', async () => {
    const { upload, lease } = await beginFetching();
    await finish(lease);
    await setQuota(9);
    await proceed();
    expect((await findAnyIngest(upload.ulid))?.error).toMatch(/^QUOTA_EXCEEDED: /);
    expect(await objectHead(upload.key)).toBeUndefined();
  });
});

test('an ingest counts as an open upload, also for the template, and none is created over the limit', async () => {
  await person.begin();
  await write({ update: keys.userCounts(userUlid()), set: { openUploads: 100 } });
  await expect(person.begin()).rejects.toThrow(ValidationFailed);
  expect(await listIngestingUsers()).toContain(userUlid());
});

test("an ingest with another user's template, or none, is refused", async () => {
  const foreign = (await createIngestingPerson()).template.ulid;
  for (const template of [foreign, newUlid()]) {
    const metadata = { template, externalUserId: null, externalResourceId: null };
    const request = { filename: 'film.mp4', url: ingestUrl, metadata };
    await expect(openUpload(person.user, 'multipart', request)).rejects.toThrow(ValidationFailed);
  }
  expect(await listIngestingUsers()).not.toContain(userUlid());
});
