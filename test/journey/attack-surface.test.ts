import { once } from 'node:events';
import { access, mkdtemp, rm } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { signRequest } from 'embedded-aws/testing';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { readOperator } from '../fixtures/servers/read-operator.ts';
import { openAccount } from './support/account.ts';
import { type Attack, attacksOn } from './support/attacks.ts';
import { type Client, signIn, signUp } from './support/client.ts';
import { listeningPorts } from './support/listening-ports.ts';
import { streamsOf } from './support/templates.ts';

const [apiUrl, dataFolder, clip] = [inject('apiUrl'), inject('dataFolder'), inject('clip')];
const name = 'video-service-local';
const region = 'local-1';
/** A response that takes longer counts as none. */
const longestAnswerMs = 120_000;

let folder: string;
let markerFile: string;
let client: Client;
let ports: number[];
let attacks: Attack[];
/** The dashboard, which everyone gets at `/`. */
let dashboard: string;
/** Every string with a credential in it that a user receives. */
let partUrl: string;
let form: { url: string; fields: Record<string, string> };
let sources: string[];
/** The public parts of the temporary credentials that sign URLs and forms. */
let sessions: Session[];
/** Strings that no response may contain. */
let secrets: string[];
const email = `${crypto.randomUUID()}@example.com`;

/** A new user with a small video and an open upload, and all URLs and form fields that the user received. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'no-way-in-'));
  markerFile = join(folder, 'marker');
  attacks = attacksOn({ name, parameterPrefix: '/video-service/local', markerFile, email });
  client = await signUp(apiUrl);
  const query = { ...streamsOf([240]), outputs: [{ format: 'hls', segment_duration: 4 }] };
  const template = await client.makeTemplate(query);
  const ulid = await client.upload({ file: clip.file, template, partBytes: 16 * 2 ** 20 });
  const { uploadId } = await client.post<{ uploadId: string }>('/api/objstore/multipart', {
    filename: 'mine.mp4',
    metadata: { template },
  });
  ({ url: partUrl } = await client.get<{ url: string }>(`/api/objstore/multipart/${encodeURIComponent(uploadId)}/1`));
  form = await client.postForm('mine.mp4', template);
  await client.waitUntilDone(ulid);
  sources = Object.values(await client.sources(ulid)) as string[];
  sessions = [sessionOf(Object.fromEntries(new URL(partUrl).searchParams)), sessionOf(form.fields)];
  ports = await listeningPorts(dataFolder);
  dashboard = await (await fetch(apiUrl)).text();

  const operator = await readOperator(dataFolder);
  const account = await openAccount(dataFolder);
  const { keys } = JSON.parse(await account.parameter('signing-keys')) as { keys: Record<string, string> };
  secrets = [...Object.values(keys), await account.parameter('worker-token'), ...Object.values(operator.credentials)];
  account.close();
});
afterAll(() => rm(folder, { recursive: true }));

type Session = { accessKeyId: string; sessionToken: string };

function sessionOf(parameters: Record<string, string>): Session {
  const values = new Map(Object.entries(parameters).map(([name, value]) => [name.toLowerCase(), value]));
  const [accessKeyId = ''] = (values.get('x-amz-credential') ?? '').split('/');
  return { accessKeyId, sessionToken: values.get('x-amz-security-token') ?? '' };
}

type Signature = { name: string; headers(attack: Attack, url: string): Record<string, string> };

const amzDate = (date: Date): string => date.toISOString().replace(/[-:]|\.\d+/g, '');
const withSignature = (signature: string, { accessKeyId, sessionToken }: Session, date: Date): Signature['headers'] => {
  const time = amzDate(date);
  return ({ service }) => ({
    'x-amz-date': time,
    'x-amz-content-sha256': 'UNSIGNED-PAYLOAD',
    'x-amz-security-token': sessionToken,
    authorization: `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${time.slice(0, 8)}/${region}/${service}/aws4_request, SignedHeaders=host;x-amz-date;x-amz-security-token;x-amz-target, Signature=${signature}`,
  });
};

/** The authorizations that a client can forge who knows an access key id and its session, but not its secret. */
const signatures = (session: Session): Signature[] => [
  { name: 'no signature', headers: () => ({}) },
  { name: 'the signature 00', headers: withSignature('00', session, new Date()) },
  { name: 'the signature 00 of 2020', headers: withSignature('00', session, new Date('2020-01-01T00:00:00Z')) },
  {
    name: 'a wrong secret',
    headers: ({ service, method, headers, body }, url) => {
      const { accessKeyId, sessionToken } = session;
      const unsigned = { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD', 'x-amz-security-token': sessionToken };
      const more = { ...headers, ...unsigned };
      const credentials = { accessKeyId, secretAccessKey: 'guessed' };
      return signRequest({ url, method, headers: more, body, service, region, credentials }).headers;
    },
  },
];

type Answered = { what: string; status: number; body: string };

/** Wrong credentials count for the network that they come from, and the other journeys come from 127.0.0.1. */
const attackerAddress = '127.0.0.2';

type Sent = { method: string; headers?: Record<string, string>; body?: string };

async function answerTo(url: string, { method, headers = {}, body }: Sent): Promise<Omit<Answered, 'what'>> {
  const signal = AbortSignal.timeout(longestAnswerMs);
  const sent = request(url, { method, headers, localAddress: attackerAddress, agent: false, signal }).end(body);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: answer.statusCode!, body: await text(answer) };
}

