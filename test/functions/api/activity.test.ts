import { expect, test, vi } from 'vitest';
import * as z from 'zod';
import { handler } from '../../../functions/api/activity.lambda.ts';
import { getItem, transact } from '../../../functions/table/items/items.ts';
import { keys } from '../../../functions/table/items/keys.ts';
import { videoActivity } from '../../../functions/table/writes/activity-writes.ts';
import { callHandler } from '../../fixtures/call-handler.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();

const uploaded = (userUlid: string, name: string) =>
  transact([
    videoActivity({ ulid: userUlid }, { id: 42, ulid: '01K9Z3Q8V7N4T2M6X5C0R1B2D3' }, 'uploaded', `Uploaded ${name}`, {
      size: 734003200,
    }),
  ]);

test("a user's actions are listed newest first, with stable IDs", async () => {
  const { user, token } = await createPerson();
  await uploaded(user.ulid, 'one.mp4');
  await uploaded(user.ulid, 'two.mp4');
  const page = async (query: string) => (await callHandler(handler, `GET /api/activity-log?${query}`, { token })).json;
  const first = await page('per_page=2');
  expect(first.data.map((line: { description: string }) => line.description)).toEqual([
    'Uploaded two.mp4',
    'Uploaded one.mp4',
  ]);
  expect(first.data[0]).toEqual({
    id: 3,
    log_name: 'video',
    description: 'Uploaded two.mp4',
    event: 'uploaded',
    subject_type: 'video',
    subject_id: 42,
    subject_ulid: '01K9Z3Q8V7N4T2M6X5C0R1B2D3',
    causer_id: user.id,
    properties: { size: 734003200 },
    created_at: expect.stringMatching(/000Z$/),
  });
  expect(first.meta).toEqual({ current_page: 1, last_page: 2, per_page: 2, total: 3 });
  const second = await page('per_page=2&page=2');
  expect(second.data).toMatchObject([{ id: 1, event: 'created', log_name: 'token', properties: { name: 'test' } }]);
  await uploaded(user.ulid, 'three.mp4');
  expect((await page('')).data.map(({ id }: { id: number }) => id)).toEqual([4, 3, 2, 1]);
  expect(await page('page=1000')).toMatchObject({ data: [], meta: { total: 4 } });
});

test("another user's actions are not listed", async () => {
  const [mine, other] = [await createPerson(), await createPerson()];
  await uploaded(other.user.ulid, 'theirs.mp4');
  expect((await callHandler(handler, 'GET /api/activity-log', { token: mine.token })).json.meta.total).toBe(1);
});

test('a page out of range is 422, no credential is 401', async () => {
  const { token } = await createPerson();
  expect(await callHandler(handler, 'GET /api/activity-log?per_page=101', { token })).toMatchObject({ status: 422 });
  expect(await callHandler(handler, 'GET /api/activity-log')).toMatchObject({ status: 401 });
});

test('a long history is counted incrementally, with stable IDs', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  try {
    const { user, token } = await createPerson();
    const write = async (lines: number) => {
      for (let line = 0; line < lines; line += 50) {
        await transact(Array.from({ length: 50 }, (_, n) => videoActivity(user, {}, 'updated', `${line + n}`)));
      }
    };
    const first = async () => {
      const { json } = await callHandler(handler, 'GET /api/activity-log?per_page=1', { token });
      return [json.meta.total, json.data[0].id];
    };
    const kept = () => getItem(z.looseObject({ lines: z.int() }), keys.activityCount(user.ulid));
    await write(600);
    expect(await first()).toEqual([601, 601]);
    expect(await kept()).toMatchObject({ lines: 0 });
    vi.setSystemTime(Date.now() + 25 * 3600 * 1000);
    expect(await first()).toEqual([601, 601]);
    expect(await kept()).toMatchObject({ lines: 601 });
    await write(50);
    expect(await first()).toEqual([651, 651]);
    expect(await kept()).toMatchObject({ lines: 601 });
  } finally {
    vi.useRealTimers();
  }
});
