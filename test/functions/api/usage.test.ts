import { expect, test } from 'vitest';
import { handler } from '../../../functions/api/usage.lambda.ts';
import { transact } from '../../../functions/table/items/items.ts';
import { usageWrites } from '../../../functions/table/writes/usage-writes.ts';
import { callHandler } from '../../fixtures/call-handler.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();

const at = (text: string): number => Date.parse(text);
/** 1,020 bytes: with the rest of the sort key more than DynamoDB's limit. */
const longName = '🎬'.repeat(255);

async function usedPerson() {
  const someone = await createPerson();
  const use = (
    externalUserId: string | null,
    amount: number,
    time: string,
    metric: 'upload_bytes' | 'encoding_cpu' = 'upload_bytes',
  ) => transact(usageWrites({ userUlid: someone.user.ulid, metric, externalUserId, amount, atMilliseconds: at(time) }));
  return { ...someone, use };
}

const read = (token: string, query: string) => callHandler(handler, `GET /api/usage?${query}`, { token });

test('uploads of one day are one row; days are cut at midnight UTC', async () => {
  const { token, use } = await usedPerson();
  await use('crm-1', 100, '2026-11-20T23:59:59.999Z');
  await use('crm-1', 50, '2026-11-20T00:00:00Z');
  await use('crm-1', 7, '2026-11-21T00:00:00Z');
  const answer = await read(token, 'from=2026-11-20&to=2026-11-21');
  expect(answer.json).toEqual({
    data: [
      { metric: 'upload_bytes', external_user_id: 'crm-1', value: 150, date: '2026-11-20' },
      { metric: 'upload_bytes', external_user_id: 'crm-1', value: 7, date: '2026-11-21' },
    ],
  });
  expect((await read(token, 'from=2026-11-21&to=2026-11-21')).json.data).toHaveLength(1);
});

test('CPU time is the sum in whole seconds', async () => {
  const { token, use } = await usedPerson();
  for (let job = 0; job < 3; job++) await use(null, 400, '2026-11-20T10:00:00Z', 'encoding_cpu');
  expect((await read(token, 'from=2026-11-20&to=2026-11-20')).json.data).toEqual([
    { metric: 'encoding_cpu', external_user_id: null, value: 1, date: '2026-11-20' },
  ]);
});

test('a sum that rounds to zero is omitted', async () => {
  const { token, use } = await usedPerson();
  await use(null, 400, '2026-11-20T10:00:00Z', 'encoding_cpu');
  expect((await read(token, 'from=2026-11-20&to=2026-11-20')).json.data).toEqual([]);
});

test('rows are separate for each external user and for none, and can be filtered', async () => {
  const { token, use } = await usedPerson();
  for (const id of [null, '🎬', longName, 'crm-1']) await use(id, 1, '2026-11-20T10:00:00Z');
  await use('crm-1', 1000, '2026-11-20T10:00:00Z', 'encoding_cpu');
  const users = async (filter: string) =>
    (await read(token, `from=2026-11-20&to=2026-11-20${filter}`)).json.data.map(
      (row: { external_user_id: string | null }) => row.external_user_id,
    );
  expect(await users('')).toEqual(['crm-1', null, 'crm-1', '🎬', longName]);
  expect(await users('&external_user_id=')).toEqual([null]);
  expect(await users(`&external_user_id=${encodeURIComponent(longName)}`)).toEqual([longName]);
  expect(await users('&metric=encoding_cpu')).toEqual(['crm-1']);
  expect(await users('&external_user_id=nobody')).toEqual([]);
});

test("another user's rows are not listed", async () => {
  const [mine, other] = [await usedPerson(), await usedPerson()];
  await other.use('crm-9', 1, '2026-11-20T10:00:00Z');
  expect((await read(mine.token, 'from=2026-11-20&to=2026-11-20&external_user_id=crm-9')).json).toEqual({ data: [] });
});

test("an administrator reads another user's usage", async () => {
  const [boss, other] = [await createPerson({ isAdmin: true }), await usedPerson()];
  await other.use('crm-9', 5, '2026-11-20T10:00:00Z');
  const range = 'from=2026-11-20&to=2026-11-20';
  const answer = await read(boss.token, `${range}&user_id=${other.user.id}`);
  expect(answer.json.data).toMatchObject([{ external_user_id: 'crm-9', value: 5 }]);
  expect((await read(boss.token, range)).json.data).toEqual([]);
  expect(await read(boss.token, `${range}&user_id=999999`)).toMatchObject({
    status: 422,
    json: { errors: { user_id: ['The selected user id is invalid.'] } },
  });
  expect(await read(other.token, `${range}&user_id=${other.user.id}`)).toMatchObject({ status: 403 });
});

test.each([
  ['to=2026-11-20', 'from', 'The from field is required.'],
  ['from=2026-11-20', 'to', 'The to field is required.'],
  ['from=2026-02-30&to=2026-03-01', 'from', 'The from field must be a valid date.'],
  ['from=2026-2-3&to=2026-03-01', 'from', 'The from field must be a valid date.'],
  ['from=2026-11-21&to=2026-11-20', 'to', 'The to field must be a date after or equal to from.'],
  ['from=2025-11-20&to=2026-11-21', 'to', 'The range must not be longer than 366 days.'],
  ['from=2026-11-20&to=2026-11-20&metric=bandwidth', 'metric', 'The selected metric is invalid.'],
])('%s is 422', async (query, field, message) => {
  const { token } = await createPerson();
  expect(await read(token, query)).toMatchObject({ status: 422, json: { message, errors: { [field]: [message] } } });
});

test('without a credential it is 401', async () => {
  expect(await callHandler(handler, 'GET /api/usage')).toMatchObject({ status: 401 });
});
