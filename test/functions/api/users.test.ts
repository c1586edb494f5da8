import { expect, test } from 'vitest';
import { handler as account } from '../../../functions/api/account.lambda.ts';
import { handler } from '../../../functions/api/users.lambda.ts';
import { newUlid } from '../../../functions/common/ids.ts';
import { openSession } from '../../../functions/table/accounts/session-table.ts';
import { hideUser } from '../../../functions/table/accounts/user-table.ts';
import type { Upload } from '../../../functions/table/records.ts';
import { createTemplate, listTemplates } from '../../../functions/table/template-table.ts';
import { addUpload, listOpenUploads } from '../../../functions/table/uploads/upload-table.ts';
import { timestamp } from '../../../shared/clock.ts';
import { callHandler } from '../../fixtures/call-handler.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { readHistory } from '../../fixtures/read-history.ts';
import { storeVideo } from '../../fixtures/records/store-video.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();

const admin = () => createPerson({ isAdmin: true });
const fields = { name: 'Bo', password: 'long enough' };

test('an administrator creates, reads and lists users', async () => {
  const { token } = await admin();
  const email = `${newUlid().toLowerCase()}@example.com`;
  const created = await callHandler(handler, 'POST /api/users', { token, body: { ...fields, email } });
  expect(created).toMatchObject({ status: 201 });
  expect(created.json).toEqual({
    id: expect.any(Number),
    ulid: expect.any(String),
    name: 'Bo',
    email,
    is_admin: false,
    quota: null,
    created_at: expect.stringMatching(/000Z$/),
  });
  for (const id of [created.json.id, created.json.ulid]) {
    expect((await callHandler(handler, `GET /api/users/${id}`, { token })).json).toEqual(created.json);
  }
  const ids = (await callHandler(handler, 'GET /api/users', { token })).json.data.map(({ id }: { id: number }) => id);
  expect(ids).toEqual(ids.toSorted((a: number, b: number) => a - b));
  expect(ids).toContain(created.json.id);
});

test('users are listed whole, in numbered pages and with a cursor', async () => {
  const { token } = await admin();
  await createPerson();
  const ask = async (query = '') => (await callHandler(handler, `GET /api/users${query}`, { token })).json;
  const whole = await ask();
  expect(Object.keys(whole)).toEqual(['data']);
  const first = await ask('?per_page=1');
  expect(first).toMatchObject({ data: whole.data.slice(0, 1), meta: { current_page: 1, total: whole.data.length } });
  expect((await ask('?page=2&per_page=1')).data).toEqual(whole.data.slice(1, 2));
  expect(await ask(`?cursor=${first.meta.next_cursor}&per_page=1`)).toEqual({
    data: whole.data.slice(1, 2),
    meta: { next_cursor: whole.data.length > 2 ? String(whole.data[2].id) : null, per_page: 1 },
  });
  const { user } = await createPerson();
  expect((await ask('?per_page=1')).meta.total).toBe(whole.data.length + 1);
  await callHandler(handler, `DELETE /api/users/${user.id}`, { token });
  expect((await ask('?per_page=1')).meta.total).toBe(whole.data.length);
});

test.each(['cursor=x', 'cursor=0', 'per_page=101', 'page=0', 'page=1&cursor=1'])(
  'a list with %s is 422',
  async (query) => {
    const { token } = await admin();
    expect(await callHandler(handler, `GET /api/users?${query}`, { token })).toMatchObject({ status: 422 });
  },
);

test.each([
  [{ email: 'x' }, 'email'],
  [{ password: 'short' }, 'password'],
  [{ password: 'password' }, 'password'],
  [{ is_admin: 'yes' }, 'is_admin'],
  [{ name: '' }, 'name'],
])('creating a user with %j is 422', async (changes, field) => {
  const { token } = await admin();
  const answer = await callHandler(handler, 'POST /api/users', {
    token,
    body: { ...fields, email: 'bo@example.com', ...changes },
  });
  expect(answer.status).toBe(422);
  expect(Object.keys(answer.json.errors)).toEqual([field]);
});

test('omitted fields are kept, and an email address is unique', async () => {
  const [{ token }, bo, eve] = [await admin(), await createPerson(), await createPerson()];
  const update = (body: object) => callHandler(handler, `PUT /api/users/${bo.user.id}`, { token, body });
  expect(await update({ name: 'Bo B.' })).toMatchObject({ status: 200, json: { name: 'Bo B.', email: bo.user.email } });
  expect(await update({ email: eve.user.email.toUpperCase() })).toMatchObject({
    status: 422,
    json: { errors: { email: ['The email has already been taken.'] } },
  });
  expect(await update({})).toMatchObject({ status: 422 });
  expect(await update({ password: 'ignored here' })).toMatchObject({ status: 422 });
});

