import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { handler } from '../../../functions/api/tokens.lambda.ts';
import { documents } from '../../../functions/aws/table-client.ts';
import { log } from '../../../functions/common/log.ts';
import { openSession } from '../../../functions/table/accounts/session-table.ts';
import { checkToken, createToken, markTokenUsed } from '../../../functions/table/accounts/token-table.ts';
import { getItem, write } from '../../../functions/table/items/items.ts';
import { keys } from '../../../functions/table/items/keys.ts';
import { callHandler } from '../../fixtures/call-handler.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { readHistory } from '../../fixtures/read-history.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

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

/** The writes that note the use of a token, which `respond` can refuse. */
function watchMarks(refuse = false) {
  const send = documents.send.bind(documents);
  const marks: unknown[] = [];
  vi.spyOn(documents, 'send').mockImplementation((async (command: never) => {
    const { Key } = (command as UpdateCommand).input;
    if ((command as unknown) instanceof UpdateCommand && Key?.pk.startsWith('TOKEN#')) {
      marks.push(Key);
      if (refuse) throw Object.assign(new Error('slow down'), { name: 'ThrottlingException', $fault: 'client' });
    }
    return send(command);
  }) as never);
  return marks;
}

test('the hour in which a token is used is stored once', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-20T10:05:00Z') });
  const { token } = await createPerson();
  const marks = watchMarks();
  const lastUsed = async () => (await callHandler(handler, 'GET /api/tokens', { token })).json.data[0].last_used_at;
  for (const [time, hour, count] of [
    ['10:05:00', '10', 1],
    ['10:59:59', '10', 1],
    ['11:00:00', '11', 2],
    ['11:30:00', '11', 2],
  ] as const) {
    vi.setSystemTime(Date.parse(`2026-11-20T${time}Z`));
    expect([await lastUsed(), marks.length], time).toEqual([`2026-11-20T${hour}:00:00.000000Z`, count]);
  }
});

test('a request does not depend on the note of its token, and does not bring back a revoked token', async () => {
  const { token } = await createPerson();
  const list = () => callHandler(handler, 'GET /api/tokens', { token });
  const warn = vi.spyOn(log, 'warn').mockImplementation(() => {});
  expect(watchMarks(true)).toEqual([]);
  expect(await list()).toMatchObject({ status: 200, json: { data: [{ last_used_at: null }] } });
  expect(warn).toHaveBeenCalledOnce();
  vi.restoreAllMocks();

  const { token: found } = await checkToken(token);
  await callHandler(handler, `DELETE /api/tokens/${idOf(token)}`, { token });
  await markTokenUsed(found!);
  expect(await getItem(z.looseObject({}), keys.token(found!.id))).toBeUndefined();
});

describe('a token with expires_at', () => {
  const create = async (body: object) => {
    const person = await createPerson();
    const sent = { name: 'short', ...body };
    return { ...person, created: await callHandler(handler, 'POST /api/tokens', { token: person.token, body: sent }) };
  };

  test('is accepted until that second, and the list shows it afterwards', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-20T10:00:00Z') });
    const { created, token: other } = await create({ expires_at: '2026-11-20T11:00:00+00:00' });
    const { token } = created.json;
    const list = () => callHandler(handler, 'GET /api/tokens', { token });
    vi.setSystemTime(Date.parse('2026-11-20T10:59:59.999Z'));
    expect(await list()).toMatchObject({ status: 200 });
    vi.setSystemTime(Date.parse('2026-11-20T11:00:00Z'));
    expect(await list()).toMatchObject({
      status: 401,
      json: {
        code: 'token_expired',
        message: 'The token expired at 2026-11-20T11:00:00.000000Z. Create another one.',
      },
      headers: { 'www-authenticate': 'Bearer' },
    });
    expect(await callHandler(handler, 'GET /api/tokens', { token: `${idOf(token)}|${'x'.repeat(40)}` })).toMatchObject({
      status: 401,
      json: { code: 'unauthenticated' },
    });
    expect((await callHandler(handler, 'GET /api/tokens', { token: other })).json.data[0]).toMatchObject({
      name: 'short',
      expires_at: '2026-11-20T11:00:00.000000Z',
    });
    const stored = await getItem(z.looseObject({ expiresAt: z.number() }), keys.token(Number(idOf(token))));
    expect(stored?.expiresAt).toBe(Date.parse('2026-12-20T11:00:00Z') / 1000);
  });

  test.each([
    ['2020-01-01T00:00:00Z', 'The expires at field must be in the future.'],
    ['tomorrow', 'The expires at field must be a valid date.'],
    [5, 'The expires at field must be a string.'],
  ])('%s is 422', async (expires_at, message) => {
    expect((await create({ expires_at })).created).toMatchObject({
      status: 422,
      json: { errors: { expires_at: [message] } },
    });
  });
});

describe('abilities', () => {
  test.each([
    [
      ['videos:delete'],
      'abilities.0',
      expect.stringMatching(/^The abilities are \*, videos:read, .*usage:read, admin\.$/),
    ],
    [[], 'abilities', 'The abilities field must have at least 1 items.'],
    ['*', 'abilities', 'The abilities field must be an array.'],
    [['*', 'videos:read'], 'abilities', 'The abilities field must have either * alone or other abilities.'],
    [['videos:read', 'videos:read'], 'abilities', 'The abilities field has a duplicate value.'],
    [['admin'], 'abilities', 'Only administrators can create tokens with the ability admin.'],
  ])('%j are 422', async (abilities, field, message) => {
    const { token } = await createPerson();
    expect(await callHandler(handler, 'POST /api/tokens', { token, body: { name: 'ci', abilities } })).toMatchObject({
      status: 422,
      json: { errors: { [field]: [message] } },
    });
  });

  test('are shown, and tokens of before they existed have all', async () => {
    const { user, token } = await createPerson();
    const body = { name: 'ci', abilities: ['uploads:write', 'videos:read'] };
    expect(await callHandler(handler, 'POST /api/tokens', { token, body })).toMatchObject({ status: 201 });
    await write({ update: keys.token(Number(idOf(token))), remove: ['abilities', 'endsAt'] });
    const { data } = (await callHandler(handler, 'GET /api/tokens', { token })).json;
    expect(data.map(({ abilities, expires_at }: never) => ({ abilities, expires_at }))).toEqual([
      { abilities: ['uploads:write', 'videos:read'], expires_at: null },
      { abilities: ['*'], expires_at: null },
    ]);
    expect(await readHistory(user, 1)).toMatchObject([{ properties: { abilities: ['uploads:write', 'videos:read'] } }]);
  });
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

test('a user has at most 100 tokens, of which those do not count that DynamoDB has removed', async () => {
  const { user, token } = await createPerson();
  for (let made = 1; made < 100; made++) await createToken(user.ulid, { name: `token ${made}` });
  const create = () => callHandler(handler, 'POST /api/tokens', { token, body: { name: 'more' } });
  expect(await create()).toMatchObject({
    status: 409,
    json: { code: 'token_limit', message: 'A user has at most 100 tokens. Revoke one first.' },
  });
  const { data } = (await callHandler(handler, 'GET /api/tokens', { token })).json;
  await write({ delete: keys.token(data[0].id) });
  expect((await Promise.all([create(), create()])).map(({ status }) => status).toSorted()).toEqual([201, 409]);

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
