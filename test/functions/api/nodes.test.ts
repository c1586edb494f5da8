import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, test } from 'vitest';
import { handler } from '../../../functions/api/nodes.lambda.ts';
import { newUlid } from '../../../functions/common/ids.ts';
import { listActivity } from '../../../functions/table/accounts/activity-table.ts';
import { write } from '../../../functions/table/items/items.ts';
import { keys } from '../../../functions/table/items/keys.ts';
import { leaseJob } from '../../../functions/table/jobs/job-leases.ts';
import { findJob } from '../../../functions/table/jobs/job-table.ts';
import { queueJob } from '../../../functions/table/jobs/queued-jobs.ts';
import { findNode, type Node } from '../../../functions/table/nodes/node-table.ts';
import { countNodesOf } from '../../../functions/table/nodes/ssh-key-table.ts';
import type { User } from '../../../functions/table/records.ts';
import { timestamp } from '../../../shared/clock.ts';
import { callHandler } from '../../fixtures/call-handler.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { storeNode } from '../../fixtures/records/store-node.ts';
import { storeSshKey } from '../../fixtures/records/store-ssh-key.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();

const lambda = mockClient(LambdaClient);
beforeEach(() => {
  lambda.reset();
  lambda.on(InvokeCommand).resolves({ StatusCode: 202 });
  Object.assign(process.env, { OPERATE_FUNCTION: 'operate', ALLOW_LOOPBACK_NODES: 'off', ALLOW_IPV6_NODES: 'on' });
});

const ordered = (): unknown[] =>
  lambda.commandCalls(InvokeCommand).map(({ args }) => JSON.parse(String(args[0].input.Payload)));

let lastHost = 0;
const nextAddress = () => `198.51.${100 + Math.floor(++lastHost / 250)}.${1 + (lastHost % 250)}`;

type Answer = Awaited<ReturnType<typeof callHandler>>;
type Administrator = Awaited<ReturnType<typeof administrator>>;

async function administrator() {
  const { user, token } = await createPerson({ isAdmin: true });
  const key = await storeSshKey(user);
  const body = {
    name: 'worker-1',
    ip_address: nextAddress(),
    user: 'deploy',
    type: 'worker',
    ssh_key_id: key.id,
    hostname: null as string | null,
    cdn_mode: false,
    workers: 4,
  };
  return { user, token, key, body };
}

const proxyFields = { type: 'proxy', hostname: 'edge1.example.com', workers: 1 };

const send = (one: Pick<Administrator, 'token'>, request: `${string} /${string}`, body?: unknown): Promise<Answer> =>
  callHandler(handler, request, { token: one.token, ...(body !== undefined && { body }) });

const registered = async (one: Administrator, changes: object = {}) => {
  const answer = await send(one, 'POST /api/nodes', { ...one.body, ip_address: nextAddress(), ...changes });
  expect(answer.status).toBe(201);
  return answer.json.data;
};

const events = async (user: User) => (await listActivity(user.ulid, { offset: 0, limit: 20 })).lines;

