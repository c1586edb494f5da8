import { afterEach, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { handler } from '../../../functions/api/tokens.lambda.ts';
import { openSession } from '../../../functions/table/accounts/session-table.ts';
import { getItem, write } from '../../../functions/table/items/items.ts';
import { keys } from '../../../functions/table/items/keys.ts';
import { callHandler } from '../../fixtures/call-handler.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();
afterEach(() => vi.useRealTimers());

const idOf = (token: string): string => token.split('|')[0]!;

test('a session can create the first token, which is shown once and stored as a hash', async () => {
  const { user } = await createPerson();
  const { secret } = await openSession(user);
  const created = await callHandler(handler, 'POST /api/tokens', { session: secret, body: { name: 'ci' } });
  expect(created).toMatchObject({ status: 201, json: { token: expect.stringMatching(/^[1-9]\d*\|[A-Za-z0-9]{40}$/) } });

  const list = await callHandler(handler, 'GET /api/tokens', { token: created.json.token });
  expect(list.json.data[0]).toEqual({
    id: Number(idOf(created.json.token)),
    name: 'ci',
    abilities: ['*'],
    last_used_at: expect.stringMatching(/^\d{4}-.*000Z$/),
    expires_at: null,
    created_at: expect.stringMatching(/^\d{4}-.*000Z$/),
  });
  const stored = await getItem(z.looseObject({}), keys.token(Number(idOf(created.json.token))));
  expect(JSON.stringify(stored)).not.toContain(created.json.token.split('|')[1]);
});

test('tokens are listed newest first, only those of the user', async () => {
  const [one, two] = [await createPerson(), await createPerson()];
  await callHandler(handler, 'POST /api/tokens', { token: one.token, body: { name: 'second' } });
  const list = await callHandler(handler, 'GET /api/tokens', { token: one.token });
  expect(list.json.data.map(({ name }: { name: string }) => name)).toEqual(['second', 'test']);
  expect((await callHandler(handler, 'GET /api/tokens', { token: two.token })).json.data).toHaveLength(1);
});

test('the last use of a token is stored at most once a minute', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const { token } = await createPerson();
  const lastUsed = async () => (await callHandler(handler, 'GET /api/tokens', { token })).json.data[0].last_used_at;
  await lastUsed();
  const first = await lastUsed();
  vi.setSystemTime(Date.now() + 30_000);
  expect(await lastUsed()).toBe(first);
  vi.setSystemTime(Date.now() + 31_000);
  await lastUsed();
  expect(await lastUsed()).not.toBe(first);
});

test('a revoked token is rejected at its next call, and can revoke itself', async () => {
  const { token } = await createPerson();
  expect(await callHandler(handler, `DELETE /api/tokens/${idOf(token)}`, { token })).toMatchObject({ status: 204 });
  expect(await callHandler(handler, 'GET /api/tokens', { token })).toMatchObject({ status: 401 });
});

test("another user's token, an unknown one and an invalid ID are all 404", async () => {
  const [mine, other] = [await createPerson(), await createPerson()];
  const remove = (id: string) => callHandler(handler, `DELETE /api/tokens/${id}`, { token: mine.token });
  for (const id of [idOf(other.token), '999999', '01K9Z3P1A2B3C4D5E6F7G8H9JK', '0', '-1', "' OR 1=1--", '1e3']) {
    expect(await remove(encodeURIComponent(id))).toMatchObject({ status: 404, json: { message: 'Not found.' } });
  }
  expect(await callHandler(handler, 'GET /api/tokens', { token: other.token })).toMatchObject({ status: 200 });
});

test('a user has at most 100 tokens', async () => {
  const { user, token } = await createPerson();
  await write({ update: keys.userCounts(user.ulid), set: { tokens: 99 } });
  const create = () => callHandler(handler, 'POST /api/tokens', { token, body: { name: 'more' } });
  expect(await create()).toMatchObject({ status: 201 });
  expect(await create()).toMatchObject({ status: 409, json: { message: 'A user has at most 100 tokens.' } });
  await callHandler(handler, `DELETE /api/tokens/${idOf(token)}`, { token });
  const { secret } = await openSession(user);
  expect(await callHandler(handler, 'POST /api/tokens', { session: secret, body: { name: 'again' } })).toMatchObject({
    status: 201,
  });
});

test('a token needs a name', async () => {
  const { token } = await createPerson();
  expect(await callHandler(handler, 'POST /api/tokens', { token, body: {} })).toMatchObject({
    status: 422,
    json: { errors: { name: ['The name field is required.'] } },
  });
});

test.each(['GET /api/tokens', 'POST /api/tokens', 'DELETE /api/tokens/1'] as const)(
  '%s without a credential is 401',
  async (request) => {
    expect(await callHandler(handler, request)).toMatchObject({ status: 401 });
  },
);
