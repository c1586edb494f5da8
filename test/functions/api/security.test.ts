import type { ScryptOptions } from 'node:crypto';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { documents } from '../../../functions/aws/table-client.ts';
import { type Response, readSessionSecret, textWithoutId } from '../../fixtures/call-handler.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { scryptCalls } from '../../fixtures/set-up/use-cheap-scrypt.ts';
import { callApi, useWholeApi } from '../../fixtures/use-whole-api.ts';

/** Attacks, in addition to the rules of every operation. */
useWholeApi();

let addresses = 0;
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

const password = 'correct horse';
const register = (email: string, changes: object = {}) =>
  callApi('POST /register', {
    body: { name: 'Ada', email, password, password_confirmation: password, ...changes },
    ip: `198.51.100.${++addresses}`,
  });
const login = (email: string, attempt = password, session?: string): Promise<Response> =>
  callApi('POST /login', {
    body: { email, password: attempt },
    ip: `203.0.113.${++addresses}`,
    ...(session !== undefined && { session }),
  });

test('an unknown email address costs the same time as a wrong password, and gets the same response', async () => {
  await register('known@example.com');
  const workOf = async (email: string): Promise<{ hashes: ScryptOptions[]; text: string }> => {
    const before = scryptCalls.length;
    const text = textWithoutId(await login(email, 'wrong horse'));
    return { hashes: scryptCalls.slice(before), text };
  };
  const [known, unknown] = [await workOf('known@example.com'), await workOf('nobody@example.com')];
  // One hash with the full cost: the rest of a login takes less than a hundredth of its time.
  expect(known.hashes).toEqual([expect.objectContaining({ N: 2 ** 17, r: 8, p: 1 })]);
  expect(unknown).toEqual(known);
});

test('the table does not contain usable credentials: passwords, tokens and sessions are hashed', async () => {
  const session = readSessionSecret(
    await register('dump@example.com', {
      password: 'a very own pässword',
      password_confirmation: 'a very own pässword',
    }),
  );
  const { token } = (await callApi('POST /api/tokens', { session, body: { name: 'ci' } })).json;
  await login('dump@example.com', 'a very own pässword');
  const { Items = [] } = await documents.send(new ScanCommand({ TableName: 'test-table' }));
  const dump = JSON.stringify(Items);
  expect(dump).toContain('dump@example.com');
  for (const secret of ['a very own p', token, token.split('|')[1], session]) expect(dump).not.toContain(secret);
});

test('no response contains hashes of passwords or tokens', async () => {
  const { token } = await createPerson({ isAdmin: true });
  for (const path of ['/api/me', '/api/users', '/api/tokens', '/api/activity-log'] as const) {
    expect((await callApi(`GET ${path}`, { token })).text).not.toMatch(/hash|scrypt|sha256|secret|session/i);
  }
});

test('login does not reuse the session of the request, to prevent session fixation', async () => {
  await register('fixed@example.com');
  const planted = 'a'.repeat(40);
  const mine = readSessionSecret(await login('fixed@example.com', password, planted));
  expect(mine).not.toBe(planted);
  expect(await callApi('GET /api/me', { session: planted })).toMatchObject({ status: 401 });
  expect(await callApi('GET /api/me', { session: mine })).toMatchObject({ status: 200 });
});

test('a cookie with a similar name is ignored', async () => {
  const session = readSessionSecret(await register('cookies@example.com'));
  const me = (cookies: string) => callApi('GET /api/me', { headers: { cookie: cookies }, session: `${session}; x` });
  expect(await me('session=x')).toMatchObject({ status: 401 });
});

test('a password may have up to 255 characters of any kind', async () => {
  const long = '🐎'.repeat(120);
  expect(await register('long@example.com', { password: long, password_confirmation: long })).toMatchObject({
    status: 201,
  });
  expect(await login('long@example.com', `${long.slice(0, -2)}🐴`)).toMatchObject({ status: 422 });
  const longer = 'x'.repeat(256);
  expect(await register('longer@example.com', { password: longer, password_confirmation: longer })).toMatchObject({
    status: 422,
  });
  for (const known of ['password', 'PASSWORD', '12345678', 'qwertyuiop']) {
    expect(await register('weak@example.com', { password: known, password_confirmation: known })).toMatchObject({
      status: 422,
    });
  }
});

