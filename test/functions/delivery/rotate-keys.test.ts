import { createServer, type Server } from 'node:http';
import { GetParameterCommand, PutParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import signedUrl from '../../../delivery/urls/signed-url.js';
import { handler } from '../../../functions/delivery/rotate-keys.lambda.ts';
import { readSigningKeys } from '../../../functions/delivery/signing-keys.ts';
import { listen } from '../../../local/server/listen.ts';
import { storeNode } from '../../fixtures/records/store-node.ts';
import { useEdgeStore } from '../../fixtures/use-edge-store.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();

const parameters = mockClient(SSMClient);
const first = { current: 'k1', keys: { k1: 'c2VjcmV0' } };
let stored: string;
/** The keys of each proxy. */
const known: Record<string, string>[] = [{}, {}];
const servers: Server[] = [];

beforeAll(async () => {
  Object.assign(process.env, { PARAMETER_PREFIX: '/video-service/test' });
  for (const index of known.keys()) {
    const server = createServer((request, response) => {
      const { status } = signedUrl.checkSignedPath(request.url!, known[index]!, Date.now() / 1000);
      response.writeHead(status === 200 ? 404 : status).end();
    });
    servers.push(server);
    // The request must go to the IP address of the node and not to its host name, which can belong to a CDN.
    const hostname = `edge.invalid:${await listen(server, 0)}`;
    const place = { ipAddress: '127.0.0.1', hostname, scheme: 'http' } as const;
    await storeNode({ type: 'proxy', workers: 1, ...place, status: 'active' });
  }
  await storeNode({ type: 'proxy', workers: 1, hostname: '127.0.0.1:1', scheme: 'http', status: 'failed' });
});
afterAll(() => {
  for (const server of servers) server.close();
});

beforeEach(() => {
  stored = JSON.stringify(first);
  parameters.reset();
  parameters.on(GetParameterCommand).callsFake(() => ({ Parameter: { Value: stored } }));
  parameters.on(PutParameterCommand).callsFake(({ Value }) => {
    stored = Value;
    return {};
  });
  known.fill(first.keys);
});
afterEach(() => vi.useRealTimers());

const fetchKeys = (...proxies: number[]) => {
  for (const proxy of proxies) known[proxy] = JSON.parse(stored).keys;
};
const pass = (seconds: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + seconds * 1000 });

test('nothing changes without a start', async () => {
  expect(await handler({ source: 'aws.events' })).toEqual({ state: 'done', current: 'k1' });
  expect(parameters.commandCalls(PutParameterCommand)).toEqual([]);
});

test('the new key signs when every active proxy accepts it, and the old key is deleted when its URLs have expired', async () => {
  expect(await handler({ start: true })).toMatchObject({ state: 'distributing', current: 'k1', next: 'k2' });
  fetchKeys(0);
  expect(await handler({})).toMatchObject({
    state: 'distributing',
    waitingFor: [expect.stringContaining('edge.invalid')],
  });
  fetchKeys(1);
  expect(await handler({})).toMatchObject({ state: 'retiring', current: 'k2', retiring: [{ id: 'k1' }] });
  expect(await readSigningKeys({ fresh: true })).toMatchObject({ current: 'k2', keys: { k1: 'c2VjcmV0' } });

  pass(7 * 86_400);
  expect(await handler({})).toMatchObject({ state: 'retiring' });
  pass(600);
  expect(await handler({})).toEqual({ state: 'done', current: 'k2' });
  expect(Object.keys(JSON.parse(stored).keys)).toEqual(['k2']);
});

test('the signing key is always one that every proxy accepts, and signed URLs stay valid after the switch', async () => {
  const link = (keys: { current: string; keys: Record<string, string> }) =>
    signedUrl.signPath({
      keyId: keys.current,
      secret: keys.keys[keys.current]!,
      expiresSeconds: Date.now() / 1000 + 7 * 86_400 - 1,
      session: 's',
      objectKey: 'videos/01K9Z3Q8V7N4T2M6X5C0R1B2D3/a',
    });
  const links: { path: string; untilMs: number }[] = [];
  for (const call of [{ start: true }, {}, {}, {}]) {
    await handler(call);
    const keys = await readSigningKeys({ fresh: true });
    links.push({ path: link(keys), untilMs: Date.now() + 7 * 86_400_000 - 1000 });
    for (const { path, untilMs } of links.filter((one) => one.untilMs > Date.now())) {
      for (const proxy of known) expect(signedUrl.checkSignedPath(path, proxy, Date.now() / 1000).status).toBe(200);
      expect(untilMs).toBeGreaterThan(Date.now());
    }
    fetchKeys(0, 1);
    pass(2 * 86_400);
  }
});

test('a start while a new key is being distributed has no effect', async () => {
  await handler({ start: true });
  const before = stored;
  await handler({ start: true });
  expect(stored).toBe(before);
});

