import { gunzipSync, gzipSync } from 'node:zlib';
import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { newUlid } from '../../../functions/common/ids.ts';
import { handler } from '../../../functions/delivery/count-accesses.lambda.ts';
import { queryItems, write } from '../../../functions/table/items/items.ts';
import { keys } from '../../../functions/table/items/keys.ts';
import { type DayMetrics, listAnalytics } from '../../../functions/table/statistics/analytics-table.ts';
import { analyticsShards } from '../../../functions/table/writes/analytics-writes.ts';
import { day } from '../../../shared/clock.ts';
import { accessLogPrefix, sampleKey } from '../../../shared/object-keys.ts';
import { useBucket } from '../../fixtures/use-bucket.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();
useBucket();

const nowMs = Date.now();
const [today, yesterday] = [day(nowMs), day(nowMs - 86_400_000)];

beforeEach(async () => {
  // The items of a sum, with those that conflicts of transactions added.
  for (let number = 0; number < analyticsShards; number++) {
    const items = await queryItems(keys.analytics(today, { number }).pk);
    for (const { pk, sk } of items) await write({ delete: { pk: String(pk), sk: String(sk) } });
  }
});

const line = (changes: object) =>
  JSON.stringify({
    time: new Date(nowMs).toISOString(),
    node: newUlid(),
    method: 'GET',
    path: '/videos/x/1.m4s',
    session: '',
    status: 200,
    bytes: 100,
    durationSeconds: 0.01,
    remoteAddress: '192.0.2.1',
    userAgent: '',
    ...changes,
  });

/** Stores a log as a proxy does. Returns its key. */
async function shipped(...lines: string[]): Promise<string> {
  const key = `${accessLogPrefix(newUlid())}20261121T100000.000000001Z.jsonl.gz`;
  const store = new S3Client({});
  await store.send(new PutObjectCommand({ Bucket: 'test-bucket', Key: key, Body: gzipSync(lines.join('\n')) }));
  store.destroy();
  return key;
}

const count = (key: string) => handler({ detail: { object: { key } } });

async function countedOn(date: string): Promise<Partial<DayMetrics> | undefined> {
  const { bytes, sessions } = (await listAnalytics(date, date)).get(date) ?? {};
  return { bytes: bytes ?? 0, sessions: sessions ?? 0 };
}

test('bytes and sessions are added to the sums of their day', async () => {
  const [a, b] = [newUlid(), newUlid()];
  await count(await shipped(line({ session: a, bytes: 1000 }), line({ session: a, bytes: 200 }), line({ session: b })));
  expect(await countedOn(today)).toEqual({ bytes: 1300, sessions: 2 });
});

test('a log is counted once, even if its event is delivered several times and concurrently', async () => {
  const key = await shipped(line({ session: newUlid() }), line({ session: newUlid() }));
  await Promise.all([count(key), count(key), count(key)]);
  await count(key);
  expect(await countedOn(today)).toEqual({ bytes: 200, sessions: 2 });
});

test('a session that continues in the next log or on another proxy is one session', async () => {
  const session = newUlid();
  const logs = await Promise.all([shipped(line({ session })), shipped(line({ session })), shipped(line({ session }))]);
  await Promise.all(logs.map(count));
  expect(await countedOn(today)).toEqual({ bytes: 300, sessions: 1 });
});

test('an interrupted count is completed by the next event', async () => {
  const session = newUlid();
  const key = await shipped(line({ session }));
  await write({ put: { ...keys.playback(session), kind: 'playback', countedBy: key } });
  await count(key);
  expect(await countedOn(today)).toEqual({ bytes: 100, sessions: 1 });
});

test('a session over midnight counts for the day of its start, bytes for the day of their delivery', async () => {
  const session = newUlid();
  const time = new Date(nowMs - 86_400_000).toISOString();
  await count(await shipped(line({ session, bytes: 7 }), line({ session, bytes: 5, time })));
  expect([await countedOn(yesterday), await countedOn(today)]).toEqual([
    { bytes: 5, sessions: 1 },
    { bytes: 7, sessions: 0 },
  ]);
});

test('what the service asks its edge and proxies for each minute is not counted', async () => {
  const sample = line({ session: newUlid(), path: `/${sampleKey(newUlid())}` });
  await count(await shipped(sample, line({ session: newUlid(), bytes: 3 })));
  expect(await countedOn(today)).toEqual({ bytes: 3, sessions: 1 });
});

test('refused requests, unreadable lines and lines with wrong times are not counted', async () => {
  const session = newUlid();
  const wrongClock = line({ session: newUlid(), time: '1970-01-01T00:00:00Z' });
  await count(
    await shipped(line({ status: 403 }), '{"time":', line({ session, bytes: -5 }), wrongClock, line({ session })),
  );
  expect(await countedOn(today)).toEqual({ bytes: 100, sessions: 1 });
});

test('a log without a line changes nothing', async () => {
  await count(await shipped(''));
  expect(await countedOn(today)).toEqual({ bytes: 0, sessions: 0 });
});

test('bytes of public videos are counted without a session, and those of lists do not count as one', async () => {
  await count(await shipped(line({ bytes: 3 }), line({ bytes: 4, session: 'list' })));
  expect(await countedOn(today)).toEqual({ bytes: 7, sessions: 0 });
});