test('the activity log of an administrator lists created, changed and deleted users', async () => {
  const boss = await admin();
  const email = `${newUlid().toLowerCase()}@example.com`;
  const { id, ulid } = (
    await callHandler(handler, 'POST /api/users', { token: boss.token, body: { ...fields, email } })
  ).json;
  await callHandler(handler, `PUT /api/users/${id}`, { token: boss.token, body: { is_admin: true } });
  await callHandler(handler, `PUT /api/users/${id}`, { token: boss.token, body: { is_admin: true } });
  await callHandler(handler, `DELETE /api/users/${id}`, { token: boss.token });
  const facts = { name: 'Bo', email };
  const about = { logName: 'user', subject: { type: 'user', id, ulid } };
  const lines = await readHistory(boss.user, 4);
  expect(lines).toMatchObject([
    { ...about, event: 'deleted', description: 'Deleted user Bo', properties: { ...facts, is_admin: true } },
    {
      ...about,
      event: 'updated',
      description: 'Updated user Bo',
      properties: { old: { ...facts, is_admin: false }, attributes: { ...facts, is_admin: true } },
    },
    { ...about, event: 'created', description: 'Created user Bo', properties: { ...facts, is_admin: false } },
    { logName: 'token' },
  ]);
  expect(JSON.stringify(lines)).not.toMatch(/long enough|scrypt/);
});

test('an administrator sets, changes and removes a quota', async () => {
  const [{ token }, bo] = [await admin(), await createPerson()];
  const email = `${newUlid().toLowerCase()}@example.com`;
  const quota = { upload_bytes_per_month: 1000, encoding_cpu_seconds_per_month: null };
  const created = await callHandler(handler, 'POST /api/users', { token, body: { ...fields, email, quota } });
  expect(created).toMatchObject({ status: 201, json: { quota } });
  const update = (body: object) => callHandler(handler, `PUT /api/users/${bo.user.id}`, { token, body });
  expect(await update({ quota: { encoding_cpu_seconds_per_month: 60 } })).toMatchObject({
    status: 200,
    json: { quota: { upload_bytes_per_month: null, encoding_cpu_seconds_per_month: 60 } },
  });
  expect(await update({ name: 'Bo B.' })).toMatchObject({ json: { quota: { encoding_cpu_seconds_per_month: 60 } } });
  expect((await callHandler(account, 'GET /api/me', { token: bo.token })).json).toMatchObject({
    quota: { upload_bytes_per_month: null, encoding_cpu_seconds_per_month: 60 },
    usage: { month: expect.stringMatching(/^\d{4}-\d\d$/), upload_bytes: { used: 0, reserved: 0 } },
  });
  await callHandler(account, 'PUT /api/profile', {
    token: bo.token,
    body: { name: 'Bo', email: bo.user.email, quota: null },
  });
  expect((await update({ name: 'Bo' })).json.quota).toEqual({
    upload_bytes_per_month: null,
    encoding_cpu_seconds_per_month: 60,
  });
  expect(await update({ quota: null })).toMatchObject({ status: 200, json: { quota: null } });
});

test.each([
  [{ upload_bytes_per_month: -1 }, 'quota.upload_bytes_per_month'],
  [{ encoding_cpu_seconds_per_month: 1.5 }, 'quota.encoding_cpu_seconds_per_month'],
  [{ upload_bytes: 5 }, 'quota'],
  ['none', 'quota'],
])('the quota %j is 422', async (quota, field) => {
  const { user, token } = await admin();
  const answer = await callHandler(handler, `PUT /api/users/${user.id}`, { token, body: { quota } });
  expect([answer.status, Object.keys(answer.json.errors)]).toEqual([422, [field]]);
});

test("an administrator sets a user's password, which ends the sessions and keeps the tokens", async () => {
  const [boss, bo] = [await admin(), await createPerson()];
  const { secret } = await openSession(bo.user);
  const body = { password: 'battery staple' };
  const answer = await callHandler(handler, `PUT /api/users/${bo.user.id}/password`, { token: boss.token, body });
  expect(answer).toMatchObject({ status: 200, json: { id: bo.user.id, email: bo.user.email } });
  expect(answer.text).not.toMatch(/battery|scrypt/);
  expect(await callHandler(account, 'GET /api/me', { session: secret })).toMatchObject({ status: 401 });
  expect(await callHandler(account, 'GET /api/me', { token: bo.token })).toMatchObject({ status: 200 });
  const signIn = (password: string) =>
    callHandler(account, 'POST /login', { body: { email: bo.user.email, password }, ip: '203.0.113.9' });
  expect(await signIn('battery staple')).toMatchObject({ status: 200 });
  expect(await signIn('long enough')).toMatchObject({ status: 422 });
  const [line] = await readHistory(boss.user, 1);
  expect(line).toMatchObject({ logName: 'user', event: 'updated', subject: { id: bo.user.id }, properties: {} });
  expect(JSON.stringify(line)).not.toMatch(/battery|scrypt/);
});

test('a weak password, or that of an unknown user, cannot be set', async () => {
  const { user, token } = await admin();
  const set = (id: number, password?: string) =>
    callHandler(handler, `PUT /api/users/${id}/password`, { token, body: { password } });
  for (const weak of [undefined, 'short', 'password', 'x'.repeat(256)]) {
    expect(await set(user.id, weak)).toMatchObject({
      status: 422,
      json: { errors: { password: [expect.any(String)] } },
    });
  }
  expect(await set(999_999, 'battery staple')).toMatchObject({ status: 404 });
});

