import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { handler } from '../../../functions/api/account.lambda.ts';
import { handler as tokens } from '../../../functions/api/tokens.lambda.ts';
import { createUser, findUserByEmail } from '../../../functions/table/accounts/user-table.ts';
import { callHandler, type RequestOptions, readSessionSecret } from '../../fixtures/call-handler.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { readHistory } from '../../fixtures/read-history.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();

// One IP address may register and try passwords five times a minute, so each test uses a different one.
let ip = '';
let addresses = 0;
// The clock is fixed, so that no minute ends during a test.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
  ip = `192.0.2.${++addresses}`;
});
afterEach(() => vi.useRealTimers());

const ada = {
  name: 'Ada Example',
  email: 'ada@example.com',
  password: 'correct horse',
  password_confirmation: 'correct horse',
};
const register = (changes: object = {}) => callHandler(handler, 'POST /register', { body: { ...ada, ...changes }, ip });
const login = (email: string, password = ada.password, session?: string) =>
  callHandler(handler, 'POST /login', { body: { email, password }, ip, ...(session !== undefined && { session }) });

test('registration creates an ordinary user, ignores other fields, and starts a session', async () => {
  const answer = await register({ email: 'One@Example.com', is_admin: true, id: 1, ulid: 'x', created_at: 'x' });
  expect(answer.status).toBe(201);
  expect(answer.json).toEqual({
    id: expect.any(Number),
    ulid: expect.stringMatching(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/),
    name: 'Ada Example',
    email: 'one@example.com',
    is_admin: false,
  });
  expect(answer.cookies).toEqual([
    expect.stringMatching(/^session=[A-Za-z0-9]{40}; Path=\/; HttpOnly; Secure; SameSite=Lax; Max-Age=7200$/),
  ]);
  expect(await callHandler(handler, 'GET /api/me', { session: readSessionSecret(answer) })).toMatchObject({
    status: 200,
    json: answer.json,
  });
});

test('an email address is taken independent of its case', async () => {
  await register({ email: 'two@example.com' });
  expect(await register({ email: 'TWO@example.com' })).toMatchObject({
    status: 422,
    json: { message: 'The email has already been taken.', errors: { email: ['The email has already been taken.'] } },
  });
});

test('concurrent registrations of one email address create one user', async () => {
  const answers = await Promise.all(Array.from({ length: 4 }, () => register({ email: 'race@example.com' })));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 422, 422, 422]);
});

test.each([
  [{ name: ' ' }, 'name', 'The name field is required.'],
  [{ name: 'x'.repeat(256) }, 'name', 'The name field must not be greater than 255 characters.'],
  [{ name: ['x'] }, 'name', 'The name field must be a string.'],
  [{ email: 'nobody' }, 'email', 'The email field must be a valid email address.'],
  [{ email: `${'a'.repeat(65)}@example.com` }, 'email', 'The email field must be a valid email address.'],
  [{ email: { $gt: '' } }, 'email', 'The email field must be a string.'],
  [
    { password: 'short', password_confirmation: 'short' },
    'password',
    'The password field must be at least 8 characters.',
  ],
  [{ password_confirmation: 'other horse' }, 'password', 'The password field confirmation does not match.'],
  [{ password: 'Password', password_confirmation: 'Password' }, 'password', expect.stringContaining('data leak')],
  [{ password: '12345678', password_confirmation: '12345678' }, 'password', expect.stringContaining('data leak')],
])('registering with %o is 422 on that field', async (changes, field, message) => {
  expect(await register({ email: 'new@example.com', ...changes })).toMatchObject({
    status: 422,
    json: { errors: { [field]: [message] } },
  });
});

test('an IP address may register five times a minute', async () => {
  for (let attempt = 0; attempt < 5; attempt++) await register({ password: 'x' });
  expect(await register()).toMatchObject({ status: 429, headers: { 'retry-after': expect.any(String) } });
});

test('with registration switched off, its endpoint is 404', async () => {
  vi.stubEnv('REGISTRATION', 'off');
  vi.resetModules();
  const { handler: closed } = await import('../../../functions/api/account.lambda.ts');
  vi.unstubAllEnvs();
  expect(await callHandler(closed, 'POST /register', { body: ada, ip })).toMatchObject({ status: 404 });
});

