import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type Account, openAccount } from './account.ts';
import { clients, versions } from './clients.ts';
import { type Lab, openLab } from './lab.ts';

const apiUrl = inject('apiUrl');
const inParts = true;
const otherOrigin = 'http://localhost:5173';

type Created = { uploadId: string; key: string };

let lab: Lab;
let stranger: Account;
beforeAll(async () => {
  lab = await openLab(apiUrl);
  stranger = await openAccount(apiUrl);
});
afterAll(() => lab.close());

const send = (path: string, { token, ...options }: RequestInit & { token?: string } = {}): Promise<Response> =>
  fetch(`${apiUrl}/api/objstore${path}`, {
    ...options,
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(options.body && { 'content-type': 'application/json' }),
      ...options.headers,
    },
  });

async function openUpload(): Promise<Created> {
  const body = JSON.stringify({ filename: 'a.mp4', metadata: { template: lab.account.template } });
  return (await send('/multipart', { method: 'POST', token: lab.account.token, body })).json() as Promise<Created>;
}

/** The four operations on an upload. */
const operations = (uploadId: string, query = '') =>
  [
    [`/multipart/${uploadId}${query}`, {}],
    [`/multipart/${uploadId}/1${query}`, {}],
    [`/multipart/${uploadId}/complete${query}`, { method: 'POST', body: '{"parts":[{"PartNumber":1,"ETag":"x"}]}' }],
    [`/multipart/${uploadId}${query}`, { method: 'DELETE' }],
  ] as const;

describe('an upload', () => {
  test.each(versions)('of another user is not found for Uppy %s', async (_, client) => {
    const { uploadId, key } = await openUpload();
    const page = await lab.page(client, { inParts, account: stranger });
    await page.add({ name: 'a.mp4', bytes: 1 });
    await page.run(`uppy.setFileState(uppy.getFiles()[0].id, { s3Multipart: ${JSON.stringify({ uploadId, key })} })`);
    expect(await page.upload()).toMatchObject([{ complete: false, error: expect.stringMatching(/./) }]);
    expect(page.calls).toEqual(['list 404']);
    expect(await lab.account.client.get(`/api/objstore/multipart/${uploadId}`)).toEqual([]);
    await page.close();
  });

  test.each([
    ['with the token of somebody else', 404, () => ({ token: stranger.token, query: '' })],
    ['without a token', 401, () => ({ query: '' })],
    ['with the key of another upload', 404, () => ({ token: lab.account.token, query: '?key=uploads%2Fa%2Fb%2Fc' })],
  ])('cannot be used %s', async (_, status, by) => {
    const { token, query } = by() as { token?: string; query: string };
    const { uploadId } = await openUpload();
    for (const [path, options] of operations(uploadId, query)) {
      expect((await send(path, { ...options, ...(token && { token }) })).status).toBe(status);
    }
    expect(await lab.account.client.get(`/api/objstore/multipart/${uploadId}`)).toEqual([]);
  });

  test.each([
    ['the example of docs/uploads.md', clients.five, 'Unauthenticated.'],
    ['Uppy 5.1.0 by endpoint', clients.fiveByEndpoint, 'Authorization required'],
    ['Uppy 6.3.1', clients.sixByFetchWrapper, 'Companion request failed: Unauthorized'],
  ])('is refused for an invalid token: %s shows the message', async (_, client, words) => {
    const page = await lab.page(client, { inParts, token: 'none' });
    await page.add({ name: 'a.mp4', bytes: 1 });
    expect(await page.upload()).toMatchObject([{ error: words }]);
    expect(page.calls).toEqual(['create 401']);
    await page.close();
  });
});