describe('registering', () => {
  test('a node creates a record and runs no step', async () => {
    const one = await administrator();
    const { status, json } = await send(one, 'POST /api/nodes', { ...one.body, name: ' worker-1 ' });
    expect(status).toBe(201);
    expect(json.data).toEqual({
      ...one.body,
      id: expect.any(Number),
      ulid: expect.stringMatching(/^[0-9A-Z]{26}$/),
      status: 'pending',
      last_error: null,
      last_seen_at: null,
      host_key_fingerprint: null,
      created_at: expect.stringMatching(/000Z$/),
      updated_at: json.data.created_at,
    });
    for (const name of [json.data.id, json.data.ulid, json.data.ulid.toLowerCase()]) {
      expect((await send(one, `GET /api/nodes/${name}`)).json).toEqual(json);
    }
    expect(ordered()).toEqual([]);
    expect(await countNodesOf([one.key])).toEqual([1]);
    expect((await events(one.user))[0]).toMatchObject({
      event: 'created',
      logName: 'node',
      subject: { id: json.data.id },
    });
  });

  test('omitted fields have defaults', async () => {
    const one = await administrator();
    const { name, ip_address, user, type, ssh_key_id } = one.body;
    const { json } = await send(one, 'POST /api/nodes', { name, ip_address, user, type, ssh_key_id });
    expect(json.data).toMatchObject({ hostname: null, cdn_mode: false, workers: 1 });
  });

  test('a proxy needs a host name', async () => {
    const one = await administrator();
    expect(await registered(one, { ...proxyFields, hostname: 'Edge1.Example.com', cdn_mode: true })).toMatchObject({
      hostname: 'edge1.example.com',
      cdn_mode: true,
      workers: 1,
    });
  });

  test('nodes are listed by ID', async () => {
    const one = await administrator();
    const nodes = [await registered(one), await registered(one)];
    expect((await send(one, 'GET /api/nodes')).json.data.slice(-2)).toEqual(nodes);
  });

  test('nodes are listed in numbered pages and with a cursor', async () => {
    const one = await administrator();
    const nodes = [await registered(one), await registered(one)];
    const { data } = (await send(one, 'GET /api/nodes')).json;
    const page = (await send(one, `GET /api/nodes?per_page=1&page=${data.length}`)).json;
    expect(page).toMatchObject({ data: nodes.slice(1), meta: { total: data.length, next_cursor: null } });
    expect((await send(one, `GET /api/nodes?per_page=1&cursor=${nodes[0].id}`)).json).toEqual({
      data: nodes.slice(0, 1),
      meta: { next_cursor: String(nodes[1].id), per_page: 1 },
    });
    expect(await send(one, 'GET /api/nodes?cursor=x')).toMatchObject({ status: 422 });
  });

  test('an IP address can be used once for each type, in any notation', async () => {
    const one = await administrator();
    await registered(one, { ip_address: '2001:db8::7' });
    const again = { ...one.body, ip_address: '2001:DB8:0:0:0:0:0:7' };
    expect(await send(one, 'POST /api/nodes', again)).toMatchObject({
      status: 422,
      json: { errors: { ip_address: ['The ip address has already been taken.'] } },
    });
    expect(await registered(one, { ...proxyFields, ip_address: '2001:db8:0::7' })).toMatchObject({
      ip_address: '2001:db8::7',
    });
    expect(await countNodesOf([one.key])).toEqual([2]);
  });

  test('of two concurrent requests with one IP address, one succeeds', async () => {
    const one = await administrator();
    const answers = await Promise.all([1, 2].map(() => send(one, 'POST /api/nodes', one.body)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 422]);
    expect(await countNodesOf([one.key])).toEqual([1]);
  });

  test('loopback addresses are accepted only if a setting allows them', async () => {
    const one = await administrator();
    const here = { ...one.body, ip_address: '127.0.0.1' };
    expect(await send(one, 'POST /api/nodes', here)).toMatchObject({
      status: 422,
      json: { errors: { ip_address: [expect.any(String)] } },
    });
    process.env.ALLOW_LOOPBACK_NODES = 'on';
    expect(await send(one, 'POST /api/nodes', here)).toMatchObject({ status: 201 });
  });

  test('IPv6 addresses are accepted only if a setting allows them', async () => {
    const one = await administrator();
    const node = await registered(one);
    process.env.ALLOW_IPV6_NODES = 'off';
    const message = 'The service has no outgoing IPv6 connections. Give the IPv4 address of the server.';
    for (const ip_address of ['2001:db8::99', '2600:1f18::1']) {
      const refused = { status: 422, json: { message, errors: { ip_address: [message] } } };
      expect(await send(one, 'POST /api/nodes', { ...one.body, ip_address })).toMatchObject(refused);
      expect(await send(one, `PUT /api/nodes/${node.id}`, { ip_address })).toMatchObject(refused);
    }
    expect((await send(one, `GET /api/nodes/${node.id}`)).json.data.ip_address).toBe(node.ip_address);
  });

  const addresses = [
    '0.0.0.0',
    '169.254.169.254',
    '::',
    '::1',
    '::ffff:169.254.169.254',
    '::ffff:127.0.0.1',
    '::ffff:0:127.0.0.1',
    'ff02::1',
    'fe80::1',
  ]
    .concat([
      '2130706433',
      '0x7f.1',
      '127.1',
      'localhost',
      'a.com',
      '1.2.3.4;id',
      '-oProxyCommand=x',
      '',
      ' 203.0.113.9',
    ])
    .concat(['203.0.113.9\n', '224.0.0.1', '203.0.113.010']);
  const users = ['root;id', '-oProxyCommand=touch /tmp/p', '$(id)', 'a b', 'x\n', 'Root', '', 'x'.repeat(33), '0day'];
  const hostnames = [
    'a.com;id',
    '-oProxyCommand=x',
    '$(id).com',
    'a b.com',
    'a.com\n',
    'edge',
    '1.2.3.4',
    'a..com',
  ].concat(['-a.com', 'a_b.com', `${'a'.repeat(64)}.com`, `${'a.'.repeat(130)}com`]);
  test.each<[string, object]>([
    ...addresses.map((ip_address): [string, object] => ['ip_address', { ip_address }]),
    ...[42, ['203.0.113.9'], { $gt: '' }, null].map((ip_address): [string, object] => ['ip_address', { ip_address }]),
    ...users.map((user): [string, object] => ['user', { user }]),
    ...hostnames.map((hostname): [string, object] => ['hostname', { ...proxyFields, hostname }]),
    ['hostname', { ...proxyFields, hostname: null }],
    ['hostname', { ...proxyFields, hostname: '' }],
    ['name', { name: '' }],
    ['name', { name: 'x'.repeat(256) }],
    ['type', { type: 'x' }],
    ['type', { type: undefined }],
    ...[0, 21, -1, 1.5, '2', null].map((workers): [string, object] => ['workers', { workers }]),
    ['workers', { ...proxyFields, workers: 2 }],
    ['cdn_mode', { cdn_mode: true }],
    ['cdn_mode', { cdn_mode: 'true' }],
    ...[999_999, 0, -1, 'x', null].map((ssh_key_id): [string, object] => ['ssh_key_id', { ssh_key_id }]),
    ...['status', 'id', 'ulid', 'tokenHash', 'host_key_fingerprint'].map((name): [string, object] => [
      name,
      { [name]: 1 },
    ]),
  ])('%s: %j is 422', async (field, changes) => {
    const one = await administrator();
    expect(await send(one, 'POST /api/nodes', { ...one.body, ...changes })).toMatchObject({
      status: 422,
      json: { errors: { [field]: [expect.any(String)] } },
    });
    expect(await countNodesOf([one.key])).toEqual([0]);
  });

  test.each([1, 20])('%d workers are valid', async (workers) => {
    expect(await registered(await administrator(), { workers })).toMatchObject({ workers });
  });
});

