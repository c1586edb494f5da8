import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { postChecked } from '../../../../functions/webhooks/sending/checked-request.ts';
import type { Resolve } from '../../../../shared/checked-lookup.ts';
import { openReceiver } from '../../../fixtures/servers/open-receiver.ts';

let receiver: Awaited<ReturnType<typeof openReceiver>>;
beforeAll(async () => {
  receiver = await openReceiver();
});
afterAll(() => receiver.close());
afterEach(() => vi.unstubAllEnvs());

const onAws = { schemes: ['https:'], allowLoopback: false } as const;
const onOneMachine = { schemes: ['https:'], allowLoopback: true } as const;
const sent = { headers: { 'content-type': 'application/json' }, body: '{"ä":1}', timeoutMilliseconds: 3000 };
const never: Resolve = (_hostname, _options, callback) =>
  callback(Object.assign(new Error('not resolved'), { code: 'ENOTFOUND' }), []);
const resolvesTo =
  (...addresses: string[]): Resolve =>
  (_hostname, _options, callback) =>
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );

const post = (url: string, rules: typeof onAws | typeof onOneMachine = onAws, resolve?: Resolve, changes = {}) =>
  postChecked(new URL(url), { ...sent, ...changes }, rules, resolve);

test('a request has the body, its length and the given headers', async () => {
  const answer = await post(`${receiver.url}?key=1`, onOneMachine);
  expect(answer).toMatchObject({ httpStatus: 204, retryAfter: undefined });
  const { path, headers, body } = receiver.requests.at(-1)!;
  expect({ path, body }).toEqual({ path: '/hook?key=1', body: sent.body });
  expect(headers).toMatchObject({ 'content-length': '8', 'content-type': 'application/json', connection: 'close' });
});

test('no text form of an address that is not public gets a connection', async () => {
  const before = receiver.connections();
  const hosts = [
    '127.0.0.1',
    '2130706433',
    '0x7f.1',
    '0177.0.0.1',
    '[::1]',
    '[::ffff:7f00:1]',
    '[::ffff:0:127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '169.254.169.254',
    '169.254.170.2',
    '[fd00::1]',
    'localhost',
  ];
  for (const host of hosts) {
    await expect(post(`https://${host}:${receiver.port}/`, onAws, never), host).rejects.toThrow('The host of the URL');
  }
  expect(receiver.connections()).toBe(before);
});

test('a name gets no connection when one of its addresses is not public', async () => {
  const before = receiver.connections();
  for (const address of ['127.0.0.1', '::1', '::ffff:7f00:1', '64:ff9b::7f00:1', '169.254.169.254', 'fd00::1']) {
    const resolve = resolvesTo('93.184.216.34', address);
    const refused = post(`https://rebind.example:${receiver.port}/`, onAws, resolve);
    await expect(refused, address).rejects.toThrow('public addresses only');
  }
  expect(receiver.connections()).toBe(before);
});

test('the connection uses the address that was checked: the name is resolved once', async () => {
  // A name that is not in the DNS: a second look-up would fail.
  let lookups = 0;
  const resolve: Resolve = (_hostname, _options, callback) =>
    callback(null, [{ address: '127.0.0.1', family: ++lookups === 1 ? 4 : 6 }]);
  const answer = await post(`http://rebind.localhost:${receiver.port}/`, onOneMachine, resolve);
  expect([answer.httpStatus, lookups]).toEqual([204, 1]);
  expect(receiver.requests.at(-1)!.headers.host).toBe(`rebind.localhost:${receiver.port}`);
});

test('a proxy of the environment is not used', async () => {
  vi.stubEnv('NODE_USE_ENV_PROXY', '1');
  vi.stubEnv('HTTP_PROXY', 'http://127.0.0.1:9');
  vi.stubEnv('http_proxy', 'http://127.0.0.1:9');
  expect((await post(receiver.url, onOneMachine)).httpStatus).toBe(204);
});

test('a redirect is an answer, and is not followed', async () => {
  receiver.answer.respond = (response) => response.writeHead(307, { location: receiver.url }).end();
  const before = receiver.requests.length;
  expect((await post(receiver.url, onOneMachine)).httpStatus).toBe(307);
  expect(receiver.requests.length).toBe(before + 1);
});

test('an answer that switches the protocol is an answer, and its connection is closed', async () => {
  const { promise: closed, resolve: close } = Promise.withResolvers<void>();
  receiver.answer.respond = ({ socket }) => {
    socket!.once('close', () => close());
    socket!.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n');
  };
  expect(await post(receiver.url, onOneMachine)).toEqual({
    httpStatus: 101,
    retryAfter: undefined,
    body: Buffer.alloc(0),
  });
  await closed;
});

test('of an endless answer 64 KiB are read', async () => {
  receiver.answer.respond = (response) => {
    const chunk = Buffer.alloc(64 * 1024, 'x');
    const more = (): void => {
      while (!response.destroyed && response.write(chunk));
      if (!response.destroyed) response.once('drain', more);
    };
    response.writeHead(200);
    more();
  };
  const { httpStatus, body } = await post(receiver.url, onOneMachine);
  expect([httpStatus, body.length]).toEqual([200, 64 * 1024]);
});

test('an endpoint that does not answer in time has failed; one whose answer does not end has not', async () => {
  receiver.answer.respond = () => undefined;
  const silent = post(receiver.url, onOneMachine, undefined, { timeoutMilliseconds: 200 });
  await expect(silent).rejects.toThrow('The endpoint did not answer within 0.2 seconds.');
  receiver.answer.respond = (response) => response.writeHead(200).write('begin');
  const slow = await post(receiver.url, onOneMachine, undefined, { timeoutMilliseconds: 200 });
  expect([slow.httpStatus, slow.body.toString()]).toEqual([200, 'begin']);
});

test('a slow look-up counts towards the time, and a failed one has its own message', async () => {
  const hangs: Resolve = () => undefined;
  const slow = post('https://slow.example/', onAws, hangs, { timeoutMilliseconds: 100 });
  await expect(slow).rejects.toThrow('The endpoint did not answer within 0.1 seconds.');
  await expect(post('https://unknown.example/', onAws, never)).rejects.toThrow('The host name could not be resolved.');
});

test('an error of the connection has its code and no address', async () => {
  const closed = await openReceiver();
  await closed.close();
  await expect(post(closed.url, onOneMachine)).rejects.toThrow('The connection failed (ECONNREFUSED).');
});
