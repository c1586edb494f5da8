import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { handler } from '../../../../functions/api/account.lambda.ts';
import { documents } from '../../../../functions/aws/table-client.ts';
import { randomBase62 } from '../../../../functions/common/secret.ts';
import { openSession } from '../../../../functions/table/accounts/session-table.ts';
import { createToken } from '../../../../functions/table/accounts/token-table.ts';
import { callHandler, type RequestOptions } from '../../../fixtures/call-handler.ts';
import { createPerson } from '../../../fixtures/create-person.ts';
import { useTable } from '../../../fixtures/use-table.ts';

useTable();

// The clock is fixed, so that no minute ends during a test. Each test uses different addresses.
let network = 0;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
  network++;
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const address = (host = 1) => `198.18.${network}.${host}`;
const me = (sent: RequestOptions) => callHandler(handler, 'GET /api/me', { ip: address(), ...sent });
const wrongToken = () => ({ token: `999999|${randomBase62(40)}` });
const wrongSession = () => ({ session: randomBase62(40) });

async function times(count: number, ask: () => ReturnType<typeof me>): Promise<number[]> {
  const statuses = [];
  for (let asked = 0; asked < count; asked++) statuses.push((await ask()).status);
  return statuses;
}

test.each([
  ['tokens', wrongToken],
  ['sessions', wrongSession],
  ['texts that are no token', () => ({ token: 'x' })],
])('a network that sends many invalid %s is 429 for the rest of the minute; others are not', async (_, wrong) => {
  const { token } = await createPerson();
  expect(new Set(await times(60, () => me(wrong())))).toEqual(new Set([401]));
  expect(await me(wrong())).toMatchObject({
    status: 429,
    json: { message: 'Too Many Attempts.' },
    headers: { 'retry-after': expect.stringMatching(/^[1-9]\d?$/), 'x-ratelimit-limit': '60' },
  });
  expect(await me({ token })).toMatchObject({ status: 429 });
  expect(await me({ token, ip: address(2) })).toMatchObject({ status: 200 });
  vi.setSystemTime(Date.now() + 60_000);
  expect(await me(wrong())).toMatchObject({ status: 401 });
  expect(await me({ token })).toMatchObject({ status: 200 });
});

test('clients in the same network with a proven valid credential are not limited', async () => {
  const { user, token } = await createPerson();
  const { secret: session } = await openSession(user);
  for (const sent of [{ token }, { session }]) expect(await me(sent)).toMatchObject({ status: 200 });
  await times(70, () => me(wrongToken()));
  expect(await me(wrongToken())).toMatchObject({ status: 429 });
  for (const sent of [{ token }, { session }]) expect(await me(sent)).toMatchObject({ status: 200 });
});

test('the addresses of one IPv6 network are limited together', async () => {
  const ip = (host: number) => `2001:db8:${network}:7::${host.toString(16)}`;
  let host = 0;
  await times(60, () => me({ ...wrongToken(), ip: ip(++host) }));
  expect(await me({ ...wrongToken(), ip: ip(++host) })).toMatchObject({ status: 429 });
  expect(await me({ ...wrongToken(), ip: `2001:db8:${network}:8::1` })).toMatchObject({ status: 401 });
});

test('invalid tokens of one account are limited over all networks, and do not block valid ones', async () => {
  const { user, token } = await createPerson();
  const other = await createToken(user.ulid, { name: 'other' });
  const id = token.split('|')[0];
  let host = 0;
  const guess = () => me({ token: `${id}|${randomBase62(40)}`, ip: address(2 + (++host % 200)) });
  expect(new Set(await times(300, guess))).toEqual(new Set([401]));
  expect(await guess()).toMatchObject({ status: 429, headers: { 'retry-after': expect.any(String) } });
  for (const right of [token, other]) expect(await me({ token: right })).toMatchObject({ status: 200 });
});

test('requests without a credential are 401 and are not limited', async () => {
  expect(new Set(await times(100, () => me({})))).toEqual(new Set([401]));
});

test('1000 invalid credentials cost a few dozen writes; those over the limit cost no call', async () => {
  const sent = vi.spyOn(documents, 'send');
  const writes = () => sent.mock.calls.filter(([command]) => command instanceof UpdateCommand).length;
  await times(61, () => me(wrongToken()));
  expect(writes()).toBeLessThanOrEqual(31);
  const calls = sent.mock.calls.length;
  await times(1000, () => me(wrongToken()));
  expect(sent.mock.calls.length - calls).toBeLessThanOrEqual(4);
});
