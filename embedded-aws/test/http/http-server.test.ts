import type { Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import {
  createHttpServer,
  type HttpLimits,
  listenOnLoopback,
  type RequestHandler,
  smallRequests,
  stopServer,
} from '../../src/http/http-server.ts';
import { readBody } from '../../src/http/request-body.ts';

let server: Server;
let sockets: Socket[] = [];
let lines: string[] = [];
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await stopServer(server);
  [sockets, lines] = [[], []];
});

const echo: RequestHandler = async (request, response) => {
  response.end((await readBody(request, 1e6)).toString());
};

async function serve(handle: RequestHandler = echo, limits: Partial<HttpLimits> = {}): Promise<number> {
  const writeLine = (_: string, line: string) => void lines.push(line);
  server = createHttpServer(handle, { ...smallRequests, checkEveryMs: 50, ...limits }, writeLine);
  return listenOnLoopback(server);
}

/** A connection with what it has received, and whether the server has closed it. */
function open(port: number, localAddress = '127.0.0.1') {
  const seen = { text: '', closed: false };
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  sockets.push(socket);
  socket.on('data', (data) => {
    seen.text += data;
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    seen.closed = true;
  });
  return { socket, seen };
}

/** Sends a text and returns what the server sends until it closes the connection. */
async function answerTo(port: number, text: string): Promise<string> {
  const { socket, seen } = open(port);
  socket.write(text);
  await expect.poll(() => seen.closed).toBe(true);
  return seen.text;
}

test.each([
  ['two Host headers', 'Host: a\r\nHost: a\r\n', 400],
  ['two Host headers of other case', 'host: a\r\nX: y\r\nHOST: b\r\n', 400],
  ['no Host header', '', 400],
  ['headers of 20 KB', `Host: a\r\nX: ${'x'.repeat(20_000)}\r\n`, 431],
  ['300 headers', `Host: a\r\n${'X: y\r\n'.repeat(300)}`, 431],
])('a request with %s is rejected and its connection closed', async (_, headers, status) => {
  const port = await serve();
  expect(await answerTo(port, `GET / HTTP/1.1\r\n${headers}\r\n`)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
});

test.each(['/a#b', '/#'])('the target %s is rejected', async (target) => {
  const port = await serve();
  expect(await answerTo(port, `GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`)).toMatch(/^HTTP\/1.1 400 /);
});

test('text that is not HTTP is rejected with JSON', async () => {
  const port = await serve();
  const [head = '', body = ''] = (await answerTo(port, 'what?\r\n\r\n')).split('\r\n\r\n');
  expect(head).toMatch(/^HTTP\/1.1 400 /);
  expect(JSON.parse(body)).toEqual({ message: 'The request is not HTTP/1.1.' });
});

test.each([
  ['headers', 'POST / HTTP/1.1\r\nHost: a\r\n', 'X: y\r\n'],
  ['a body', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n', 'x'],
])('%s that take too long are answered with 408, and the connection is closed', async (_, begin, piece) => {
  const port = await serve(echo, { headersTimeoutMs: 400, requestTimeoutMs: 400 });
  const { socket, seen } = open(port);
  socket.write(begin);
  while (!seen.closed) {
    socket.write(piece);
    await sleep(50);
  }
  expect(seen.text).toMatch(/^HTTP\/1.1 408 /);
  expect(seen.text).toContain('{"message":"The request took too long."}');
});

test('a connection without a request is closed', async () => {
  const port = await serve(echo, { headersTimeoutMs: 300, requestTimeoutMs: 300 });
  expect(await answerTo(port, '')).toMatch(/^HTTP\/1.1 408 /);
});

test('a handler may take longer than the request timeout', async () => {
  const port = await serve(
    async (request, response) => {
      await readBody(request, 100);
      await sleep(2600);
      response.end('late');
    },
    // long enough for a busy machine to send the request
    { headersTimeoutMs: 2000, requestTimeoutMs: 2000 },
  );
  expect(await (await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body: 'x' })).text()).toBe('late');
});

test('a response that the client does not read is aborted', async () => {
  const port = await serve((_, response) => void response.end(Buffer.alloc(50_000_000)), { idleTimeoutMs: 300 });
  const { socket, seen } = open(port);
  socket.pause();
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await expect.poll(() => new Promise((resolve) => server.getConnections((_, count) => resolve(count)))).toBe(0);
  expect(seen.text).toBe('');
});