test('a changed role is effective from the next call', async () => {
  const [{ token }, bo] = [await admin(), await createPerson()];
  const list = () => callHandler(handler, 'GET /api/users', { token: bo.token });
  expect((await list()).status).toBe(403);
  await callHandler(handler, `PUT /api/users/${bo.user.id}`, { token, body: { is_admin: true } });
  expect((await list()).status).toBe(200);
  await callHandler(handler, `PUT /api/users/${bo.user.id}`, { token, body: { is_admin: false } });
  expect((await list()).status).toBe(403);
});

test('the last administrator keeps the role, also when two remove it from each other concurrently', async () => {
  const { token } = await admin();
  const others = (await callHandler(handler, 'GET /api/users', { token })).json.data.filter(
    (one: { is_admin: boolean }) => one.is_admin,
  );
  const mine = others.pop();
  for (const { id } of others) await callHandler(handler, `PUT /api/users/${id}`, { token, body: { is_admin: false } });
  const second = await admin();
  const demote = (as: string, id: number) =>
    callHandler(handler, `PUT /api/users/${id}`, { token: as, body: { is_admin: false } });
  const answers = await Promise.all([demote(token, second.user.id), demote(second.token, mine.id)]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  const [left] = (
    await Promise.all([token, second.token].map((as) => callHandler(handler, 'GET /api/users', { token: as })))
  ).filter(({ status }) => status === 200);
  expect(left?.json.data.filter((one: { is_admin: boolean }) => one.is_admin)).toHaveLength(1);
});

test("a deleted user's sessions end, the templates pass to the administrator, and uploads are closed", async () => {
  const [boss, bo] = [await admin(), await createPerson()];
  const { secret } = await openSession(bo.user);
  const template = await createTemplate(bo.user.ulid, { name: 'Web', query: {} });
  const ulid = newUlid();
  const upload: Upload = {
    ulid,
    ownerUlid: bo.user.ulid,
    key: `uploads/${bo.user.ulid}/${ulid}/a.mp4`,
    store: 'post',
    s3UploadId: '',
    status: 'open',
    fileName: 'a.mp4',
    contentType: 'video/mp4',
    templateUlid: template.ulid,
    externalUserId: null,
    externalResourceId: null,
    createdAt: timestamp(),
  };
  await addUpload(upload, null);
  const remove = () => callHandler(handler, `DELETE /api/users/${bo.user.id}`, { token: boss.token });
  expect(await remove()).toMatchObject({ status: 204 });
  expect(await remove()).toMatchObject({ status: 404 });
  for (const sent of [{ token: bo.token }, { session: secret }]) {
    expect(await callHandler(account, 'GET /api/me', sent)).toMatchObject({ status: 401 });
  }
  expect((await listTemplates(boss.user.ulid)).map((one) => one.ulid)).toContain(template.ulid);
  expect(await listOpenUploads(bo.user.ulid)).toEqual([]);
  const again = await callHandler(handler, 'POST /api/users', {
    token: boss.token,
    body: { ...fields, email: bo.user.email },
  });
  expect(again.status).toBe(201);
});

test('an interrupted removal is finished by the next one', async () => {
  const [boss, bo] = [await admin(), await createPerson()];
  await hideUser(bo.user, boss.user);
  const at = (method: string) => callHandler(handler, `${method} /api/users/${bo.user.id}`, { token: boss.token });
  expect(await at('GET')).toMatchObject({ status: 404 });
  expect(await at('DELETE')).toMatchObject({ status: 204 });
  expect(await at('DELETE')).toMatchObject({ status: 404 });
});

test('users with videos, and oneself, cannot be deleted', async () => {
  const [boss, bo] = [await admin(), await createPerson()];
  await storeVideo(bo.user);
  expect(await callHandler(handler, `DELETE /api/users/${bo.user.id}`, { token: boss.token })).toMatchObject({
    status: 409,
    json: { message: 'The user has 1 video.' },
  });
  expect(await callHandler(handler, `DELETE /api/users/${boss.user.id}`, { token: boss.token })).toMatchObject({
    status: 409,
  });
});

test.each([
  'GET /api/users',
  'POST /api/users',
  'GET /api/users/1',
  'PUT /api/users/999999',
  'PUT /api/users/999999/password',
  'DELETE /api/users/999999',
  'HEAD /api/users/',
] as const)('%s is for administrators only, before validation', async (request) => {
  const { token } = await createPerson();
  expect(await callHandler(handler, request)).toMatchObject({ status: 401 });
  expect(await callHandler(handler, request, { token, body: {} })).toMatchObject({ status: 403 });
  expect(
    await callHandler(handler, request, { token, body: {}, headers: { 'x-http-method-override': 'OPTIONS' } }),
  ).toMatchObject({ status: 403 });
});

test('an unknown user is 404', async () => {
  const { token } = await admin();
  for (const request of ['GET /api/users/999999', 'PUT /api/users/x', 'DELETE /api/users/999999'] as const) {
    expect(await callHandler(handler, request, { token, body: {} })).toMatchObject({ status: 404 });
  }
});