test('each login creates a new session and ends the one in the request', async () => {
  const first = readSessionSecret(await register({ email: 'three@example.com' }));
  const answer = await login('Three@example.com', ada.password, first);
  expect(answer).toMatchObject({ status: 200, json: { email: 'three@example.com' } });
  expect(readSessionSecret(answer)).not.toBe(first);
  expect(await callHandler(handler, 'GET /api/me', { session: first })).toMatchObject({ status: 401 });
  expect(await callHandler(handler, 'GET /api/me', { session: readSessionSecret(answer) })).toMatchObject({
    status: 200,
  });
});

test('a wrong password and an unknown email address get the same response', async () => {
  await register({ email: 'four@example.com' });
  const refused = { status: 422, json: { errors: { email: ['These credentials do not match our records.'] } } };
  expect(await login('four@example.com', 'wrong horse')).toMatchObject(refused);
  expect(await login('nobody@example.com', 'wrong horse')).toMatchObject(refused);
});

test('every character of a long password counts', async () => {
  const password = 'p'.repeat(127);
  await register({ email: 'long@example.com', password: `${password}a`, password_confirmation: `${password}a` });
  expect(await login('long@example.com', `${password}b`)).toMatchObject({ status: 422 });
  expect(await login('long@example.com', `${password}a`)).toMatchObject({ status: 200 });
});

test('after five attempts from one network even the right password is 429, and other networks are limited too', async () => {
  await register({ email: 'five@example.com' });
  const attempts = [];
  for (let attempt = 0; attempt < 5; attempt++) attempts.push((await login('five@example.com', 'wrong horse')).status);
  expect(attempts).toEqual([422, 422, 422, 422, 422]);
  const locked = await login('five@example.com');
  expect(locked).toMatchObject({
    status: 429,
    json: { message: 'Too Many Attempts.', errors: { email: [expect.stringContaining('Too many login attempts')] } },
    headers: { 'retry-after': expect.stringMatching(/^\d+$/) },
  });
  ip = '198.51.100.9';
  for (let attempt = 0; attempt < 5; attempt++) attempts.push((await login('five@example.com', 'wrong horse')).status);
  ip = '198.51.100.10';
  expect(await login('five@example.com')).toMatchObject({ status: 429 });
});

test('logout ends the session for all copies of its cookie', async () => {
  const session = readSessionSecret(await register({ email: 'six@example.com' }));
  const answer = await callHandler(handler, 'POST /logout', { session });
  expect(answer).toMatchObject({ status: 204, text: undefined });
  expect(answer.cookies).toEqual(['session=; Path=/; HttpOnly; Secure; SameSite=Lax; Max-Age=0']);
  expect(await callHandler(handler, 'GET /api/me', { session })).toMatchObject({ status: 401 });
  expect(await callHandler(handler, 'POST /logout', { session })).toMatchObject({ status: 401 });
});

test('logout everywhere ends all sessions of the user, but no API tokens, and is in the activity', async () => {
  const registered = await register({ email: 'everywhere@example.com' });
  const session = readSessionSecret(registered);
  const other = readSessionSecret(await login('everywhere@example.com'));
  const bystander = readSessionSecret(await register({ email: 'bystander@example.com' }));
  const token = (await callHandler(tokens, 'POST /api/tokens', { session, body: { name: 'ci' } })).json.token;
  const me = async (credential: RequestOptions) => (await callHandler(handler, 'GET /api/me', credential)).status;

  const invalid = await callHandler(handler, 'POST /logout', { session, body: { everywhere: 'yes' } });
  expect(invalid).toMatchObject({ status: 422, json: { errors: { everywhere: [expect.any(String)] } } });
  expect(await me({ session: other })).toBe(200);

  const answer = await callHandler(handler, 'POST /logout', { session, body: { everywhere: true } });
  expect(answer).toMatchObject({ status: 204, text: undefined });
  expect(answer.cookies).toEqual(['session=; Path=/; HttpOnly; Secure; SameSite=Lax; Max-Age=0']);
  expect(await Promise.all([me({ session }), me({ session: other })])).toEqual([401, 401]);
  expect(await Promise.all([me({ token }), me({ session: bystander })])).toEqual([200, 200]);
  expect((await readHistory({ ulid: registered.json.ulid }, 1))[0]).toMatchObject({
    logName: 'profile',
    event: 'updated',
    description: 'Signed out everywhere',
    subject: { type: 'user', id: registered.json.id },
  });
  expect(await me({ session: readSessionSecret(await login('everywhere@example.com')) })).toBe(200);
});

