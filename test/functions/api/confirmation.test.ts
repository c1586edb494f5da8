import { beforeEach, describe, expect, test, vi } from 'vitest';
import { sha256 } from '../../../functions/common/secret.ts';
import { publishedRoutes } from '../../../functions/contracts/published-routes.ts';
import { openSession } from '../../../functions/table/accounts/session-table.ts';
import { createUser } from '../../../functions/table/accounts/user-table.ts';
import { write } from '../../../functions/table/items/items.ts';
import { keys } from '../../../functions/table/items/keys.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { fillPath } from '../../fixtures/records/store-owned-records.ts';
import { callApi, useWholeApi } from '../../fixtures/use-whole-api.ts';

// The password that a session asks for again.
useWholeApi();

const password = 'correct horse';
const later = (minutes: number) => vi.setSystemTime(Date.now() + minutes * 60_000);

let people = 0;
let ip = '';
let session = '';
let user: Awaited<ReturnType<typeof createUser>>;

/** An administrator who has signed in just now. Each has an address, since attempts at passwords are limited. */
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  ip = `192.0.2.${++people}`;
  user = await createUser(
    { name: 'Ada', email: `ada${people}@example.com`, password, isAdmin: true },
    (await createPerson()).user,
  );
  session = (await openSession(user)).secret;
  return () => vi.useRealTimers();
});

const newToken = (sent: object = { session }) => callApi('POST /api/tokens', { ip, body: { name: 'ci' }, ...sent });
const confirm = (sent: string, secret = session) =>
  callApi('POST /api/session/confirm', { ip, session: secret, body: { password: sent } });
const refused = { status: 403, json: { code: 'password_confirmation_required' } };

test('tokens and users are changed by a session within 15 minutes after the sign-in, and other things always', async () => {
  const asking = new Set<string>();
  later(15);
  for (const { operationId, access, method, path, body } of publishedRoutes) {
    if (access !== 'user' && access !== 'admin') continue;
    const { status, json } = await callApi(`${method} ${fillPath(path, {}, '999999')}`, {
      session,
      ...(body && { body: {} }),
    });
    if (json?.code === 'password_confirmation_required') asking.add(operationId);
    else expect([401, 403], operationId).not.toContain(status);
  }
  expect([...asking]).toEqual([
    'createToken',
    'deleteToken',
    'createUser',
    'updateUser',
    'updateUserPassword',
    'deleteUser',
  ]);
});

test('a session is recent for less than 15 minutes, and use does not make it so', async () => {
  later(14);
  expect(await newToken()).toMatchObject({ status: 201 });
  expect(await callApi('GET /api/me', { session })).toMatchObject({ status: 200 });
  later(1);
  expect(await newToken()).toMatchObject(refused);
});

test('the password confirms the session for 15 minutes, also a second time, and no other session', async () => {
  const other = (await openSession(user)).secret;
  later(20);
  expect(await newToken()).toMatchObject(refused);
  expect(await confirm(password)).toMatchObject({ status: 204, text: undefined });
  expect(await newToken()).toMatchObject({ status: 201 });
  expect(await newToken({ session: other })).toMatchObject(refused);
  later(14);
  expect(await confirm(password)).toMatchObject({ status: 204 });
  later(14);
  expect(await newToken()).toMatchObject({ status: 201 });
  later(1);
  expect(await newToken()).toMatchObject(refused);
});

test('a request that was refused is carried out when it is repeated with its Idempotency-Key', async () => {
  later(20);
  const keyed = () => newToken({ session, headers: { 'idempotency-key': 'a' } });
  expect(await keyed()).toMatchObject(refused);
  await confirm(password);
  const created = await keyed();
  expect(created).toMatchObject({ status: 201 });
  expect((await keyed()).json).toEqual(created.json);
  later(16);
  expect(await keyed()).toMatchObject(refused);
});

test('a new email asks for the password, a new name does not', async () => {
  const profile = (body: object) =>
    callApi('PUT /api/profile', { session, body: { name: user.name, email: user.email, ...body } });
  later(20);
  expect(await profile({ name: 'Ada L.', email: user.email.toUpperCase() })).toMatchObject({ status: 200 });
  expect(await profile({ email: `new.${user.email}` })).toMatchObject(refused);
  await confirm(password);
  expect(await profile({ email: `new.${user.email}` })).toMatchObject({ status: 200 });
});

test('a changed password confirms the session too', async () => {
  later(20);
  const body = { current_password: password, password: 'battery staple', password_confirmation: 'battery staple' };
  expect(await callApi('PUT /api/profile/password', { ip, session, body })).toMatchObject({ status: 200 });
  expect(await newToken()).toMatchObject({ status: 201 });
});

test('tokens are not asked, and cannot confirm', async () => {
  const { token } = (await newToken()).json;
  later(20);
  expect(await newToken({ token })).toMatchObject({ status: 201 });
  expect(await callApi('POST /api/session/confirm', { token, session, body: { password } })).toMatchObject({
    status: 401,
  });
  expect(await newToken()).toMatchObject(refused);
});

test('a session of version 0.1.0 has to be confirmed', async () => {
  await write({ update: keys.session(sha256(session)), remove: ['confirmedAt'] });
  expect(await newToken()).toMatchObject(refused);
  await confirm(password);
  expect(await newToken()).toMatchObject({ status: 201 });
});

describe('is not confirmed', () => {
  test.each([
    ['another password', () => confirm('wrong horse'), { password: ['The password is incorrect.'] }],
    ['no password', () => confirm(''), { password: ['The password field is required.'] }],
    [
      'the password of another user',
      async () => {
        const email = `bo${people}@example.com`;
        await createUser({ name: 'Bo', email, password: 'battery staple', isAdmin: false }, user);
        return confirm('battery staple');
      },
      { password: ['The password is incorrect.'] },
    ],
  ])('with %s', async (_, attempt, errors) => {
    later(20);
    expect(await attempt()).toMatchObject({ status: 422, json: { errors } });
    expect(await newToken()).toMatchObject(refused);
  });

  test('by a page of another site, or without a session', async () => {
    const headers = { 'sec-fetch-site': 'cross-site' };
    const body = { password };
    expect(await callApi('POST /api/session/confirm', { session, headers, body })).toMatchObject({ status: 419 });
    expect(await callApi('POST /api/session/confirm', { body })).toMatchObject({ status: 401 });
  });

  test('after five attempts, which the sign-in counts too', async () => {
    later(20);
    for (let attempt = 1; attempt <= 5; attempt++) expect(await confirm('wrong horse')).toMatchObject({ status: 422 });
    expect(await confirm(password)).toMatchObject({
      status: 429,
      json: { errors: { password: [expect.stringContaining('Too many attempts.')] } },
      headers: { 'retry-after': expect.any(String) },
    });
    const login = { ip, body: { email: user.email, password } };
    expect(await callApi('POST /login', login)).toMatchObject({ status: 429 });
    expect(await newToken()).toMatchObject(refused);
    later(1);
    expect(await confirm(password)).toMatchObject({ status: 204 });
  });

  test('when the session has ended meanwhile, which does not come back', async () => {
    await Promise.all([confirm(password), callApi('POST /logout', { session })]);
    expect(await callApi('GET /api/me', { session })).toMatchObject({ status: 401 });
  });
});