/**
 * The status and the text of any response; 0 for a port that is closed by now, since encoders come and go. A connection
 * that ends without a response is tried once more: either the process has ended in between, or the server must answer.
 */
async function send(what: string, url: string, init: Sent, triesLeft = 1): Promise<Answered> {
  try {
    return { what, ...(await answerTo(url, init)) };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (message === 'socket hang up' && triesLeft > 0) return send(what, url, init, triesLeft - 1);
    if (message !== 'socket hang up' && (code === 'ECONNREFUSED' || code === 'ECONNRESET')) {
      return { what, status: 0, body: '' };
    }
    throw new Error(`${what}: no answer`, { cause: error });
  }
}

function expectRefused(answers: Answered[]): void {
  // The API redirects paths that end in a slash; the redirect is not the response under test.
  const accepted = answers.filter(({ status, body }) => status >= 200 && status < 300 && body !== dashboard);
  expect(accepted.map(({ what }) => what)).toEqual([]);
  const told = answers.filter(({ body }) => secrets.some((secret) => body.includes(secret)));
  expect(told.map(({ what }) => what)).toEqual([]);
}

const urlOf = (port: number, path: string): string => `http://127.0.0.1:${port}${path}`;
const bodyOf = (text: string) => (text === '' ? {} : { body: text });

test('the targets exist: two public ports, a hidden one, and sessions in URLs and forms', () => {
  const { port } = new URL(apiUrl);
  expect(ports).toEqual(expect.arrayContaining([0, 1].map((more) => Number(port) + more)));
  expect(ports.length).toBeGreaterThan(2);
  for (const { accessKeyId, sessionToken } of sessions) {
    expect(accessKeyId).toMatch(/^ASIA/);
    expect(sessionToken).not.toBe('');
  }
  expect(sources).not.toEqual([]);
  expect(secrets.every((secret) => secret.length > 10)).toBe(true);
});

test('no service on any port accepts a request that was signed without the secret key', async () => {
  for (const port of ports) {
    for (const session of sessions) {
      for (const signature of signatures(session)) {
        const answers = attacks.map((attack) => {
          const { method, path, headers, body, service } = attack;
          const url = urlOf(port, path);
          const what = `${port} ${service} ${method} ${path} ${headers['x-amz-target'] ?? ''} with ${signature.name}`;
          return send(what, url, {
            method,
            headers: { ...headers, ...signature.headers(attack, url) },
            ...bodyOf(body),
          });
        });
        expectRefused(await Promise.all(answers));
      }
    }
  }
});