describe('changing', () => {
  /** An active node, with all fields that a deployment sets. */
  const deployed = async (one: Administrator, changes: Partial<Node> = {}) => {
    const { ulid } = await registered(one);
    await write({
      update: keys.node(ulid),
      set: {
        status: 'active',
        verified: true,
        succeeded: ['check'],
        tokenHash: 'x',
        lastSeenAt: timestamp(),
        hostKey: { type: 'ssh-ed25519', sha256: 'SHA256:x' },
        ...changes,
      },
    });
    return ulid as string;
  };

  test('omitted fields are kept, and an active node stays active', async () => {
    const one = await administrator();
    const ulid = await deployed(one);
    const { status, json } = await send(one, `PUT /api/nodes/${ulid}`, { name: 'worker-2', workers: 20 });
    expect(status).toBe(200);
    expect(json.data).toMatchObject({ name: 'worker-2', workers: 20, status: 'active', user: 'deploy' });
    expect(json.data.host_key_fingerprint).toBe('SHA256:x');
    expect(await findNode(ulid)).toMatchObject({ tokenHash: 'x', lastSeenAt: expect.any(String) });
    expect((await events(one.user))[0]).toMatchObject({
      event: 'updated',
      properties: { old: { name: 'worker-1' }, attributes: { name: 'worker-2' } },
    });
  });

  test.each([
    ['address', () => ({ ip_address: nextAddress() })],
    ['user', () => ({ user: 'admin' })],
    ['key', async (one: Administrator) => ({ ssh_key_id: (await storeSshKey(one.user)).id })],
  ])('with another %s the node is another server, and its state is reset', async (_, changes) => {
    const one = await administrator();
    const ulid = await deployed(one);
    const { json } = await send(one, `PUT /api/nodes/${ulid}`, await changes(one));
    expect(json.data).toMatchObject({ status: 'pending', host_key_fingerprint: null, last_seen_at: null });
    const node = await findNode(ulid);
    expect(node).toMatchObject({ verified: false, succeeded: [] });
    expect(node?.tokenHash).toBeUndefined();
  });

  test('a replaced IP address is free again, and a replaced key can be deleted', async () => {
    const one = await administrator();
    const { ulid, ip_address } = await registered(one);
    const other = await storeSshKey(one.user);
    await send(one, `PUT /api/nodes/${ulid}`, { ip_address: nextAddress(), ssh_key_id: other.id });
    expect(await countNodesOf([one.key, other])).toEqual([0, 1]);
    expect(await registered(one, { ip_address })).toMatchObject({ ip_address });
  });

  test.each<[string, object]>([
    ['name', {}],
    ['type', { type: 'proxy' }],
    ['ip_address', { ip_address: '127.0.0.1' }],
    ['ip_address', { ip_address: '::ffff:10.0.0.1' }],
    ['user', { user: 'root;id' }],
    ['workers', { workers: 21 }],
    ['cdn_mode', { cdn_mode: true }],
    ['ssh_key_id', { ssh_key_id: 999_999 }],
    ['status', { status: 'active' }],
    ['last_error', { last_error: 'x' }],
  ])('%s: %j is 422', async (field, changes) => {
    const one = await administrator();
    const { ulid } = await registered(one);
    expect(await send(one, `PUT /api/nodes/${ulid}`, changes)).toMatchObject({
      status: 422,
      json: { errors: { [field]: [expect.any(String)] } },
    });
  });

  test('the result of a change is validated: a proxy keeps a host name and one worker', async () => {
    const one = await administrator();
    const { ulid } = await registered(one, proxyFields);
    for (const changes of [{ hostname: null }, { workers: 2 }]) {
      expect(await send(one, `PUT /api/nodes/${ulid}`, changes)).toMatchObject({ status: 422 });
    }
    expect(await send(one, `PUT /api/nodes/${ulid}`, { type: 'proxy', cdn_mode: true })).toMatchObject({ status: 200 });
  });

  test('the IP address of another node is 422', async () => {
    const one = await administrator();
    const [{ ulid }, { ip_address }] = [await registered(one), await registered(one)];
    expect(await send(one, `PUT /api/nodes/${ulid}`, { ip_address })).toMatchObject({
      status: 422,
      json: { errors: { ip_address: ['The ip address has already been taken.'] } },
    });
  });

  test.each(['deploying', 'draining', 'deleting'] as const)('a node that is %s is 409', async (status) => {
    const one = await administrator();
    const ulid = await deployed(one, { status });
    expect(await send(one, `PUT /api/nodes/${ulid}`, { name: 'x' })).toMatchObject({ status: 409 });
  });
});