test.each(['/api/users', '/api/nodes', '/api/ssh-keys', '/api/analytics'] as const)(
  '%s with a slash at its end leads to what is forbidden, and in other letters nowhere',
  async (path) => {
    const { token } = await createPerson();
    for (const slash of ['/', '%2f']) {
      const slashed = await callApi(`GET ${path}${slash}`, { token });
      expect(slashed).toMatchObject({ status: 308, headers: { location: path } });
      expect(await callApi(`GET ${slashed.headers.location as '/'}`, { token })).toMatchObject({ status: 403 });
    }
    for (const other of [path.toUpperCase(), path.replace('api', 'API'), `/${path}`, `${path}%252f`, `/x/..${path}`]) {
      expect(await callApi(`GET ${other as '/'}`, { token }), other).toMatchObject({ status: 404 });
    }
  },
);

test.each(['X-HTTP-Method', 'X-HTTP-Method-Override', 'X-Method-Override'])(
  '%s does not override the method',
  async (name) => {
    const { token } = await createPerson();
    const headers = { [name.toLowerCase()]: 'DELETE' };
    const path = `/api/tokens/${token.split('|')[0]}` as const;
    expect(await callApi(`GET ${path}`, { token, headers })).toMatchObject({ status: 405 });
    expect(
      await callApi('POST /api/tokens?_method=DELETE', { token, headers, body: { name: 'x', _method: 'DELETE' } }),
    ).toMatchObject({ status: 201 });
    expect(await callApi('GET /api/me', { token })).toMatchObject({ status: 200 });
  },
);

test('user input is returned as JSON that browsers do not interpret as HTML', async () => {
  const { token } = await createPerson();
  const name = '<img src=x onerror=alert(1)>"\u2028</script>';
  const made = await callApi('POST /api/template-presets/hls-auto-1080p/adopt', { token, body: { name } });
  expect(made.json.data.name).toBe(name);
  const shown = await callApi(`GET /api/templates/${made.json.data.id}`, { token });
  expect(shown.headers).toMatchObject({ 'content-type': 'application/json', 'x-content-type-options': 'nosniff' });
  expect(shown.json.data.name).toBe(name);
});

test('a page far beyond the end costs as much as the first', async () => {
  const { token } = await createPerson();
  for (const path of ['/api/videos', '/api/activity-log'] as const) {
    for (const page of ['1000000000000', '9007199254740991']) {
      expect(await callApi(`GET ${path}?page=${page}&per_page=100`, { token })).toMatchObject({
        status: 200,
        json: { data: [] },
      });
    }
    for (const query of [
      'page=9007199254740992',
      'page=99999999999999999999',
      'per_page=1000000000',
      'page=1.0',
      'page=٣',
    ]) {
      expect(await callApi(`GET ${path}?${query}`, { token }), query).toMatchObject({ status: 422 });
    }
  }
});

test('preflights allow only the configured origins, and no response allows all origins', async () => {
  vi.stubEnv('ALLOWED_ORIGINS', 'https://app.example.com');
  for (const origin of [
    'https://evil.example',
    'null',
    'https://app.example.com.evil.example',
    'http://app.example.com',
    'https://APP.example.com',
  ]) {
    for (const method of ['OPTIONS', 'GET'] as const) {
      const { headers } = await callApi(`${method} /api/me`, {
        headers: { origin, 'access-control-request-method': 'GET' },
      });
      expect(
        Object.keys(headers).filter((name) => name.startsWith('access-control')),
        origin,
      ).toEqual([]);
    }
  }
  const allowed = await callApi('GET /api/me', { headers: { origin: 'https://app.example.com' } });
  expect(allowed).toMatchObject({ status: 401, headers: { 'access-control-allow-origin': 'https://app.example.com' } });
});
