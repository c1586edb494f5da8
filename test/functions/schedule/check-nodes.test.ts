import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newUlid } from '../../../functions/common/ids.ts';
import { handler } from '../../../functions/schedule/check-nodes.ts';
import { getItem, write } from '../../../functions/table/items/items.ts';
import { keys } from '../../../functions/table/items/keys.ts';
import { findJob, leaseJob, queueJob } from '../../../functions/table/jobs/job-table.ts';
import { findNode, type Node, nodeRecord, touchNode } from '../../../functions/table/nodes/node-table.ts';
import { now, timestamp } from '../../../shared/clock.ts';
import { storedNode } from '../../fixtures/nodes.ts';
import { useTable } from '../../fixtures/table.ts';

useTable();

const lambda = mockClient(LambdaClient);
const ordered = () => lambda.commandCalls(InvokeCommand).map(({ args }) => JSON.parse(String(args[0].input.Payload)));

/** What stands for a proxy, and what it answers. */
let server: Server;
let status = 200;
const asked: string[] = [];
const address = () => `127.0.0.1:${(server.address() as AddressInfo).port}`;

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(`${request.headers.host}${request.url}`);
    response.writeHead(status, { location: 'http://169.254.169.254/' }).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => server.close());

beforeEach(() => {
  lambda.reset();
  lambda.on(InvokeCommand).resolves({});
  process.env.OPERATE_FUNCTION = 'operate';
  status = 200;
  asked.length = 0;
});

const ago = (seconds: number): string => timestamp(now() - seconds * 1000);
const worker = (changes: Partial<Node> = {}) => storedNode({ activeSince: ago(3600), ...changes });
const proxy = (changes: Partial<Node> = {}) =>
  storedNode({ type: 'proxy', workers: 1, ipAddress: '127.0.0.1', hostname: address(), scheme: 'http', ...changes });
const held = async (holder: string) => {
  const id = { videoUlid: newUlid(), planNumber: 1, kind: 'probe', group: 0, index: 0 } as const;
  const queueing = { ownerUlid: newUlid(), turnSeconds: 0, taskToken: 't', estimateSeconds: 1, workUnits: 1 };
  await queueJob(id, { kind: id.kind, ...queueing });
  await leaseJob((await findJob(id))!, { lease: 'l', holder, worker: 'w', epoch: 'e' });
  return id;
};
const workOf = (changes: object = {}) => ({
  ...{ id: newUlid(), step: 'remove', attempt: 1, aliveAt: ago(101), claimed: true },
  ...changes,
});

describe('a worker node', () => {
  test('that has not called for 90 seconds fails, and serves again when it calls', async () => {
    const { ulid } = await worker({ lastSeenAt: ago(91) });
    await handler();
    expect(await findNode(ulid)).toMatchObject({ status: 'failed', lastError: expect.stringContaining('90 seconds') });
    await handler();
    expect(await findNode(ulid)).toMatchObject({ status: 'failed' });
    await touchNode(ulid, now());
    expect(await findNode(ulid)).toMatchObject({ status: 'active', lastError: null });
  });

  test('that called since, or was just started, goes on', async () => {
    const nodes = [await worker({ lastSeenAt: ago(80) }), await worker({ lastSeenAt: null, activeSince: ago(80) })];
    await handler();
    for (const { ulid } of nodes) expect(await findNode(ulid)).toMatchObject({ status: 'active' });
  });

  test('whose last step failed stays failed, though it calls', async () => {
    const { ulid } = await worker({ status: 'failed', verified: false, lastSeenAt: null });
    await touchNode(ulid, now());
    expect(await findNode(ulid)).toMatchObject({ status: 'failed', lastSeenAt: expect.any(String) });
  });

  test('is written at most every 15 seconds', async () => {
    const { ulid } = await worker({ lastSeenAt: ago(10) });
    const before = await findNode(ulid);
    await touchNode(ulid, now());
    expect(await findNode(ulid)).toEqual(before);
    const later = now() + 6000;
    await touchNode(ulid, later);
    expect((await findNode(ulid))?.lastSeenAt).toBe(timestamp(later));
  });
});