describe('deploying', () => {
  test('steps are listed from the start, in order', async () => {
    const one = await administrator();
    const [worker, proxy] = [await registered(one), await registered(one, proxyFields)];
    const named = async (id: number) =>
      (await send(one, `GET /api/nodes/${id}/deploy/steps`)).json.data.map(({ step }: { step: string }) => step);
    const steps = ['check', 'packages', 'docker', 'image', 'configure', 'start', 'verify', 'drain', 'remove'];
    expect(await named(worker.id)).toEqual(steps);
    expect(await named(proxy.id)).toEqual(steps.toSpliced(5, 0, 'certificate'));
    expect((await send(one, `GET /api/nodes/${worker.id}/deploy/steps`)).json.data[0]).toEqual({
      step: 'check',
      name: 'Check',
      description: expect.any(String),
      order: 1,
      required: true,
      status: 'pending',
      log: null,
      started_at: null,
      finished_at: null,
    });
  });

  test('a step is queued and runs in the background', async () => {
    const one = await administrator();
    const { id, ulid } = await registered(one);
    const { status, json } = await send(one, `POST /api/nodes/${id}/deploy`, { step: 'check' });
    expect(status).toBe(202);
    expect(json.data).toMatchObject({ step: 'check', order: 1, status: 'queued', log: null, started_at: null });
    const node = await findNode(ulid);
    expect(ordered()).toEqual([{ operation: 'work', node: ulid, work: node?.work?.id }]);
    expect(lambda.commandCalls(InvokeCommand)[0]?.args[0].input.InvocationType).toBe('Event');
    expect((await send(one, `GET /api/nodes/${id}`)).json.data.status).toBe('deploying');
    expect((await send(one, `GET /api/nodes/${id}/deploy/steps`)).json.data[0]).toEqual(json.data);
    expect((await events(one.user))[0]).toMatchObject({ event: 'deployed', properties: { step: 'check' } });
  });

  test('of two concurrent starts, one succeeds', async () => {
    const one = await administrator();
    const { id } = await registered(one);
    const answers = await Promise.all(
      [1, 2, 3].map(() => send(one, `POST /api/nodes/${id}/deploy`, { step: 'check' })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([202, 409, 409]);
    expect(ordered()).toHaveLength(1);
  });

  test.each(['../x', 'rm', 'check;id', 'certificate', 'CHECK', '__proto__', 'x'.repeat(10_000)])(
    '%j is no step of a worker',
    async (step) => {
      const one = await administrator();
      const { id } = await registered(one);
      expect(await send(one, `POST /api/nodes/${id}/deploy`, { step })).toMatchObject({
        status: 422,
        json: { errors: { step: ['The selected step is invalid.'] } },
      });
      expect(ordered()).toEqual([]);
    },
  );

  test.each([{}, { step: '' }, { step: 1 }, { step: ['check'] }])('%j is 422', async (body) => {
    const one = await administrator();
    const { id } = await registered(one);
    expect(await send(one, `POST /api/nodes/${id}/deploy`, body)).toMatchObject({
      status: 422,
      json: { errors: { step: [expect.any(String)] } },
    });
  });

  test('a step requires the previous ones', async () => {
    const one = await administrator();
    const { id } = await registered(one);
    expect(await send(one, `POST /api/nodes/${id}/deploy`, { step: 'docker' })).toMatchObject({
      status: 409,
      json: { message: 'Run the step check first.' },
    });
  });

  test('a step that cannot be started is marked as failed, and can be run again', async () => {
    const one = await administrator();
    const { id, ulid } = await registered(one);
    lambda.on(InvokeCommand).rejectsOnce(Object.assign(new Error('throttled'), { $fault: 'server' }));
    expect(await send(one, `POST /api/nodes/${id}/deploy`, { step: 'check' })).toMatchObject({ status: 503 });
    expect(await findNode(ulid)).toMatchObject({ status: 'failed', lastError: expect.stringContaining('started') });
    expect(await send(one, `POST /api/nodes/${id}/deploy`, { step: 'check' })).toMatchObject({ status: 202 });
  });

  test('an active node must be drained before a step that interrupts it', async () => {
    const one = await administrator();
    const succeeded = ['check', 'packages', 'docker', 'image', 'configure', 'start', 'verify'];
    const { id, ulid } = await storeNode({ succeeded });
    for (const step of ['configure', 'start', 'remove']) {
      expect(await send(one, `POST /api/nodes/${id}/deploy`, { step })).toMatchObject({ status: 409 });
    }
    expect(await send(one, `POST /api/nodes/${id}/deploy`, { step: 'drain' })).toMatchObject({
      status: 202,
      json: { data: { step: 'drain', status: 'queued' } },
    });
    // It holds no job, so the cleanup starts at once.
    expect(ordered()).toMatchObject([{ operation: 'work', node: ulid }]);
    expect(await findNode(ulid)).toMatchObject({ status: 'draining', work: { step: 'drain' } });
    for (const request of [`POST /api/nodes/${id}/deploy`, `DELETE /api/nodes/${id}`] as const) {
      expect(await send(one, request, request.startsWith('POST') ? { step: 'check' } : undefined)).toMatchObject({
        status: 409,
        json: { message: 'The step drain is running.' },
      });
    }
  });

  test('only an active node can be drained', async () => {
    const one = await administrator();
    const { id } = await registered(one);
    expect(await send(one, `POST /api/nodes/${id}/deploy`, { step: 'drain' })).toMatchObject({ status: 409 });
  });
});

describe('the containers', () => {
  const answers = (payload: unknown) =>
    lambda.on(InvokeCommand).resolves({ Payload: Buffer.from(JSON.stringify(payload)) as never });

  test('are listed live', async () => {
    const one = await administrator();
    const { id, ulid } = await registered(one);
    const container = {
      id: '4f5e6a7b8c9d',
      name: 'video-service-worker-1',
      image: 'worker@sha256:1',
      state: 'running',
      status: 'Up 3 hours',
      created_at: timestamp(),
    };
    answers({ containers: [container] });
    expect(await send(one, `GET /api/nodes/${id}/containers`)).toMatchObject({
      status: 200,
      json: { data: [container] },
    });
    expect(ordered()).toEqual([{ operation: 'containers', node: ulid }]);
  });

  test('of an unreachable node are 502, with the reason', async () => {
    const one = await administrator();
    const { id } = await registered(one);
    answers({ unreachable: 'The server did not answer in time.' });
    expect(await send(one, `GET /api/nodes/${id}/containers`)).toMatchObject({
      status: 502,
      json: { message: 'The server did not answer in time.' },
    });
    lambda.on(InvokeCommand).resolves({ FunctionError: 'Unhandled', Payload: Buffer.from('{"trace":"x"}') as never });
    expect(await send(one, `GET /api/nodes/${id}/containers`)).toMatchObject({
      status: 502,
      json: { message: 'The node could not be reached over SSH.' },
    });
  });
});

const jobId = { videoUlid: newUlid(), planNumber: 1, kind: 'encode-video', group: 0, index: 0 } as const;
const queueing = {
  kind: jobId.kind,
  taskToken: 't',
  estimateSeconds: 10,
  workUnits: 1,
  ownerUlid: newUlid(),
  virtualTimeSeconds: 0,
};

describe('the queue', () => {
  test('of an active node includes all waiting jobs of all users, and the jobs of its workers', async () => {
    const one = await administrator();
    const { id, ulid } = await storeNode();
    for (const index of [0, 1, 2]) await queueJob({ ...jobId, index }, queueing);
    await queueJob({ ...jobId, index: 3 }, { ...queueing, ownerUlid: newUlid() });
    await leaseJob((await findJob(jobId))!, { lease: 'l', holder: ulid, worker: 'w1', epoch: 'e' });
    expect((await send(one, `GET /api/nodes/${id}/pending-jobs`)).json).toEqual({ pending: 3, reserved: 1, total: 4 });
    const other = await storeNode();
    expect((await send(one, `GET /api/nodes/${other.id}/pending-jobs`)).json).toMatchObject({ reserved: 0, total: 3 });
  });

  test('of an inactive node includes only the jobs that its workers still hold', async () => {
    const one = await administrator();
    await queueJob({ ...jobId, videoUlid: newUlid() }, queueing);
    const { id } = await registered(one);
    expect((await send(one, `GET /api/nodes/${id}/pending-jobs`)).json).toEqual({ pending: 0, reserved: 0, total: 0 });
    for (const status of ['failed', 'draining', 'deleting', 'deploying'] as const) {
      const node = await storeNode({ status });
      const held = { ...jobId, videoUlid: newUlid() };
      await queueJob(held, queueing);
      await leaseJob((await findJob(held))!, { lease: 'l', holder: node.ulid, worker: 'w1', epoch: 'e' });
      expect((await send(one, `GET /api/nodes/${node.id}/pending-jobs`)).json, status).toEqual({
        pending: 0,
        reserved: 1,
        total: 1,
      });
    }
  });

  test('of a proxy is empty', async () => {
    const one = await administrator();
    const { id } = await registered(one, proxyFields);
    expect((await send(one, `GET /api/nodes/${id}/pending-jobs`)).json).toEqual({ pending: 0, reserved: 0, total: 0 });
  });
});

describe('deleting', () => {
  test('continues in the background', async () => {
    const one = await administrator();
    const { id, ulid } = await registered(one);
    const { status, json } = await send(one, `DELETE /api/nodes/${id}`);
    expect([status, json.data.status]).toEqual([202, 'deleting']);
    expect(ordered()).toMatchObject([{ operation: 'work', node: ulid }]);
    expect(await findNode(ulid)).toMatchObject({ work: { step: 'remove' }, verified: false });
    // A second request starts nothing.
    expect(await send(one, `DELETE /api/nodes/${id}?force=false`)).toMatchObject({ status: 202 });
    expect(ordered()).toHaveLength(1);
    expect(await send(one, `POST /api/nodes/${id}/deploy`, { step: 'check' })).toMatchObject({ status: 409 });
  });

  test('waits until workers hold no jobs', async () => {
    const one = await administrator();
    const { id, ulid } = await storeNode();
    const held = { ...jobId, videoUlid: newUlid() };
    await queueJob(held, queueing);
    await leaseJob((await findJob(held))!, { lease: 'l', holder: ulid, worker: 'w1', epoch: 'e' });
    expect(await send(one, `DELETE /api/nodes/${id}`)).toMatchObject({ status: 202 });
    expect(ordered()).toEqual([]);
    expect(await findNode(ulid)).toMatchObject({ status: 'deleting', drainUntil: expect.any(String) });
  });

  test('with force deletes the record immediately, in any status', async () => {
    const one = await administrator();
    const { id, ulid, ip_address } = await registered(one);
    await send(one, `POST /api/nodes/${id}/deploy`, { step: 'check' });
    expect(await send(one, `DELETE /api/nodes/${id}`)).toMatchObject({ status: 409 });
    lambda.resetHistory();
    expect(await send(one, `DELETE /api/nodes/${id}?force=true`)).toMatchObject({ status: 204, text: undefined });
    expect(ordered()).toEqual([]);
    for (const name of [id, ulid]) expect(await send(one, `GET /api/nodes/${name}`)).toMatchObject({ status: 404 });
    expect((await send(one, 'GET /api/nodes')).text).not.toContain(ulid);
    expect(await countNodesOf([one.key])).toEqual([0]);
    expect(await registered(one, { ip_address })).toMatchObject({ ip_address });
    expect(await send(one, `DELETE /api/nodes/${id}?force=true`)).toMatchObject({ status: 404 });
  });

  test('force must be a boolean', async () => {
    const one = await administrator();
    const { id } = await registered(one);
    expect(await send(one, `DELETE /api/nodes/${id}?force=perhaps`)).toMatchObject({
      status: 422,
      json: { errors: { force: [expect.any(String)] } },
    });
  });
});

test('other users get no information about nodes', async () => {
  const one = await administrator();
  const stranger = await createPerson();
  const { id } = await registered(one);
  const operations = ['GET', 'PUT', 'DELETE'].map((method) => [method, ''] as const);
  const all = [
    ...operations,
    ['GET', '/containers'],
    ['GET', '/pending-jobs'],
    ['GET', '/deploy/steps'],
    ['POST', '/deploy'],
  ];
  for (const [method, path] of all) {
    for (const name of [id, '999999', 'x']) {
      expect(
        await callHandler(handler, `${method} /api/nodes/${name}${path}`, { token: stranger.token }),
      ).toMatchObject({
        status: 403,
        json: { message: 'This action is unauthorized.' },
      });
    }
    expect(await callHandler(handler, `${method} /api/nodes/${id}${path}`)).toMatchObject({ status: 401 });
    expect(await send(one, `${method} /api/nodes/999999${path}` as 'GET /', { step: 'check' })).toMatchObject({
      status: 404,
    });
  }
});
