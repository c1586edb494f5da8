import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { documents } from '../../../../functions/aws/table-client.ts';
import { newUlid } from '../../../../functions/common/ids.ts';
import { queryItems, transact } from '../../../../functions/table/items/items.ts';
import { pickShard, sparesPerShard } from '../../../../functions/table/items/sums.ts';
import { listAnalytics } from '../../../../functions/table/statistics/analytics-table.ts';
import { readMonthUsage } from '../../../../functions/table/statistics/month-usage.ts';
import { listUsage } from '../../../../functions/table/statistics/usage-table.ts';
import { analyticsShards, analyticsWrites } from '../../../../functions/table/writes/analytics-writes.ts';
import { usageShards, usageWrites } from '../../../../functions/table/writes/usage-writes.ts';
import { useTable } from '../../../fixtures/use-table.ts';

useTable();

const date = '2026-11-22';
const atMilliseconds = Date.parse(`${date}T12:00:00Z`);
let userUlid: string;
beforeEach(() => {
  userUlid = newUlid();
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const usage = (metric: 'upload_bytes' | 'encoding_cpu', externalUserId: string | null = null) =>
  usageWrites({ userUlid, metric, externalUserId, amount: 10, atMilliseconds });

test('the sum of a day is kept in several partitions, and additions at the same time add up', async () => {
  await Promise.all(Array.from({ length: 60 }, () => transact(analyticsWrites(date, { cpuMs: 2, completed: 1 }))));
  expect((await listAnalytics(date, date)).get(date)).toEqual({
    bytes: 0,
    sessions: 0,
    views: 0,
    watchedMs: 0,
    failed: 0,
    completed: 60,
    cpuMs: 120,
  });
  const used = await Promise.all(Array.from({ length: analyticsShards }, (_, n) => queryItems(`ANALYTICS#${n}`)));
  expect(used.filter((items) => items.length > 0).length).toBeGreaterThan(4);
});

test('the sums of a user are one row for each metric and external user', async () => {
  await Promise.all(Array.from({ length: 20 }, () => transact([...usage('encoding_cpu'), ...usage('upload_bytes')])));
  await transact(usage('encoding_cpu', 'a'));
  await transact(usage('encoding_cpu', 'a#1'));
  const rows = (await listUsage(userUlid, date, date)).map((row) => [row.metric, row.externalUserId, row.value]);
  expect(rows.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))).toEqual([
    ['encoding_cpu', 'a', 10],
    ['encoding_cpu', 'a#1', 10],
    ['encoding_cpu', null, 200],
    ['upload_bytes', null, 200],
  ]);
});

test('the sums of a user are kept in several partitions, which readers add up', async () => {
  await Promise.all(Array.from({ length: 40 }, () => transact(usage('encoding_cpu'))));
  await transact(usage('upload_bytes'));
  for (const sums of ['DAY', 'MONTH']) {
    const names = Array.from({ length: usageShards }, (_, number) => `USAGE#${userUlid}#${sums}#${number}`);
    const used = await Promise.all(names.map((pk) => queryItems(pk)));
    expect(used.filter((items) => items.length > 0).length, sums).toBeGreaterThan(3);
  }
  const rows = (await listUsage(userUlid, date, date)).map(({ metric, value }) => [metric, value]);
  expect(Object.fromEntries(rows)).toEqual({ encoding_cpu: 400, upload_bytes: 10 });
  vi.useFakeTimers({ toFake: ['Date'], now: atMilliseconds });
  expect(await readMonthUsage(userUlid)).toEqual({ uploadBytes: 10, cpuMilliseconds: 400 });
});

type Sent = { TransactItems?: { Update?: { Key?: { pk: string; sk: string } } }[] };

test.each(['TransactionConflict', 'ThrottlingError'])(
  'a transaction is not held up by a sum with %s: the next attempt adds to a spare item',
  async (Code) => {
    const keysOf = ({ TransactItems = [] }: Sent) => TransactItems.map(({ Update }) => Update?.Key?.sk ?? '');
    const attempts: string[][] = [];
    const send = documents.send.bind(documents) as (command: unknown) => Promise<unknown>;
    vi.spyOn(documents, 'send').mockImplementation(((command: { input: Sent }) => {
      if (!(command instanceof TransactWriteCommand)) return send(command);
      attempts.push(keysOf(command.input as Sent));
      // The shared items of the sum are always in another transaction.
      if (attempts.at(-1)![1]!.length > `${date}#upload_bytes##`.length) return send(command);
      const reasons = [{ Code: 'None' }, { Code }];
      throw new TransactionCanceledException({ message: 'c', CancellationReasons: reasons, $metadata: {} });
    }) as never);
    const other = { update: { pk: `USER#${userUlid}`, sk: 'COUNTS' }, add: { videos: 1 } };
    await transact([other, ...usage('upload_bytes')]);
    expect(attempts).toHaveLength(2);
    expect(attempts.map(([first]) => first)).toEqual(['COUNTS', 'COUNTS']);
    vi.restoreAllMocks();
    await transact(usage('upload_bytes'));
    expect((await listUsage(userUlid, date, date)).map(({ value }) => value)).toEqual([20]);
  },
);

test('however many transactions meet, a sum has a limited number of items', () => {
  const { sum } = usage('encoding_cpu').find((one) => 'sum' in one)!;
  const picked = Array.from({ length: 10_000 }, () => JSON.stringify(sum.keyOf(pickShard(sum, true))));
  const spares = usageShards * sparesPerShard;
  expect(new Set(picked).size).toBeLessThanOrEqual(spares);
  expect(new Set(picked).size).toBeGreaterThan(spares / 2);
  expect(picked).not.toContain(JSON.stringify(sum.keyOf({ number: 0 })));
});
