import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { DeleteObjectsCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { mockClient } from 'aws-sdk-client-mock';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { handler as api } from '../../../functions/api/nodes.lambda.ts';
import { sha256 } from '../../../functions/common/secret.ts';
import { handler as operate } from '../../../functions/nodes/operate.lambda.ts';
import { stepsOf } from '../../../functions/nodes/steps/node-steps.ts';
import { listActivity } from '../../../functions/table/accounts/activity-table.ts';
import { listActiveProxies } from '../../../functions/table/nodes/node-lists.ts';
import { findNode, type Node, touchNode } from '../../../functions/table/nodes/node-table.ts';
import { callHandler } from '../../fixtures/call-handler.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { listGoneNodes, storeNode } from '../../fixtures/records/store-node.ts';
import { replaceProgram } from '../../fixtures/servers/run-node-steps.ts';
import { type SshServer, startSshServer } from '../../fixtures/servers/start-ssh-server.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();

const lambda = mockClient(LambdaClient);
const parameters = mockClient(SSMClient);
const store = mockClient(S3Client);
/** Operations that the API functions have invoked and that have not run yet. */
let orders: unknown[] = [];
let server: SshServer;

const proxyKeys = { current: 'k1', retiring: [], keys: { k1: 'a'.repeat(43) } };

beforeEach(() => {
  orders = [];
  lambda.reset();
  store.reset();
  store.on(DeleteObjectsCommand).resolves({});
  lambda.on(InvokeCommand).callsFake(async ({ InvocationType, Payload }) => {
    const order = JSON.parse(String(Payload));
    if (InvocationType === 'Event') orders.push(order);
    return InvocationType === 'Event' ? {} : { Payload: Buffer.from(JSON.stringify(await operate(order))) };
  });
  Object.assign(process.env, {
    OPERATE_FUNCTION: 'operate',
    PARAMETER_PREFIX: '/test',
    API_URL: 'https://api.example.com',
    ALLOW_LOOPBACK_NODES: 'on',
    BUCKET_NAME: 'test-bucket',
    STORE_REGION: 'eu-west-1',
    SIGNING_KEYS_PARAMETER: '/test/signing-keys',
    WORKER_IMAGE_X86_64: `registry.example.com/worker@sha256:${'a'.repeat(64)}`,
    WORKER_IMAGE_ARM64: `registry.example.com/worker@sha256:${'a'.repeat(64)}`,
    PROXY_IMAGE_X86_64: `registry.example.com/proxy@sha256:${'b'.repeat(64)}`,
    PROXY_IMAGE_ARM64: `registry.example.com/proxy@sha256:${'b'.repeat(64)}`,
  });
});
afterEach(() => server.stop());

/** A newly registered node with a real SSH server. */
async function newNode(changes: Partial<Node> = {}, options: Parameters<typeof startSshServer>[0] = {}) {
  server = await startSshServer(options);
  const { address, port, user, privateKey } = server.target;
  process.env.NODE_SSH_PORT = String(port);
  parameters.reset();
  parameters.on(GetParameterCommand).callsFake(({ Name }) => ({
    Parameter: { Value: Name.includes('ssh-keys') ? privateKey : JSON.stringify(proxyKeys) },
  }));
  const fresh = { status: 'pending', verified: false, activeSince: null, lastSeenAt: null } as const;
  const node = await storeNode({ ...fresh, ipAddress: address, user, ...changes });
  // A proxy is requested with its host name.
  const delivered = `case $(cat) in *healthz*) echo '{"node":"${node.ulid}"}' ;; *) echo ${node.ulid} ;; esac`;
  await replaceProgram(server, 'curl', delivered);
  const { user: actor, token } = await createPerson({ isAdmin: true });
  const send = (request: `${string} /${string}`, body?: object) =>
    callHandler(api, request, { token, ...(body && { body }) });
  const path = `/api/nodes/${node.id}` as const;
  return {
    ulid: node.ulid,
    actor,
    path,
    send,
    shown: async () => (await send(`GET ${path}`)).json.data,
    stepNamed: async (step: string) =>
      (await send(`GET ${path}/deploy/steps`)).json.data.find((one: { step: string }) => one.step === step),
    /** `isCalling`: a worker of the node calls the service during the step. */
    async run(step: string, isCalling = true) {
      const answer = await send(`POST ${path}/deploy`, { step });
      if (isCalling && step === 'verify') await touchNode(node.ulid, Date.now() + 60_000);
      await doOrders();
      return answer.status;
    },
  };
}

async function doOrders(): Promise<void> {
  for (const order of orders.splice(0)) await operate(order);
}

/** A closed port. */
async function closedPort(): Promise<number> {
  const listener = createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  listener.close();
  await once(listener, 'close');
  return port;
}

const required = (type: Node['type']) =>
  stepsOf(type)
    .filter((step) => step.required)
    .map(({ name }) => name);

test('a worker is deployed step by step, drained, and removed', async () => {
  const node = await newNode();
  for (const step of required('worker')) {
    expect((await node.shown()).status).toBe('pending');
    expect(await node.run(step)).toBe(202);
    expect(await node.stepNamed(step)).toMatchObject({
      status: 'succeeded',
      log: expect.any(String),
      started_at: expect.any(String),
      finished_at: expect.any(String),
    });
  }
  const fingerprint = server.target.hostKey!.sha256;
  expect(await node.shown()).toMatchObject({ status: 'active', last_error: null, host_key_fingerprint: fingerprint });
  // Half of what 8192 MiB leave: jobs that need more are left to other workers.
  expect((await findNode(node.ulid))?.memoryMib).toBe(3840);
  expect((await node.send(`GET ${node.path}/containers`)).json.data).toMatchObject([
    { name: 'video-service-worker-1', state: 'running' },
    { name: 'video-service-worker-2', state: 'running' },
  ]);

  expect(await node.run('drain')).toBe(202);
  expect(await node.shown()).toMatchObject({ status: 'pending' });
  expect(await node.stepNamed('verify')).toMatchObject({ status: 'pending', log: null });
  expect(await node.run('verify')).toBe(409);

  expect(await node.send(`DELETE ${node.path}`)).toMatchObject({ status: 202, json: { data: { status: 'deleting' } } });
  await doOrders();
  expect(await node.send(`GET ${node.path}`)).toMatchObject({ status: 404 });
  expect(await server.calls('docker')).toEqual(expect.arrayContaining([expect.stringMatching(/^rm /)]));
  const [gone] = (await listGoneNodes()).filter(({ ulid }) => ulid === node.ulid);
  expect(gone).toHaveProperty('deletedAt');
  expect(gone).not.toHaveProperty('tokenHash');
});

test('a node whose address the stage no longer allows is not connected to', async () => {
  const node = await newNode();
  expect(await node.run('check')).toBe(202);
  process.env.ALLOW_LOOPBACK_NODES = 'off';
  expect(await node.send(`GET ${node.path}/containers`)).toMatchObject({
    status: 502,
    json: { message: 'The ip address field must be the address of a server.' },
  });
});

test('the token of a worker is stored on its server only; the service stores its hash, and shows neither', async () => {
  const node = await newNode(
    { succeeded: ['check', 'packages', 'docker', 'image'] },
    { images: [process.env.WORKER_IMAGE_X86_64!] },
  );
  await node.run('check');
  await node.run('configure');
  const settings = await readFile(`${server.root}/etc/video-service/worker/worker.env`, 'utf8');
  const [, token = ''] = /WORKER_TOKEN=(.+)/.exec(settings) ?? [];
  const [ulid, secret = ''] = token.split('.');
  expect(ulid).toBe(node.ulid);
  expect((await findNode(node.ulid))?.tokenHash).toBe(sha256(secret));

  const everything = [
    await node.shown(),
    (await node.send(`GET ${node.path}/deploy/steps`)).json,
    (await listActivity(node.actor.ulid, { offset: 0, limit: 20 })).lines,
  ];
  const keyLines = server.target.privateKey.split('\n').filter((line) => line.length > 40);
  for (const text of [secret, sha256(secret), ...keyLines]) expect(JSON.stringify(everything)).not.toContain(text);

  await node.run('configure');
  expect((await findNode(node.ulid))?.tokenHash).not.toBe(sha256(secret));
});

test('a proxy is deployed with its configuration files', async () => {
  const node = await newNode({ type: 'proxy', workers: 1, hostname: 'edge1.example.com' });
  for (const step of required('proxy')) expect(await node.run(step)).toBe(202);
  expect(await node.shown()).toMatchObject({ status: 'active', last_error: null });
  const file = (name: string) => readFile(`${server.root}/etc/video-service/proxy/${name}`, 'utf8');
  expect(await file('nginx.conf')).toContain('edge1.example.com');
  expect(JSON.parse(await file('signing-keys.json'))).toEqual(proxyKeys.keys);
});

test('workers that run but never call the service are not verified', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const node = await newNode();
  for (const step of required('worker').slice(0, -1)) await node.run(step);
  const verified = node.run('verify', false);
  // The minute passes once the service waits for the call.
  const timer = setInterval(() => vi.setSystemTime(Date.now() + 30_000), 500);
  await verified;
  clearInterval(timer);
  vi.useRealTimers();
  expect(await node.shown()).toMatchObject({
    status: 'failed',
    last_error: expect.stringContaining('no worker has called the service'),
  });
});

