import { gzipSync } from 'node:zlib';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { beforeEach, expect, test } from 'vitest';
import { newUlid } from '../../../functions/common/ids.ts';
import { handler } from '../../../functions/delivery/count-accesses.ts';
import { write } from '../../../functions/table/items/items.ts';
import { keys } from '../../../functions/table/items/keys.ts';
import { type DayMetrics, listAnalytics } from '../../../functions/table/statistics/analytics-table.ts';
import { analyticsShards } from '../../../functions/table/writes/analytics-writes.ts';
import { day } from '../../../shared/clock.ts';
import { accessLogPrefix } from '../../../shared/object-keys.ts';
import { useBucket } from '../../fixtures/use-bucket.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();
useBucket();

const nowMs = Date.now();
const [today, yesterday] = [day(nowMs), day(nowMs - 86_400_000)];

beforeEach(async () => {
  for (let number = 0; number < analyticsShards; number++) {
    for (const date of [today, yesterday]) await write({ delete: keys.analytics(date, { number }) });
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
