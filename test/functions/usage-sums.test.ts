import { HeadObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { SFNClient } from '@aws-sdk/client-sfn';
import { mockClient } from 'aws-sdk-client-mock';
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { handler as usage } from '../../functions/api/usage.lambda.ts';
import { handler as createVideo } from '../../functions/pipeline/create-video.lambda.ts';
import { leaseNext } from '../../functions/queue/lease-next.ts';
import { reportDone } from '../../functions/queue/report.ts';
import { queueJob } from '../../functions/table/jobs/queued-jobs.ts';
import type { Upload } from '../../functions/table/records.ts';
import { callHandler } from '../fixtures/call-handler.ts';
import { createPerson } from '../fixtures/create-person.ts';
import { storeUpload } from '../fixtures/records/store-upload.ts';
import { useTable } from '../fixtures/use-table.ts';

/**
 * The usage of users compared with a sum in memory. Events are delivered several times, in any order and concurrently.
 */
useTable();

const store = mockClient(S3Client);
const states = mockClient(SFNClient);
const days = ['2026-11-20T23:59:59.999Z', '2026-11-21T00:00:00.000Z'] as const;
const externalIds = [null, 'crm-1', '🎬'] as const;

beforeAll(() => {
  states.resolves({});
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterAll(() => {
  vi.useRealTimers();
  store.restore();
  states.restore();
});

type Source = { bytes: number; externalUserId: string | null; cpuSeconds: number };
type Sums = Record<string, number>;

const source: fc.Arbitrary<Source> = fc.record({
  bytes: fc.integer({ min: 1, max: 5 * 2 ** 40 }),
  externalUserId: fc.constantFrom(...externalIds),
  cpuSeconds: fc.integer({ min: 0, max: 10_000_000 }).map((milliseconds) => milliseconds / 1000),
});

const sources = fc.array(source, { minLength: 1, maxLength: 4 });

/** The sources of each batch of events, with repetitions. */
const batches = fc.array(fc.array(fc.nat(3), { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 3 });

/** Delivers the events in batches, each one concurrently, and then those of sources without a result. */
async function inBatches(all: number[][], count: number, hear: (position: number) => Promise<void>): Promise<number[]> {
  const dayOf: number[] = [];
  const every = Array.from({ length: count }, (_, position) => position);
  for (const [index, batch] of [...all, every].entries()) {
    const day = Math.min(index, 1);
    vi.setSystemTime(Date.parse(days[day]!));
    for (const position of batch) dayOf[position % count] ??= day;
    await Promise.all(batch.map((position) => hear(position % count)));
  }
  return dayOf;
}

async function uploaded(ownerUlid: string, { bytes, externalUserId }: Source): Promise<Upload> {
  const upload = await storeUpload({ ownerUlid, externalUserId });
  store.on(HeadObjectCommand, { Key: upload.key }).resolves({ ContentLength: bytes });
  return upload;
}

let executions = 0;
const storeEvent = async ({ key }: Upload): Promise<void> => {
  await createVideo({ event: { detail: { object: { key } } }, executionArn: `arn:execution:${++executions}` });
};

async function leased({ ulid, ownerUlid }: Upload): Promise<string> {
  await queueJob(
    { videoUlid: ulid, planNumber: 0, kind: 'probe', group: 0, index: 0 },
    { taskToken: ulid, estimateSeconds: 1, workUnits: 1, ownerUlid, virtualTimeSeconds: 0 },
  );
  return (await leaseNext(caller))!.id;
}

const caller = { node: 'pool', worker: 'w1', epoch: 'e1' };
const resultOf = ({ bytes, cpuSeconds }: Source) => ({
  formatName: 'mov,mp4',
  sizeBytes: bytes,
  durationSeconds: 2,
  video: null,
  audio: [],
  meta: {},
  cpuSeconds,
});

async function told(token: string, metric: string): Promise<Sums> {
  const { json } = await callHandler(usage, `GET /api/usage?from=2026-11-20&to=2026-11-21&metric=${metric}`, { token });
  return Object.fromEntries(
    json.data.map((row: { date: string; external_user_id: string | null; value: number }) => [
      `${row.date} ${row.external_user_id}`,
      row.value,
    ]),
  );
}

function summed(list: Source[], dayOf: number[], amount: (one: Source) => number): Sums {
  const sums: Sums = {};
  for (const [position, one] of list.entries()) {
    const name = `${days[dayOf[position]!]!.slice(0, 10)} ${one.externalUserId}`;
    sums[name] = (sums[name] ?? 0) + amount(one);
  }
  return sums;
}

test('bytes and CPU time are counted once for each source and day, in any order and number of events', async () => {
  await fc.assert(
    fc.asyncProperty(sources, batches, batches, async (list, events, reports) => {
      vi.setSystemTime(Date.parse(days[0]));
      store.reset();
      const { user, token } = await createPerson();
      const uploads: Upload[] = [];
      for (const one of list) uploads.push(await uploaded(user.ulid, one));
      const bytesOn = await inBatches(events, list.length, (position) => storeEvent(uploads[position]!));
      expect(await told(token, 'upload_bytes')).toEqual(summed(list, bytesOn, ({ bytes }) => bytes));

      vi.setSystemTime(Date.parse(days[0]));
      const leases: string[] = [];
      for (const upload of uploads) leases.push(await leased(upload));
      const cpuOn = await inBatches(reports, list.length, async (position) => {
        await reportDone(caller, { lease: leases[position]!, result: resultOf(list[position]!) });
      });
      const milliseconds = summed(list, cpuOn, ({ cpuSeconds }) => Math.round(cpuSeconds * 1000));
      const seconds = Object.entries(milliseconds)
        .map(([name, sum]) => [name, Math.round(sum / 1000)] as const)
        .filter(([, sum]) => sum > 0);
      expect(await told(token, 'encoding_cpu')).toEqual(Object.fromEntries(seconds));
    }),
    { numRuns: 6, seed: 20261121 },
  );
});