test('a proxy that answers for itself but delivers no file of the bucket is not verified', async () => {
  const node = await newNode({ type: 'proxy', workers: 1, hostname: 'edge1.example.com' });
  await replaceProgram(server, 'sleep', '');
  for (const step of required('proxy').slice(0, -1)) await node.run(step);
  const answers = `case $(cat) in *healthz*) echo '{"node":"${node.ulid}"}' ;; *) echo '{"message":"…"}' ;; esac`;
  await replaceProgram(server, 'curl', answers);
  await node.run('verify');
  expect(await node.shown()).toMatchObject({
    status: 'failed',
    last_error: expect.stringContaining('does not deliver a file of the bucket'),
  });
  const written = () => store.commandCalls(PutObjectCommand).map(({ args: [{ input }] }) => input);
  expect(written()).toMatchObject([{ Body: node.ulid }]);
  const key = written()[0]!.Key!;
  expect(key).toMatch(/^videos\/0{26}\/[0-9A-Z]{26}\.txt$/);
  expect(store.commandCalls(DeleteObjectsCommand)[0]!.args[0].input).toMatchObject({
    Delete: { Objects: [{ Key: key }] },
  });
  // A file of an earlier run would come from the cache of the proxy.
  await node.run('verify');
  expect(written()[1]!.Key).not.toBe(key);
});