test('logout without everywhere keeps the other sessions', async () => {
  const session = readSessionSecret(await register({ email: 'here@example.com' }));
  const other = readSessionSecret(await login('here@example.com'));
  const body = { everywhere: false };
  expect(await callHandler(handler, 'POST /logout', { session, body })).toMatchObject({ status: 204 });
  expect(await callHandler(handler, 'GET /api/me', { session: other })).toMatchObject({ status: 200 });
});

test('logout with a bearer token, which has no session, is 401', async () => {
  const { token } = await createPerson();
  expect(await callHandler(handler, 'POST /logout', { token })).toMatchObject({ status: 401 });
});

test('a session expires 120 minutes after its last use, and is written at most once a minute', async () => {
  const session = readSessionSecret(await register({ email: 'seven@example.com' }));
  const me = () => callHandler(handler, 'GET /api/me', { session });
  expect((await me()).cookies).toEqual([]);
  vi.setSystemTime(Date.now() + 110 * 60_000);
  expect((await me()).cookies).toEqual([expect.stringContaining(`session=${session}; `)]);
  vi.setSystemTime(Date.now() + 119 * 60_000);
  expect(await me()).toMatchObject({ status: 200 });
  vi.setSystemTime(Date.now() + 121 * 60_000);
  expect(await me()).toMatchObject({ status: 401 });
});

test('a profile needs a name and an email address that no other user has', async () => {
  const { user, token } = await createPerson();
  const other = await createPerson();
  const update = (body: object) => callHandler(handler, 'PUT /api/profile', { token, body });
  expect(await update({ name: 'Ada' })).toMatchObject({
    status: 422,
    json: { errors: { email: [expect.any(String)] } },
  });
  expect(await update({ name: 'Ada', email: other.user.email })).toMatchObject({ status: 422 });
  expect(await update({ name: 'Ada', email: user.email, is_admin: true })).toMatchObject({
    status: 200,
    json: { name: 'Ada', email: user.email, is_admin: false },
  });
  expect(await update({ name: 'Ada', email: `New.${user.email}` })).toMatchObject({
    json: { email: `new.${user.email}` },
  });
  expect(await findUserByEmail(user.email)).toBeUndefined();
  expect((await findUserByEmail(`new.${user.email}`))?.ulid).toBe(user.ulid);
});

test('a password change needs the old password and ends all other sessions, but no tokens', async () => {
  const mine = await register({ email: 'eight@example.com' });
  const session = readSessionSecret(mine);
  const other = readSessionSecret(await login('eight@example.com'));
  const token = (await callHandler(tokens, 'POST /api/tokens', { session, body: { name: 'ci' } })).json.token;
  const change = (current_password: string) =>
    callHandler(handler, 'PUT /api/profile/password', {
      session,
      body: { current_password, password: 'battery staple', password_confirmation: 'battery staple' },
    });
  expect(await change('wrong horse')).toMatchObject({
    status: 422,
    json: { errors: { current_password: [expect.any(String)] } },
  });
  expect(await change(ada.password)).toMatchObject({ status: 200, json: { message: 'Password updated.' } });
  expect(await callHandler(handler, 'GET /api/me', { session })).toMatchObject({ status: 200 });
  expect(await callHandler(handler, 'GET /api/me', { session: other })).toMatchObject({ status: 401 });
  expect(await callHandler(handler, 'GET /api/me', { token })).toMatchObject({ status: 200 });
  expect(await login('eight@example.com')).toMatchObject({ status: 422 });
  expect(await login('eight@example.com', 'battery staple')).toMatchObject({ status: 200 });
});

