import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import signedUrl from '../../../delivery/urls/signed-url.js';
import { listKeys } from '../../../functions/aws/object-store.ts';
import { documents } from '../../../functions/aws/table-client.ts';
import { newUlid } from '../../../functions/common/ids.ts';
import { handler } from '../../../functions/schedule/check-nodes.lambda.ts';
import { getItem, write } from '../../../functions/table/items/items.ts';
import { keys } from '../../../functions/table/items/keys.ts';
import { leaseJob } from '../../../functions/table/jobs/job-leases.ts';
import { findJob } from '../../../functions/table/jobs/job-table.ts';
import { queueJob } from '../../../functions/table/jobs/queued-jobs.ts';
import {
  capacityFor,
  findNodeCapacity,
  type NodeCapacity,
} from '../../../functions/table/nodes/node-capacity-table.ts';
import { hideNode } from '../../../functions/table/nodes/node-registry.ts';
import { recordNodeSpeed } from '../../../functions/table/nodes/node-speed.ts';
import { findNode, type Node, nodeRecord, touchNode } from '../../../functions/table/nodes/node-table.ts';
import { beginDraining, beginStep } from '../../../functions/table/nodes/node-work.ts';
import type { User } from '../../../functions/table/records.ts';
import { leaseFields } from '../../../functions/table/writes/job-fields.ts';
import { now, timestamp } from '../../../shared/clock.ts';
import { samplesPrefix } from '../../../shared/object-keys.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { storeNode } from '../../fixtures/records/store-node.ts';
import { useBucket } from '../../fixtures/use-bucket.ts';
import { useEmittedMetrics } from '../../fixtures/use-emitted-metrics.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();
useBucket();

const lambda = mockClient(LambdaClient);
const invocations = () =>
  lambda.commandCalls(InvokeCommand).map(({ args }) => JSON.parse(String(args[0].input.Payload)));

/** A server in place of the proxy, and the status with which it answers. */
let server: Server;
let status = 200;
/** Its response for files, if it is another. */
let fileStatus: number | undefined;
const requests: string[] = [];
const address = () => `127.0.0.1:${(server.address() as AddressInfo).port}`;

