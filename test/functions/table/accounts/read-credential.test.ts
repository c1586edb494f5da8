import { afterEach, expect, test, vi } from 'vitest';
import { handler as account } from '../../../../functions/api/account.lambda.ts';
import { documents } from '../../../../functions/aws/table-client.ts';
import { openSession } from '../../../../functions/table/accounts/session-table.ts';
import { deleteToken, findToken } from '../../../../functions/table/accounts/token-table.ts';
import { hideUser } from '../../../../functions/table/accounts/user-table.ts';
import { usageShards } from '../../../../functions/table/writes/usage-writes.ts';
import { callHandler, type RequestOptions } from '../../../fixtures/call-handler.ts';
import { createPerson } from '../../../fixtures/create-person.ts';
import { useTable } from '../../../fixtures/use-table.ts';

useTable();
afterEach(() => vi.restoreAllMocks());

const me = (sent: RequestOptions) => callHandler(account, 'GET /api/me', sent);

async function credentials() {
  const { user, token } = await createPerson();
  return { user, token, session: (await openSession(user)).secret };
}

test('a credential and its user are read in one request once the owner is known', async () => {
  const { token, session } = await credentials();
  for (const sent of [{ token }, { session }]) {
    const first = await me(sent);
    const requests = vi.spyOn(documents, 'send');
    expect((await me(sent)).json).toEqual(first.json);
    // The queries are for the use of the quota, which this operation shows: reservations, and the sums of the month.
    const names = requests.mock.calls.map(([command]) => command.constructor.name);
    expect(names).toEqual(['BatchGetCommand', ...Array.from({ length: 1 + usageShards }, () => 'QueryCommand')]);
    requests.mockRestore();
  }
});

test('a wrong secret of a token whose owner is known is refused', async () => {
  const { token } = await credentials();
  expect(await me({ token })).toMatchObject({ status: 200 });
  expect(await me({ token: `${token.split('|')[0]}|${'x'.repeat(40)}` })).toMatchObject({ status: 401 });
});

test('a revoked token and the credentials of a deleted user are refused at the next request', async () => {
  const { user, token, session } = await credentials();
  const other = await credentials();
  for (const sent of [{ token }, { session }, { token: other.token }]) {
    expect(await me(sent)).toMatchObject({ status: 200 });
  }
  await deleteToken((await findToken(other.user.ulid, other.token.split('|')[0]!))!);
  await hideUser(user, other.user);
  for (const sent of [{ token }, { session }, { token: other.token }]) {
    expect(await me(sent)).toMatchObject({ status: 401 });
  }
});