describe('a log of the distribution', () => {
  const store = new S3Client({});
  afterAll(() => store.destroy());
  const Bucket = 'test-bucket';
  const [date, time] = new Date(nowMs).toISOString().split(/[T.]/) as [string, string];
  const video = '01K9Z3Q8V7N4T2M6X5C0R1B2D3';
  const signature = 'x'.repeat(43);
  const signed = (session: string) => `/s/k1.9999999999.${session}.${signature}/videos/${video}/r1/1.m4s`;

  const record = (stem: string, status: number, bytes: number, query?: string) =>
    JSON.stringify({
      ...(query !== undefined && { 'cs-uri-query': query }),
      date,
      time,
      'c-ip': '192.0.2.1',
      'cs-method': 'GET',
      'cs-uri-stem': stem,
      'sc-status': String(status),
      'sc-bytes': String(bytes),
      'time-taken': '0.012',
      'cs(User-Agent)': 'Mozilla/5.0%20(X11)',
    });

  async function delivered(...lines: string[]): Promise<string> {
    const Key = `logs/edge/AWSLogs/123456789012/CloudFront/E1.2026-11-21-10.${newUlid()}.gz`;
    await store.send(new PutObjectCommand({ Bucket, Key, Body: gzipSync(lines.join('\n')) }));
    return Key;
  }
  const keysBelow = async (Prefix: string) =>
    ((await store.send(new ListObjectsV2Command({ Bucket, Prefix }))).Contents ?? []).map(({ Key }) => Key!);

  test('is converted to that of a node without signatures, and counted once', async () => {
    const session = newUlid();
    const raw = await delivered(
      record(signed(session), 200, 1000),
      record(signed(session), 206, 200),
      record(signed('forged'), 403, 50),
      record(signed(newUlid()), 410, 50),
      record(`/p/${video}/x/master.m3u8`, 200, 30),
      record(`/p/${video}/x/none.m3u8`, 404, 50),
      record('/api/me', 200, 50),
      // What CloudFront answers by itself, before any signature is checked: http, a long URL, a failed function.
      record(`/videos/${video}/r1/1.m4s`, 301, 500),
      record(signed(newUlid()), 301, 500),
      record(signed(newUlid()), 414, 500),
      record(signed(newUlid()), 503, 500),
      'not JSON',
    );
    // The event of the original comes twice, and so does that of the converted log.
    await count(raw);
    await count(raw);
    const converted = `logs/access/edge/${raw.split('/').at(-1)}`;
    expect(await keysBelow('logs/edge/')).toEqual([]);
    expect(await keysBelow('logs/access/edge/')).toEqual([converted]);
    const { Body } = await store.send(new GetObjectCommand({ Bucket, Key: converted }));
    const text = gunzipSync(await Body!.transformToByteArray()).toString();
    expect(text).not.toContain(signature);
    expect(
      text
        .split('\n')
        .filter(Boolean)
        .map((one) => JSON.parse(one))[0],
    ).toEqual({
      time: `${date}T${time}Z`,
      node: 'edge',
      method: 'GET',
      path: `/videos/${video}/r1/1.m4s`,
      session,
      status: 200,
      bytes: 1000,
      durationSeconds: 0.012,
      remoteAddress: '192.0.2.1',
      userAgent: 'Mozilla/5.0 (X11)',
    });
    await count(converted);
    await count(converted);
    expect(await countedOn(today)).toEqual({ bytes: 1230, sessions: 1 });
  });

  test('keeps what players say of their playback, and nothing else of the query', async () => {
    const said = 'bl%3D2100%2Csid%3D%22a%2520b%22';
    const open = `/p/${video}/r1/1.m4s`;
    const raw = await delivered(
      record(signed('one'), 200, 1, `name=secret&CMCD=${said}`),
      // As CloudFront logs it where it encodes the query once more.
      record(signed('two'), 200, 1, `CMCD=${said.replaceAll('%', '%25')}`),
      record(open, 200, 1, 'CMCD=bl%3D100&CMCD=bl%3D200'),
      record(open, 200, 1, '-'),
      record(open, 200, 1, `CMCD=${'x'.repeat(2001)}`),
      record(open, 200, 1, `CMCD=nor%3D%22${signed('x').replaceAll('/', '%2F')}%22`),
      record(open, 200, 1, 'CMCD="}\n{"a":1'),
      record(open, 403, 1, `CMCD=${said}`),
    );
    await count(raw);
    const { Body } = await store.send(
      new GetObjectCommand({ Bucket, Key: `logs/access/edge/${raw.split('/').at(-1)}` }),
    );
    const text = gunzipSync(await Body!.transformToByteArray()).toString();
    const lines = text.split('\n').filter(Boolean);
    expect(lines.map((line) => JSON.parse(line).cmcd)).toEqual([
      said,
      said,
      'bl%3D100',
      ...Array.from({ length: 5 }, () => undefined),
    ]);
    expect(text).not.toMatch(new RegExp(`secret|${signature}`));
  });

  test('is deleted without another one whose name it begins', async () => {
    const raw = await delivered(record(signed(newUlid()), 200, 1));
    const other = `${raw}.gz`;
    await store.send(new PutObjectCommand({ Bucket, Key: other, Body: gzipSync('') }));
    await count(raw);
    expect(await keysBelow('logs/edge/')).toEqual([other]);
    await count(other);
    expect(await keysBelow('logs/edge/')).toEqual([]);
  });

  test('that was converted before its deletion failed is not stored again', async () => {
    const raw = await delivered(record(signed(newUlid()), 200, 1));
    const converted = `logs/access/edge/${raw.split('/').at(-1)}`;
    await store.send(new PutObjectCommand({ Bucket, Key: converted, Body: 'earlier' }));
    await count(raw);
    const { Body } = await store.send(new GetObjectCommand({ Bucket, Key: converted }));
    expect(await Body!.transformToString()).toBe('earlier');
    expect(await keysBelow('logs/edge/')).toEqual([]);
  });
});