beforeAll(async () => {
  server = createServer((request, response) => {
    requests.push(`${request.headers.host}${request.url}`);
    const isFile = request.url!.startsWith('/s/');
    response.writeHead((isFile && fileStatus) || status, { location: 'http://169.254.169.254/' }).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => server.close());

beforeEach(() => {
  lambda.reset();
  lambda.on(InvokeCommand).resolves({});
  process.env.OPERATE_FUNCTION = 'operate';
  status = 200;
  fileStatus = undefined;
  requests.length = 0;
});

const ago = (seconds: number): string => timestamp(now() - seconds * 1000);
const worker = (changes: Partial<Node> = {}) => storeNode({ activeSince: ago(3600), ...changes });
const proxy = (changes: Partial<Node> = {}) =>
  storeNode({ type: 'proxy', workers: 1, ipAddress: '127.0.0.1', hostname: address(), scheme: 'http', ...changes });
const held = async (holder: string) => {
  const id = { videoUlid: newUlid(), planNumber: 1, kind: 'probe', group: 0, index: 0 } as const;
  const queueing = { ownerUlid: newUlid(), virtualTimeSeconds: 0, taskToken: 't', estimateSeconds: 1, workUnits: 1 };
  await queueJob(id, { ...queueing });
  await leaseJob((await findJob(id))!, { lease: 'l', holder, worker: 'w', epoch: 'e' });
  return id;
};
const workOf = (changes: object = {}) => ({
  id: newUlid(),
  step: 'remove',
  attempt: 1,
  aliveAt: ago(101),
  claimed: true,
  ...changes,
});

describe('a worker node', () => {
  test('that has not called for 90 s fails, and is active again when it calls', async () => {
    const { ulid } = await worker({ lastSeenAt: ago(91) });
    await handler();
    expect(await findNode(ulid)).toMatchObject({ status: 'failed', lastError: expect.stringContaining('90 seconds') });
    await handler();
    expect(await findNode(ulid)).toMatchObject({ status: 'failed' });
    await touchNode(ulid, now());
    expect(await findNode(ulid)).toMatchObject({ status: 'active', lastError: null });
  });

  test('that has called or was activated within 90 s stays active', async () => {
    const nodes = [await worker({ lastSeenAt: ago(80) }), await worker({ lastSeenAt: null, activeSince: ago(80) })];
    await handler();
    for (const { ulid } of nodes) expect(await findNode(ulid)).toMatchObject({ status: 'active' });
  });

  test('whose last step failed stays failed when it calls', async () => {
    const { ulid } = await worker({ status: 'failed', verified: false, lastSeenAt: null });
    await touchNode(ulid, now());
    expect(await findNode(ulid)).toMatchObject({ status: 'failed', lastSeenAt: expect.any(String) });
  });

  test('has its last call stored at most every 15 s', async () => {
    const { ulid } = await worker({ lastSeenAt: ago(10) });
    const before = await findNode(ulid);
    await touchNode(ulid, now());
    expect(await findNode(ulid)).toEqual(before);
    const later = now() + 6000;
    await touchNode(ulid, later);
    expect((await findNode(ulid))?.lastSeenAt).toBe(timestamp(later));
  });
});

describe('the capacity of all nodes', () => {
  /** What the nodes of a test add to that of all nodes. */
  let before: NodeCapacity;
  beforeEach(async () => {
    // The nodes of earlier tests are silent.
    passSeconds(200);
    await handler();
    before = await findNodeCapacity();
  });
  const added = async (): Promise<NodeCapacity> => {
    const { workers, capacity } = await findNodeCapacity();
    return { workers: workers - before.workers, capacity: capacity - before.capacity };
  };
  const none = { workers: 0, capacity: 0 };
  const passSeconds = (seconds: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + seconds * 1000 });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('has the active nodes whose workers have called, by the speeds that their jobs had', async () => {
    const [fast, silent] = [await worker({ workers: 4, speed: 2 }), await worker({ lastSeenAt: null })];
    await worker({ status: 'pending', workers: 8 });
    await handler();
    expect(await added()).toEqual({ workers: 4, capacity: 8 });
    await touchNode(silent.ulid, now());
    await handler();
    expect(await added()).toEqual({ workers: 6, capacity: 10 });
    await recordNodeSpeed(fast.ulid, 2.1);
    await recordNodeSpeed(fast.ulid, 4);
    expect(await added()).toEqual({ workers: 6, capacity: 10 });
    await handler();
    expect((await added()).capacity).toBeCloseTo(2 + 4 * (2.03 * 0.7 + 4 * 0.3), 5);
    for (const { ulid } of [fast, silent]) await hideNode((await findNode(ulid))!);
    expect(await added()).toEqual(none);
    await handler();
    expect(await added()).toEqual(none);
  });

  test.each([
    ['drained', (node: Node, actor: User) => beginDraining(node, timestamp(now() + 60_000), actor)],
    ['deleted', (node: Node, actor: User) => hideNode(node, actor)],
    ['deployed again', (node: Node, actor: User) => beginStep(node, 'verify', [], actor)],
  ])('is without a node that is %s from then on, also before the next check', async (_, change) => {
    const { ulid } = await worker({ workers: 4 });
    await handler();
    expect(await added()).toEqual({ workers: 4, capacity: 4 });
    await change((await findNode(ulid))!, (await createPerson()).user);
    expect(await added()).toEqual(none);
    await handler();
    expect(await added()).toEqual(none);
  });

  test('is known by the memory of their containers', async () => {
    const nodes = [await worker({ workers: 4, memoryMib: 999 }), await worker({ workers: 2, memoryMib: 2500 })];
    nodes.push(await worker());
    await handler();
    const capacities = async () => {
      const all = await findNodeCapacity();
      return [0, 900, 1000, 2500, 2600].map((memoryMib) => capacityFor(all, memoryMib) - before.capacity);
    };
    // A container whose size is not known gets any job.
    expect(await capacities()).toEqual([8, 8, 4, 4, 2]);
    await hideNode((await findNode(nodes[1]!.ulid))!);
    expect(await capacities()).toEqual([6, 6, 2, 2, 2]);
    await handler();
    expect(await capacities()).toEqual([6, 6, 2, 2, 2]);
    for (const { ulid } of [nodes[0]!, nodes[2]!]) await hideNode((await findNode(ulid))!);
    await handler();
    expect(await capacities()).toEqual([0, 0, 0, 0, 0]);
  });

  test('is without a silent node before the next check, and has it again when a worker calls', async () => {
    const { ulid } = await worker({ workers: 4 });
    await handler();
    passSeconds(89);
    expect(await added()).toEqual({ workers: 4, capacity: 4 });
    passSeconds(2);
    expect(await added()).toEqual(none);
    await handler();
    expect(await findNode(ulid)).toMatchObject({ status: 'failed' });
    await touchNode(ulid, now());
    expect(await added()).toEqual(none);
    await handler();
    expect(await added()).toEqual({ workers: 4, capacity: 4 });
    await hideNode((await findNode(ulid))!);
    await handler();
  });

  test('costs a check nothing for nodes whose workers call', async () => {
    const nodes = [await worker(), await worker()];
    await handler();
    const send = vi.spyOn(documents, 'send');
    for (let minute = 0; minute < 3; minute++) {
      for (let call = 0; call < 3; call++) {
        passSeconds(20);
        for (const { ulid } of nodes) await touchNode(ulid, now());
      }
      send.mockClear();
      await handler();
      const read = JSON.stringify(send.mock.calls.map(([{ input }]) => input));
      for (const { ulid } of nodes) expect(read).not.toContain(ulid);
    }
    send.mockRestore();
    for (const { ulid } of nodes) await hideNode((await findNode(ulid))!);
  });
});

describe('a proxy', () => {
  test('is checked under its host name, and the time of its answer is stored', async () => {
    const { ulid } = await proxy({ lastSeenAt: ago(600) });
    await handler();
    expect(requests).toEqual([`${address()}/healthz`]);
    const { lastSeenAt, status } = (await findNode(ulid))!;
    expect(status).toBe('active');
    expect(lastSeenAt! > ago(60)).toBe(true);
  });

  test.each([302, 500])(
    'that answers %i three times in a row fails, and is active again after a good answer',
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

  test('that answers after two misses has no misses', async () => {
    const { ulid } = await proxy({ misses: 2 });
    await handler();
    expect(await findNode(ulid)).toMatchObject({ status: 'active', misses: 0 });
  });

  test('with no certificate for its host name counts as a miss', async () => {
    const { ulid } = await proxy({ scheme: 'https', hostname: address().replace('127.0.0.1', 'edge1.example.com') });
    await handler();
    expect(await findNode(ulid)).toMatchObject({ misses: 1 });
  });
});

describe('a node operation that died', () => {
  test('fails the node when it was a deployment step', async () => {
    const work = workOf({ step: 'image' });
    const { ulid } = await worker({ status: 'deploying', succeeded: ['check', 'image'], verified: false, work });
    await handler();
    const node = await findNode(ulid);
    expect(node).toMatchObject({ status: 'failed', succeeded: ['check'], lastError: expect.stringContaining('again') });
    expect(node?.work).toBeUndefined();
    expect(invocations()).toEqual([]);
  });

  test('is not one while it updates aliveAt', async () => {
    const work = workOf({ step: 'image', aliveAt: ago(60) });
    const { ulid } = await worker({ status: 'deploying', work });
    await handler();
    expect(await findNode(ulid)).toMatchObject({ status: 'deploying', work });
  });

  test.each(['draining', 'deleting'] as const)(
    'is invoked again for a node that is %s, and fails after three attempts',
    async (status) => {
      const { ulid } = await worker({ status, work: workOf() });
      for (const attempt of [2, 3]) {
        await handler();
        const node = await findNode(ulid);
        expect(node).toMatchObject({ status, work: { attempt, claimed: false } });
        expect(invocations().at(-1)).toEqual({ operation: 'work', node: ulid, work: node!.work!.id });
        await write({ update: keys.node(ulid), set: { 'work.aliveAt': ago(101) } });
      }
      await handler();
      expect(await findNode(ulid)).toMatchObject({ status: 'failed', lastError: expect.any(String) });
    },
  );
});

describe('a draining node', () => {
  test('is cleaned up when its workers hold no lease', async () => {
    const { ulid } = await worker({ status: 'draining', drainUntil: timestamp(now() + 60_000) });
    const id = await held(ulid);
    await handler();
    expect(invocations()).toEqual([]);
    await write({ update: keys.job(id), remove: [...leaseFields] });
    await handler();
    expect(invocations()).toMatchObject([{ node: ulid }]);
    expect(await findNode(ulid)).toMatchObject({ status: 'draining', work: { step: 'drain', attempt: 1 } });
    await handler();
    expect(invocations()).toHaveLength(1);
  });

  test('is cleaned up at its drain deadline, also while workers hold leases', async () => {
    const { ulid } = await worker({ status: 'deleting', drainUntil: ago(1) });
    await held(ulid);
    await handler();
    expect(await findNode(ulid)).toMatchObject({ status: 'deleting', work: { step: 'remove' } });
  });
});

describe('a deleted node', () => {
  test('keeps its record until it can hold no lease', async () => {
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

test('a failed check of one node does not stop the others', async () => {
  lambda.on(InvokeCommand).rejects(new Error('throttled'));
  await worker({ status: 'draining', drainUntil: ago(1) });
  const { ulid } = await worker({ lastSeenAt: ago(91) });
  await handler();
  expect(await findNode(ulid)).toMatchObject({ status: 'failed' });
});

const signing = mockClient(SSMClient);
const useSigningKeys = () =>
  beforeEach(() => {
    process.env.PARAMETER_PREFIX = '/video-service/test';
    const Value = JSON.stringify({ current: 'k1', keys: { k1: 'c2VjcmV0' } });
    signing.reset();
    signing.on(GetParameterCommand).resolves({ Parameter: { Value } });
  });

describe('the active proxies', () => {
  useSigningKeys();
  const emitted = useEmittedMetrics();
  const deliver = async (): Promise<unknown[]> => {
    await handler();
    return emitted().flatMap(({ name, value }) => (name === 'ProxiesDeliver' ? value : []));
  };

  test('deliver if each has a new file, which is removed then', async () => {
    await proxy();
    expect(await deliver()).toEqual([1]);
    const files = () => requests.filter((one) => one.includes('/s/')).map((one) => one.slice(address().length));
    const [path] = files();
    expect(signedUrl.checkSignedPath(path!, { k1: 'c2VjcmV0' }, now() / 1000).status).toBe(200);
    await handler();
    // The same for all proxies, and another one in the next run.
    expect(new Set(files()).size).toBe(2);
    expect((await listKeys(samplesPrefix, '', 10)).keys).toEqual([]);
  });

  test.each([403, 404, 502])('do not deliver if one answers %i, and it stays active', async (refusal) => {
    const { ulid } = await proxy();
    fileStatus = refusal;
    expect(await deliver()).toEqual([0]);
    expect(await findNode(ulid)).toMatchObject({ status: 'active', misses: 0 });
  });

  test('are not asked when the file cannot be written', async () => {
    await proxy();
    signing.on(GetParameterCommand).rejects(new Error('no keys'));
    // The keys are cached for five minutes.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 600_000 });
    expect(await deliver()).toEqual([]);
    vi.useRealTimers();
  });
});

describe('the edge', () => {
  useSigningKeys();
  const emitted = useEmittedMetrics();
  const delivers = async (): Promise<unknown[]> => {
    await handler();
    return emitted()
      .filter(({ name }) => name === 'EdgeDelivers')
      .map(({ value }) => value);
  };
  beforeEach(() => {
    process.env.EDGE_URL = `http://${address()}`;
  });
  afterEach(() => void delete process.env.EDGE_URL);

  test('delivers if it accepts a signed URL, for which the bucket has no file', async () => {
    status = 404;
    expect(await delivers()).toEqual([1]);
    // Beside the health checks of proxies.
    const request = requests.find((one) => one.includes('/s/k1.'));
    const path = request!.slice(address().length);
    expect(signedUrl.checkSignedPath(path, { k1: 'c2VjcmV0' }, now() / 1000).status).toBe(200);
  });

  test.each([403, 500, 503])('does not deliver if it answers %i', async (refusal) => {
    status = refusal;
    expect(await delivers()).toEqual([0]);
  });

  test('does not deliver without an answer', async () => {
    process.env.EDGE_URL = 'http://127.0.0.1:1';
    expect(await delivers()).toEqual([0]);
  });

  test('is not checked on a stage without one', async () => {
    delete process.env.EDGE_URL;
    expect(await delivers()).toEqual([]);
  });
});
