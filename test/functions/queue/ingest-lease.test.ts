import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, expect, test } from 'vitest';
import { Conflict, ValidationFailed } from '../../../functions/common/errors.ts';
import { newUlid } from '../../../functions/common/ids.ts';
import { continueUser } from '../../../functions/ingests/continue-user.ts';
import { removeIngest } from '../../../functions/ingests/remove-ingest.ts';
import { expireEarlierEpochs } from '../../../functions/queue/expire-leases.ts';
import { handleFileRequest } from '../../../functions/queue/lease-files.ts';
import { leaseNext } from '../../../functions/queue/lease-next.ts';
import { reportRunning } from '../../../functions/queue/report.ts';
import { findAnyIngest } from '../../../functions/table/ingests/ingest-table.ts';
import { ingestJobId } from '../../../functions/table/job-id.ts';
import { findJob } from '../../../functions/table/jobs/job-table.ts';
import type { Upload } from '../../../functions/table/records.ts';
import type { FileRequest, FileResponse, IngestSpec, Lease } from '../../../shared/protocol/jobs.ts';
import {
  createIngestingPerson,
  ingestUrl,
  newWorker,
  nextLease,
  putPart,
} from '../../fixtures/records/ingesting-person.ts';
import { clearQueue, queueProbe } from '../../fixtures/records/queue-probe.ts';
import { useBucket } from '../../fixtures/use-bucket.ts';
import { useEmptyPool } from '../../fixtures/use-empty-pool.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();
useBucket();
useEmptyPool();
mockClient(LambdaClient).on(InvokeCommand).resolves({});

let upload: Upload;
let lease: Lease;
beforeEach(async () => {
  await clearQueue();
  const { user, begin } = await createIngestingPerson();
  upload = await begin();
  await continueUser(user.ulid);
  lease = (await nextLease())!;
});

type Question = FileRequest extends infer One ? (One extends FileRequest ? Omit<One, 'lease'> : never) : never;
const ask = (question: Question, of = lease.id): Promise<FileResponse> =>
  handleFileRequest({ ...question, lease: of } as FileRequest, { node: 'pool' });
const numbers = (first: number, count: number) => Array.from({ length: count }, (_, index) => String(first + index));
const source = { ask: 'source', sizeBytes: 40 * 2 ** 20, validator: '"1"' } as const;

test('a lease has the URL, the size of parts, and URLs of the first 32 parts of the upload', () => {
  expect(lease).toMatchObject({ kind: 'ingest', inputs: {} });
  expect(lease.spec).toEqual({
    kind: 'ingest',
    url: ingestUrl,
    partBytes: 16 * 2 ** 20,
    maxBytes: 5 * 2 ** 40,
    source: null,
    storedParts: [],
    allowLoopback: false,
  });
  expect(Object.keys(lease.outputs)).toEqual(numbers(1, 32));
  for (const [number, text] of Object.entries(lease.outputs)) {
    const { pathname, searchParams } = new URL(text);
    expect(pathname).toBe(`/test-bucket/${upload.key}`);
    expect(searchParams.get('partNumber')).toBe(number);
    expect(searchParams.get('uploadId')).toBe(upload.s3UploadId);
  }
});

test('a worker gets URLs of 32 further parts at a time, up to the last one', async () => {
  expect(Object.keys((await ask({ ask: 'outputs', from: '33' })).urls!)).toEqual(numbers(33, 32));
  expect(Object.keys((await ask({ ask: 'outputs', from: '9990' })).urls!)).toEqual(numbers(9990, 11));
});

test.each<Question>([
  { ask: 'outputs', from: '0' },
  { ask: 'outputs', from: '10001' },
  { ask: 'outputs', from: '1.5' },
  { ask: 'outputs', from: 'init.mp4' },
  { ask: 'inputs', from: 'source' },
  { ask: 'open', file: 'film.mp4' },
  { ask: 'parts', file: 'film.mp4', s3UploadId: 'x', from: 1, count: 1 },
  { ask: 'close', file: 'film.mp4', s3UploadId: 'x', parts: [{ number: 1, etag: 'x' }] },
  { ask: 'abort', file: 'film.mp4', s3UploadId: 'x' },
])('a worker gets no answer to %j', async (question) => {
  await expect(ask(question)).rejects.toThrow(ValidationFailed);
});

test('a lease that was not granted, and one whose ingest was deleted, get no URLs', async () => {
  const question = { ask: 'outputs', from: '1' } as const;
  const [, ...rest] = lease.id.split('.');
  await expect(ask(question, [newUlid(), ...rest].join('.'))).rejects.toThrow(Conflict);
  await expect(ask(question, `${lease.id}_`)).rejects.toThrow(Conflict);
  expect(await reportRunning(newWorker(), { lease: lease.id, progress: 0 })).toBe(true);
  await removeIngest((await findAnyIngest(upload.ulid))!);
  await expect(ask(question)).rejects.toThrow(Conflict);
  expect(await reportRunning(newWorker(), { lease: lease.id, progress: 0 })).toBe(false);
});

test('what the first attempt has found at the URL is kept, and the ingest is being fetched', async () => {
  expect((await findAnyIngest(upload.ulid))?.status).toBe('fetching');
  expect(await ask(source)).toEqual({});
  expect(await ask({ ...source, sizeBytes: 1, validator: '"2"' })).toEqual({});
  expect((await findAnyIngest(upload.ulid))?.source).toEqual({ sizeBytes: source.sizeBytes, validator: '"1"' });
});

test.each<[string, string | null]>([
  ['continues with the stored parts', '"1"'],
  ['begins again when the server has told no version of the file', null],
])('the next attempt %s', async (_, validator) => {
  await ask({ ...source, validator });
  const parts = [await putPart(lease, 1, 10), await putPart(lease, 3, 20)];
  // The worker was restarted.
  const job = (await findJob(ingestJobId(upload.ulid)))!;
  await expireEarlierEpochs({ node: 'pool', worker: job.worker!, epoch: 'next' });
  await continueUser(upload.ownerUlid);
  const next = (await nextLease())!;
  const stored = parts.map(({ number, etag }) => ({ number, etag, bytes: number === 1 ? 10 : 20 }));
  expect(next.spec as IngestSpec).toMatchObject({
    source: { sizeBytes: source.sizeBytes, validator },
    storedParts: validator === null ? [] : stored,
  });
  expect(Object.keys(next.outputs)).toEqual(validator === null ? numbers(1, 32) : ['2', ...numbers(4, 31)]);
});

test('a worker that encodes never gets an ingest, and ingests have an order of their own', async () => {
  const [first, second] = [await createIngestingPerson(), await createIngestingPerson()];
  const later = await second.begin();
  await continueUser(second.user.ulid);
  const last = await first.begin();
  await continueUser(first.user.ulid);
  const probe = await queueProbe(first.user);
  const encoding = { node: 'pool', worker: 'encodes', epoch: 'e' };
  expect((await leaseNext(encoding))?.id).toContain(probe.videoUlid);
  expect(await leaseNext(encoding)).toBeUndefined();
  const [one, two] = [await nextLease(), await nextLease()];
  expect([one, two].map((given) => given?.id.split('.')[0])).toEqual([later.ulid, last.ulid]);
  await queueProbe(second.user);
  expect(await nextLease()).toBeUndefined();
});