test('idle connections are closed when new ones need room', async () => {
  const port = await serve(echo, { maxConnections: 8 });
  const idle = Array.from({ length: 4 }, () => open(port));
  for (const { socket } of idle) socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await expect.poll(() => idle.every(({ seen }) => seen.text.startsWith('HTTP/1.1 200'))).toBe(true);
  const next = open(port);
  next.socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await expect.poll(() => next.seen.text).toMatch(/^HTTP\/1.1 200/);
  await expect.poll(() => idle.every(({ seen }) => seen.closed)).toBe(true);
});

const complete = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const halfOpen = 'GET / HTTP/1.1\r\nHost: a\r\n';

test('a connection above the limit is refused with 503 while all others are answered', async () => {
  let asked = 0;
  const port = await serve(() => new Promise(() => void asked++), { maxConnections: 2 });
  const held = [open(port, '127.0.0.2'), open(port, '127.0.0.3')];
  for (const { socket } of held) socket.write(complete);
  await expect.poll(() => asked).toBe(2);
  const refused = open(port, '127.0.0.4');
  await expect.poll(() => refused.seen.closed).toBe(true);
  expect(refused.seen.text).toMatch(/^HTTP\/1.1 503 .*Retry-After: 1\r\n/s);
  expect(held.map(({ seen }) => seen.closed)).toEqual([false, false]);
});

test('the oldest incomplete request ends for a new connection, not those that are being answered', async () => {
  let asked = 0;
  const port = await serve(() => new Promise(() => void asked++), { maxConnections: 3 });
  const answered = open(port, '127.0.0.2');
  answered.socket.write(complete);
  await expect.poll(() => asked).toBe(1);
  const first = open(port, '127.0.0.3');
  first.socket.write(halfOpen);
  await expect.poll(() => connectionsOf()).toBe(2);
  const second = open(port, '127.0.0.4');
  second.socket.write(halfOpen);
  await expect.poll(() => connectionsOf()).toBe(3);
  const third = open(port, '127.0.0.5');
  third.socket.write(complete);
  await expect.poll(() => asked).toBe(2);
  await expect.poll(() => first.seen.text).toMatch(/^HTTP\/1.1 503 /);
  expect([answered, second, third].map(({ seen }) => seen.closed)).toEqual([false, false, false]);
});

test('1,000 half-open requests of one address do not keep another from being served', async () => {
  const port = await serve();
  const flood = Array.from({ length: 1000 }, () => open(port, '127.0.0.2'));
  for (const { socket } of flood) socket.write(halfOpen);
  const other = open(port, '127.0.0.3');
  other.socket.write(complete);
  await expect.poll(() => other.seen.text).toMatch(/^HTTP\/1.1 200 /);
  await expect.poll(() => flood.filter(({ seen }) => seen.text.startsWith('HTTP/1.1 503 ')).length).toBe(500);
});

test('a client of a reverse proxy has a share, by its address or network of IPv6', async () => {
  let asked = 0;
  const port = await serve(() => new Promise(() => void asked++), {
    maxConnections: 20,
    trustedProxies: ['127.0.0.0/8'],
  });
  const from = (client: string) => {
    const connection = open(port);
    connection.socket.write(`GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: ${client}\r\n\r\n`);
    return connection;
  };
  from('2001:db8::1');
  from('2001:db8::ffff');
  await expect.poll(() => asked).toBe(2);
  const third = from('2001:db8:0:0:1::1');
  await expect.poll(() => third.seen.text).toMatch(/^HTTP\/1.1 503 /);
  from('2001:db8:0:1::1');
  from('203.0.113.7');
  await expect.poll(() => asked).toBe(4);
});

const connectionsOf = () => new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)));

test('the bodies of errors of the server itself can be replaced', async () => {
  const port = await serve(echo, { errorBody: ({ status, requestId }) => ({ status, requestId }) });
  const answer = await fetch(`http://127.0.0.1:${port}/`, { headers: { a: 'x'.repeat(20_000) } });
  const requestId = answer.headers.get('x-request-id');
  expect(requestId).toMatch(/^[0-9a-f-]{36}$/);
  expect(await answer.json()).toEqual({ status: 431, requestId });
});

test.each<[string, RequestHandler]>([
  ['throws', () => Promise.reject(new Error('inside'))],
  ['returns without a response', async () => {}],
])('a handler that %s is answered with 500 without the cause', async (_, handle) => {
  const port = await serve(handle);
  const answer = await fetch(`http://127.0.0.1:${port}/`);
  expect([answer.status, await answer.json()]).toEqual([500, { message: 'Internal Server Error' }]);
  expect(lines).toHaveLength(1);
});