test('a key can be replaced while earlier keys are retiring', async () => {
  for (const days of [2, 5, 2]) {
    await handler({ start: true });
    fetchKeys(0, 1);
    await handler({});
    pass(days * 86_400);
  }
  // Nine days have passed since the first key was replaced, seven since the second, two since the third.
  expect(await handler({})).toMatchObject({ state: 'retiring', current: 'k4', retiring: [{ id: 'k2' }, { id: 'k3' }] });
  expect(Object.keys(JSON.parse(stored).keys)).toEqual(['k2', 'k3', 'k4']);
  pass(10 * 86_400);
  expect(await handler({})).toEqual({ state: 'done', current: 'k4' });
});

test('the number of keys is limited by the size of the parameter', async () => {
  for (let rotations = 0; rotations < 30; rotations++) {
    await handler({ start: true });
    fetchKeys(0, 1);
    await handler({});
  }
  expect(Object.keys(JSON.parse(stored).keys)).toHaveLength(20);
  expect(stored.length).toBeLessThan(4096);
});

test('a retiring key in an earlier format is deleted when it has expired', async () => {
  const untilSeconds = Math.floor(Date.now() / 1000) + 100;
  stored = JSON.stringify({ current: 'k2', retiring: { id: 'k1', untilSeconds }, keys: { ...first.keys, k2: 'dHdv' } });
  expect(await handler({})).toEqual({ state: 'retiring', current: 'k2', retiring: [{ id: 'k1', untilSeconds }] });
  pass(101);
  expect(await handler({})).toEqual({ state: 'done', current: 'k2' });
});

test('a proxy with another key of the same ID does not count as updated', async () => {
  await handler({ start: true });
  known.fill({ ...first.keys, k2: 'b3RoZXI' });
  expect(await handler({})).toMatchObject({ state: 'distributing', waitingFor: { length: 2 } });
});

test('concurrent calls have the same result', async () => {
  await handler({ start: true });
  fetchKeys(0, 1);
  await Promise.all([handler({}), handler({}), handler({})]);
  expect(JSON.parse(stored)).toMatchObject({ current: 'k2', retiring: [{ id: 'k1' }] });
});

describe('on a stage with a distribution', () => {
  const edge = useEdgeStore();
  const inEdge = () => [...edge.entries.keys()].filter((key) => key.startsWith('key/'));

  /** Whether the distribution accepts a URL that the stage signs now. */
  async function isSigningKeyInEdge(): Promise<boolean> {
    const { current, keys } = await readSigningKeys({ fresh: true });
    return edge.entries.get(`key/${current}`) === keys[current];
  }

  test('no signed URL breaks in any step of a rotation', async () => {
    await handler({});
    expect(inEdge()).toEqual(['key/k1']);

    expect(await handler({ start: true })).toMatchObject({ state: 'distributing', waitingFor: { 0: 'edge' } });
    expect(inEdge()).toEqual(['key/k1', 'key/k2']);
    fetchKeys(0, 1);
    expect(await handler({})).toMatchObject({ state: 'distributing', current: 'k1', waitingFor: ['edge'] });
    pass(60);
    expect(await handler({})).toMatchObject({ state: 'retiring', current: 'k2' });
    expect(await isSigningKeyInEdge()).toBe(true);

    // The last URL of the old key expires within this time.
    pass(7 * 86_400);
    await handler({});
    expect(inEdge()).toEqual(['key/k1', 'key/k2']);
    pass(600);
    expect(await handler({})).toEqual({ state: 'done', current: 'k2' });
    expect(inEdge()).toEqual(['key/k2']);
  });

  test('a key does not sign while it could not be written for the distribution', async () => {
    await handler({});
    edge.failNext = true;
    await expect(handler({ start: true })).rejects.toThrow('does not answer');
    fetchKeys(0, 1);
    expect(await readSigningKeys({ fresh: true })).toMatchObject({ current: 'k1', next: 'k2' });
    expect(await handler({})).toMatchObject({ state: 'distributing', waitingFor: ['edge'] });
    expect(inEdge()).toEqual(['key/k1', 'key/k2']);
  });

  test('an expired key is removed from the distribution before it is forgotten', async () => {
    await handler({});
    const untilSeconds = Math.floor(Date.now() / 1000) - 1;
    stored = JSON.stringify({
      ...JSON.parse(stored),
      current: 'k2',
      retiring: [{ id: 'k1', untilSeconds }],
      keys: { ...first.keys, k2: 'dHdv' },
    });
    await handler({ start: true }).catch(() => {});
    expect(inEdge()).not.toContain('key/k1');
    expect(Object.keys(JSON.parse(stored).keys)).toEqual(['k2', 'k3']);
  });

  test('a new store gets all keys', async () => {
    await handler({});
    process.env.EDGE_KEY_VALUE_STORE_ARN = 'arn:aws:cloudfront::123456789012:key-value-store/new';
    edge.entries.clear();
    await handler({});
    expect(inEdge()).toEqual(['key/k1']);
    expect(await handler({})).toEqual({ state: 'done', current: 'k1' });
  });
});