test('a proxy with a new host name serves the deployed one until it is deployed again', async () => {
  const node = await newNode({ type: 'proxy', workers: 1, hostname: 'edge1.example.com' });
  for (const step of required('proxy')) await node.run(step);
  const reached = async () =>
    (await listActiveProxies()).flatMap(({ ulid, hostname }) => (ulid === node.ulid ? hostname : []));
  const statuses = async () =>
    (await node.send(`GET ${node.path}/deploy/steps`)).json.data.flatMap((one: { step: string; status: string }) =>
      one.status === 'pending' ? one.step : [],
    );
  const never = ['drain', 'remove'];
  expect(await reached()).toEqual(['edge1.example.com']);

  await node.send(`PUT ${node.path}`, { hostname: 'edge2.example.com' });
  expect(await reached()).toEqual(['edge1.example.com']);
  expect(await node.shown()).toMatchObject({
    status: 'active',
    hostname: 'edge2.example.com',
    last_error: expect.stringMatching(
      /serves as edge1\.example\.com\..* edge2\.example\.com.*configure, certificate, verify/,
    ),
  });
  expect(await statuses()).toEqual(['configure', 'certificate', ...never]);
  expect([await node.run('certificate'), await node.run('verify')]).toEqual([409, 409]);

  // If the host name is changed back before a step ran, nothing has to be done.
  await node.send(`PUT ${node.path}`, { hostname: 'edge1.example.com' });
  expect(await node.shown()).toMatchObject({ status: 'active', last_error: null });
  expect(await statuses()).toEqual(never);
  await node.send(`PUT ${node.path}`, { hostname: 'edge2.example.com' });

  // Other changes leave the proxy active.
  for (const step of ['check', 'configure']) {
    expect(await node.run(step)).toBe(202);
    expect(await reached(), step).toEqual(['edge1.example.com']);
  }
  expect(await statuses()).toEqual(['certificate', ...never]);
  await node.run('certificate');
  expect(await node.shown()).toMatchObject({ status: 'pending', last_error: null });
  expect(await statuses()).toEqual(['verify', ...never]);
  await node.run('verify');
  expect(await node.shown()).toMatchObject({ status: 'active', hostname: 'edge2.example.com', last_error: null });
  expect(await reached()).toEqual(['edge2.example.com']);
});