test('the query of a presigned URL authorizes nothing else, on any port with any method', async () => {
  const { pathname, search } = new URL(partUrl);
  const [path, query] = [pathname, search.slice(1)];
  const bare = query.replace(/&?(partNumber|uploadId)=[^&]*/g, '').replace(/^&/, '');
  const others = [
    ...['GET', 'HEAD', 'POST', 'DELETE'].map((method) => ({ method, path: `${path}?${query}` })),
    { method: 'PUT', path: `${path}2?${query}` },
    { method: 'PUT', path: `${path}?${query.replace('partNumber=1', 'partNumber=2')}` },
    { method: 'PUT', path: `${path}?${bare}` },
    { method: 'PUT', path: `${path}?${query}&tagging` },
    { method: 'GET', path: `/${name}?list-type=2&${bare}` },
    { method: 'GET', path: `/${name}/uploads/?${bare}` },
    { method: 'POST', path: `/${name}?delete&${bare}` },
  ];
  const attempts = [
    ...others.map((one) => ({ ...one, headers: {}, body: one.method === 'PUT' ? 'x' : '' })),
    ...attacks.map((attack) => ({
      ...attack,
      path: `${attack.path}${attack.path.includes('?') ? '&' : '?'}${bare}`,
    })),
  ];
  for (const port of ports) {
    const answers = attempts.map(({ method, path, headers, body }) =>
      send(`${port} ${method} ${path}`, urlOf(port, path), { method, headers, ...bodyOf(body) }),
    );
    expectRefused(await Promise.all(answers));
  }
});

test('the form fields authorize no other object or metadata', async () => {
  const post = async (changes: Record<string, string>): Promise<Answered> => {
    const data = new FormData();
    for (const [field, value] of Object.entries({ ...form.fields, ...changes })) data.append(field, value);
    data.append('file', new Blob(['x']));
    const answer = await fetch(form.url, { method: 'POST', body: data });
    return { what: JSON.stringify(changes), status: answer.status, body: await answer.text() };
  };
  const policy = Buffer.from(JSON.stringify({ expiration: '2099-01-01T00:00:00Z', conditions: [] })).toString('base64');
  const key = Object.keys(form.fields).find((field) => field.toLowerCase() === 'policy')!;
  expectRefused([
    await post({ key: 'videos/mine' }),
    await post({ [key]: policy }),
    await post({ 'x-amz-meta-more': '1' }),
  ]);
});

describe('a page in a browser on the machine', () => {
  const origin = 'https://evil.example';

  test('cannot read responses of the hidden port', async () => {
    const hidden = ports.filter(
      (port) => port < Number(new URL(apiUrl).port) || port > Number(new URL(apiUrl).port) + 1,
    );
    for (const port of hidden) {
      const answer = await fetch(urlOf(port, '/'), { method: 'OPTIONS', headers: { origin } }).catch(() => undefined);
      expect(answer?.headers.get('access-control-allow-origin') ?? null).toBeNull();
    }
  });

  test('cannot use a form that any page can submit', async () => {
    const types = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=b'];
    for (const port of ports) {
      const answers = types.map((type) =>
        send(`${port} ${type}`, urlOf(port, '/'), {
          method: 'POST',
          headers: { origin, 'content-type': type },
          body: 'Action=DescribeStacks',
        }),
      );
      expectRefused(await Promise.all(answers));
    }
  });
});

test('a request with two Host headers is refused on every port of the service', async () => {
  const first = Number(new URL(apiUrl).port);
  const fixed = [first, first + 1];
  const statusLine = async (port: number): Promise<string> => {
    const socket = connect(port, '127.0.0.1');
    socket.end('GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n');
    return text(socket).catch(() => 'HTTP/1.1 400');
  };
  for (const port of fixed) expect(await statusLine(port)).toMatch(/^HTTP\/1.1 400/);
  // An encoder that is at work has a port for ffmpeg. It answers 404 to every path that does not hold its secret.
  for (const port of ports) expect(await statusLine(port)).toMatch(/^HTTP\/1.1 40[04]/);
});

test("after all attempts the user has no more rights, and the user's video still works", async () => {
  expect(await client.get('/api/me')).toMatchObject({ is_admin: false });
  await expect(signIn(apiUrl, { email, password: 'correct-horse-battery' })).rejects.toThrow();
  await expect(access(markerFile)).rejects.toThrow();
  expect((await fetch(partUrl, { method: 'PUT', body: 'x' })).status).toBe(200);
  for (const url of sources) expect((await fetch(url)).status).toBe(200);
});