describe('a page of another origin', () => {
  test.each(['GET', 'POST', 'PUT', 'DELETE'])('may send %s with a token and JSON', async (method) => {
    const answer = await send('/multipart', {
      method: 'OPTIONS',
      headers: {
        origin: otherOrigin,
        'access-control-request-method': method,
        'access-control-request-headers': 'authorization,content-type',
      },
    });
    expect(answer.status).toBe(204);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'access-control-allow-origin': otherOrigin,
      'access-control-allow-credentials': 'true',
      'access-control-allow-methods': expect.stringContaining(method),
      'access-control-allow-headers': expect.stringMatching(/authorization.*content-type/),
    });
  });

  test('can read error messages and Retry-After', async () => {
    const headers = { origin: otherOrigin };
    const answers = [
      await send('/multipart/none', { headers }),
      await send('/multipart/none', { headers, token: lab.account.token }),
      await send('/multipart', { headers, token: lab.account.token, method: 'POST', body: '{}' }),
      await send('/multipart', { headers, token: lab.account.token, method: 'POST', body: '{' }),
      await send('/multipart', { headers, token: lab.account.token, method: 'PUT' }),
      await send('/nowhere', { headers, token: lab.account.token }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([401, 404, 422, 400, 405, 404]);
    for (const answer of answers) {
      expect(answer.headers.get('access-control-allow-origin')).toBe(otherOrigin);
      expect(answer.headers.get('access-control-expose-headers')).toContain('Retry-After');
    }
  });

  test('may upload parts and forms to the store, and read ETag and Location', async () => {
    const { uploadId } = await openUpload();
    const { url } = await lab.account.client.get<{ url: string }>(`/api/objstore/multipart/${uploadId}/1`);
    for (const method of ['PUT', 'POST']) {
      const headers = { origin: otherOrigin, 'access-control-request-method': method };
      // The URL alone authorizes the request, so the store answers pages of any origin.
      expect((await fetch(url, { method: 'OPTIONS', headers })).headers.get('access-control-allow-origin')).toBe('*');
    }
    const put = await fetch(url, { method: 'PUT', body: 'x', headers: { origin: otherOrigin } });
    expect([put.status, put.headers.get('access-control-expose-headers')]).toEqual([200, 'ETag, Location']);
  });

  test('cannot use the session of a user', async () => {
    const page = await lab.page(clients.six);
    const create = `fetch('${lab.site.origin}/api/objstore/multipart', {
      method: 'POST', credentials: 'include', headers: { 'content-type': 'application/json' }, body: '{}',
    }).then(({ status }) => status)`;
    expect(await page.run(create)).toBe(422);
    await page.visit(lab.site.otherOrigin);
    expect(await page.run(create)).toBe(401);
    await page.close();
  });

  test('of the same site has the session, but only for reading', async () => {
    const page = await lab.page(clients.six);
    const ask = (method: string, body?: string) =>
      page.run(`fetch('${apiUrl}/api/templates', {
        method: '${method}', credentials: 'include', headers: { 'content-type': 'application/json' }, body: ${body},
      }).then(async (answer) => [answer.status, (await answer.json()).message])`);
    expect(await ask('GET')).toEqual([200, undefined]);
    expect(await ask('POST', "'{}'")).toEqual([419, 'CSRF token mismatch.']);
    await page.close();
  });
});

test('curl works with the cookies of a login, as in the README', async () => {
  const jar = join(await mkdtemp(join(tmpdir(), 'curl-')), 'cookies');
  const curl = async (path: string, body: object) => {
    const sent = ['-H', 'content-type: application/json', '-d', JSON.stringify(body)];
    const { stdout } = await promisify(execFile)('curl', ['-s', '-b', jar, '-c', jar, ...sent, `${apiUrl}${path}`]);
    return JSON.parse(stdout);
  };
  const { email, password } = lab.account;
  expect(await curl('/login', { email, password })).toMatchObject({ email });
  expect(await curl('/api/tokens', { name: 'curl' })).toEqual({ token: expect.stringMatching(/^\d+\|/) });
  await rm(dirname(jar), { recursive: true });
});