test('the activity log lists changes of account, profile and password, and never the password', async () => {
  const registered = await register({ email: 'nine@example.com' });
  const session = readSessionSecret(registered);
  const user = { ulid: registered.json.ulid };
  const name = 'Ada Nine';
  await callHandler(handler, 'PUT /api/profile', { session, body: { name, email: 'nine@example.com' } });
  await callHandler(handler, 'PUT /api/profile', { session, body: { name, email: 'nine@example.com' } });
  const passwords = { current_password: ada.password, password: 'battery nine', password_confirmation: 'battery nine' };
  expect(await callHandler(handler, 'PUT /api/profile/password', { session, body: passwords })).toMatchObject({
    status: 200,
  });
  const lines = await readHistory(user, 10);
  const subject = { type: 'user', id: registered.json.id, ulid: user.ulid };
  expect(lines).toMatchObject([
    { logName: 'profile', event: 'updated', description: 'Changed the password', subject, properties: {} },
    {
      logName: 'profile',
      event: 'updated',
      description: 'Updated the profile',
      subject,
      properties: { old: { name: ada.name }, attributes: { name, email: 'nine@example.com' } },
    },
    { logName: 'profile', event: 'created', description: 'Opened the account', subject },
  ]);
  expect(JSON.stringify(lines)).not.toMatch(/horse|battery|scrypt/);
});

describe('password attempts', () => {
  const change = (sent: RequestOptions, current_password: string) =>
    callHandler(handler, 'PUT /api/profile/password', {
      ip,
      ...sent,
      body: { current_password, password: 'battery staple', password_confirmation: 'battery staple' },
    });
  const wrongLogins = async (email: string, from: string, count: number): Promise<number[]> => {
    const statuses = [];
    for (let attempt = 0; attempt < count; attempt++) {
      const answer = await callHandler(handler, 'POST /login', { body: { email, password: 'wrong horse' }, ip: from });
      statuses.push(answer.status);
    }
    return statuses;
  };

  test('with current_password share the limit of the login', async () => {
    const session = readSessionSecret(await register({ email: 'ten@example.com' }));
    const statuses = [];
    for (let attempt = 0; attempt < 4; attempt++) statuses.push((await change({ session }, 'wrong horse')).status);
    expect(statuses).toEqual([422, 422, 422, 422]);
    expect(await wrongLogins('ten@example.com', ip, 1)).toEqual([422]);
    expect(await change({ session }, ada.password)).toMatchObject({
      status: 429,
      json: { message: 'Too Many Attempts.', errors: { current_password: [expect.stringContaining('seconds')] } },
      headers: { 'retry-after': expect.stringMatching(/^\d+$/) },
    });
    vi.setSystemTime(Date.now() + 60_000);
    expect(await change({ session }, ada.password)).toMatchObject({ status: 200 });
  });

  test('from other networks do not lock the owner out in networks where the owner has signed in', async () => {
    const registered = await register({ email: 'eleven@example.com' });
    const session = readSessionSecret(registered);
    const token = (await callHandler(tokens, 'POST /api/tokens', { session, body: { name: 'stolen' } })).json.token;
    expect(await wrongLogins('eleven@example.com', '198.51.100.11', 6)).toEqual([422, 422, 422, 422, 422, 429]);
    for (let attempt = 0; attempt < 5; attempt++) await change({ token, ip: '198.51.100.12' }, 'wrong horse');
    expect(await wrongLogins('eleven@example.com', '198.51.100.13', 1)).toEqual([429]);
    expect(await change({ token, ip: '198.51.100.14' }, ada.password)).toMatchObject({ status: 429 });
    expect(await login('eleven@example.com')).toMatchObject({ status: 200 });
    expect(await change({ session }, ada.password)).toMatchObject({ status: 200 });
  });

  test('from one network on many accounts are limited, those from other networks are not', async () => {
    const statuses = [];
    for (let account = 0; account < 31; account++) {
      statuses.push(...(await wrongLogins(`spray${account}@example.com`, '198.51.100.21', 1)));
    }
    expect(new Set(statuses)).toEqual(new Set([422]));
    expect(await wrongLogins('spray31@example.com', '198.51.100.21', 1)).toEqual([429]);
    expect(await wrongLogins('spray31@example.com', '198.51.100.22', 1)).toEqual([422]);
  });
});

test.each(['GET /api/me', 'PUT /api/profile', 'PUT /api/profile/password', 'POST /logout'] as const)(
  '%s without a credential is 401',
  async (request) => {
    expect(await callHandler(handler, request)).toMatchObject({ status: 401 });
  },
);

test('a user created by the setup function can log in', async () => {
  const root = { name: 'Root', email: 'Root@example.com', password: 'a long password', isAdmin: true };
  await createUser(root, 'itself');
  expect(await login('root@example.com', 'a long password')).toMatchObject({ status: 200, json: { is_admin: true } });
});