test('a failed step has a reason, fails the node, and can be run again', async () => {
  const node = await newNode();
  await node.run('check');
  await server.fault('sudo', 'sudo: a password is required');
  await node.run('packages');
  expect(await node.shown()).toMatchObject({ status: 'failed', last_error: expect.stringContaining('sudo') });
  expect(await node.stepNamed('packages')).toMatchObject({ status: 'failed', log: expect.any(String) });
  await server.fault('sudo', null);
  expect(await node.run('docker')).toBe(409);
  expect(await node.run('packages')).toBe(202);
  expect(await node.shown()).toMatchObject({ status: 'pending', last_error: null });
});

describe('the first connection to a server pins its host key', () => {
  const refusal = { status: 502, json: { message: expect.stringContaining('instead of the pinned') } };

  test('also when it only lists containers', async () => {
    const node = await newNode();
    expect(await node.send(`GET ${node.path}/containers`)).toMatchObject({ status: 200 });
    expect(await node.shown()).toMatchObject({ host_key_fingerprint: server.target.hostKey!.sha256 });
    await server.changeHostKey();
    expect(await node.send(`GET ${node.path}/containers`)).toMatchObject(refusal);
    await node.run('check');
    expect(await node.shown()).toMatchObject({ status: 'failed', last_error: expect.stringContaining('pinned') });
  });

  test('also when the step fails', async () => {
    const node = await newNode();
    await server.fault('sudo', 'sudo: a password is required');
    await node.run('check');
    expect(await node.shown()).toMatchObject({
      status: 'failed',
      host_key_fingerprint: server.target.hostKey!.sha256,
    });
    await server.changeHostKey();
    expect(await node.send(`GET ${node.path}/containers`)).toMatchObject(refusal);
  });

  test('also when the server rejects the user', async () => {
    const node = await newNode({ user: 'nobody-of-that-name' });
    expect(await node.send(`GET ${node.path}/containers`)).toMatchObject({ status: 502 });
    await server.changeHostKey();
    expect(await node.send(`GET ${node.path}/containers`)).toMatchObject(refusal);
  });

  test('another key is pinned only after the node was changed to another server', async () => {
    const node = await newNode();
    await node.run('check');
    await server.changeHostKey();
    expect(await node.send(`PUT ${node.path}`, { user: 'another' })).toMatchObject({
      json: { data: { host_key_fingerprint: null } },
    });
    expect(await node.send(`PUT ${node.path}`, { user: server.target.user })).toMatchObject({ status: 200 });
    expect(await node.send(`GET ${node.path}/containers`)).toMatchObject({ status: 200 });
  });
});

test('another host key is refused until the node was changed to another server', async () => {
  const node = await newNode();
  await node.run('check');
  await server.changeHostKey();
  expect(await node.send(`GET ${node.path}/containers`)).toMatchObject({
    status: 502,
    json: { message: expect.stringContaining('instead of the pinned') },
  });
  await node.run('check');
  expect(await node.shown()).toMatchObject({ status: 'failed', last_error: expect.stringContaining('pinned') });
});

test('the removal fails if the server cannot be reached; with force it succeeds', async () => {
  const node = await newNode();
  process.env.NODE_SSH_PORT = String(await closedPort());
  await node.send(`DELETE ${node.path}`);
  await doOrders();
  expect(await node.shown()).toMatchObject({ status: 'failed', last_error: expect.any(String) });
  expect(await node.send(`DELETE ${node.path}?force=true`)).toMatchObject({ status: 204 });
  expect(await node.send(`GET ${node.path}`)).toMatchObject({ status: 404 });
});

test('an operation that is invoked twice runs once, and an unknown one does not run', async () => {
  const node = await newNode();
  await node.send(`POST ${node.path}/deploy`, { step: 'check' });
  const [order] = orders.splice(0);
  await Promise.all([operate(order), operate(order)]);
  await operate(order);
  expect(await server.calls('sudo')).toHaveLength(1);
  await operate({ ...(order as object), work: 'another' });
  expect(await server.calls('sudo')).toHaveLength(1);
  await expect(operate({ operation: 'rm -rf /' })).rejects.toThrow();
});

test('the result of a step of a deleted node is ignored', async () => {
  const node = await newNode();
  await node.send(`POST ${node.path}/deploy`, { step: 'check' });
  await node.send(`DELETE ${node.path}?force=true`);
  await doOrders();
  expect(await server.calls('sudo')).toEqual([]);
  expect(await node.send(`GET ${node.path}`)).toMatchObject({ status: 404 });
});