describe('a proxy', () => {
  test('is asked under its name, and its answer is noted', async () => {
    const { ulid } = await proxy({ lastSeenAt: ago(600) });
    await handler();
    expect(asked).toEqual([`${address()}/healthz`]);
    const { lastSeenAt, status } = (await findNode(ulid))!;
    expect(status).toBe('active');
    expect(lastSeenAt! > ago(60)).toBe(true);
  });

  test.each([302, 500])(
    'that answers %i three times in a row fails, and serves again when it is well',
    async (wrong) => {
      const { ulid } = await proxy();
      status = wrong;
      for (const misses of [1, 2]) {
        await handler();
        expect(await findNode(ulid)).toMatchObject({ status: 'active', misses });
      }
      await handler();
      expect(await findNode(ulid)).toMatchObject({ status: 'failed', lastError: expect.stringContaining('health') });
      status = 200;
      await handler();
      expect(await findNode(ulid)).toMatchObject({ status: 'active', misses: 0, lastError: null });
    },
  );

  test('that answers in between starts counting anew', async () => {
    const { ulid } = await proxy({ misses: 2 });
    await handler();
    expect(await findNode(ulid)).toMatchObject({ status: 'active', misses: 0 });
  });

  test('with a certificate for another name, or none, has not answered', async () => {
    const { ulid } = await proxy({ scheme: 'https', hostname: address().replace('127.0.0.1', 'edge1.example.com') });
    await handler();
    expect(await findNode(ulid)).toMatchObject({ misses: 1 });
  });
});

describe('work that broke off', () => {
  test('fails its node when it was a step', async () => {
    const work = workOf({ step: 'image' });
    const { ulid } = await worker({ status: 'deploying', succeeded: ['check', 'image'], verified: false, work });
    await handler();
    const node = await findNode(ulid);
    expect(node).toMatchObject({ status: 'failed', succeeded: ['check'], lastError: expect.stringContaining('again') });
    expect(node?.work).toBeUndefined();
    expect(ordered()).toEqual([]);
  });

  test('goes on while there are signs of life', async () => {
    const work = workOf({ step: 'image', aliveAt: ago(60) });
    const { ulid } = await worker({ status: 'deploying', work });
    await handler();
    expect(await findNode(ulid)).toMatchObject({ status: 'deploying', work });
  });

  test.each(['draining', 'deleting'] as const)(
    'is ordered again for a node that is %s, and given up in the end',
    async (status) => {
      const { ulid } = await worker({ status, work: workOf() });
      for (const attempt of [2, 3]) {
        await handler();
        const node = await findNode(ulid);
        expect(node).toMatchObject({ status, work: { attempt, claimed: false } });
        expect(ordered().at(-1)).toEqual({ operation: 'work', node: ulid, work: node!.work!.id });
        await write({ update: keys.node(ulid), set: { 'work.aliveAt': ago(101) } });
      }
      await handler();
      expect(await findNode(ulid)).toMatchObject({ status: 'failed', lastError: expect.any(String) });
    },
  );
});

describe('a node that takes no more jobs', () => {
  test('is cleared when its workers hold none any more', async () => {
    const { ulid } = await worker({ status: 'draining', drainUntil: timestamp(now() + 60_000) });
    const id = await held(ulid);
    await handler();
    expect(ordered()).toEqual([]);
    await write({ update: keys.job(id), remove: ['leaseHolder', 'leaseExpiresAt'] });
    await handler();
    expect(ordered()).toMatchObject([{ node: ulid }]);
    expect(await findNode(ulid)).toMatchObject({ status: 'draining', work: { step: 'drain', attempt: 1 } });
    await handler();
    expect(ordered()).toHaveLength(1);
  });

  test('is cleared when its time is up, whatever they hold', async () => {
    const { ulid } = await worker({ status: 'deleting', drainUntil: ago(1) });
    await held(ulid);
    await handler();
    expect(await findNode(ulid)).toMatchObject({ status: 'deleting', work: { step: 'remove' } });
  });
});

describe('a node that is gone', () => {
  test('stays a holder of leases until none can be its own', async () => {
    const exists = async (ulid: string) => (await getItem(nodeRecord, keys.node(ulid))) !== undefined;
    const [fresh, holding, empty] = [
      await worker({ deletedAt: ago(60) }),
      await worker({ deletedAt: ago(601) }),
      await worker({ deletedAt: ago(601) }),
    ];
    await held(holding.ulid);
    await write({ put: { ...keys.nodeStep(empty.ulid, 'check'), kind: 'step' } });
    await handler();
    expect([await exists(fresh.ulid), await exists(holding.ulid), await exists(empty.ulid)]).toEqual([
      true,
      true,
      false,
    ]);
    for (const { ulid } of [fresh, holding]) expect(await findNode(ulid)).toBeUndefined();
  });
});

test("one node's trouble is not another's", async () => {
  lambda.on(InvokeCommand).rejects(new Error('throttled'));
  await worker({ status: 'draining', drainUntil: ago(1) });
  const { ulid } = await worker({ lastSeenAt: ago(91) });
  await handler();
  expect(await findNode(ulid)).toMatchObject({ status: 'failed' });
});
