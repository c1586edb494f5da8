import * as fc from 'fast-check';
import { beforeAll, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { publishedRoutes } from '../../../../functions/contracts/published-routes.ts';
import type { Template } from '../../../../functions/table/records.ts';
import { createTemplate } from '../../../../functions/table/template-table.ts';
import { createPerson } from '../../../fixtures/create-person.ts';
import { storeVideo } from '../../../fixtures/records/store-video.ts';
import { callApi, useWholeApi } from '../../../fixtures/use-whole-api.ts';

/** Pages of videos compared with a list in memory, while videos are created, deleted and transferred. */
useWholeApi();

type Person = Awaited<ReturnType<typeof createPerson>>;
type Step = { kind: 'create' | 'delete' | 'give'; pick: number };
/** ULIDs by owner, oldest first */
type Model = [string[], string[]];

let admin: Person;
beforeAll(async () => {
  // Advances with each call, so that no rate limit is reached.
  vi.useFakeTimers({ toFake: ['Date'] });
  admin = await createPerson({ isAdmin: true });
  return () => vi.useRealTimers();
});

function ask(request: `${string} /${string}`, body?: object) {
  vi.setSystemTime(Date.now() + 500);
  return callApi(request, { token: admin.token, ...(body && { body }) });
}

const step = fc.record({
  kind: fc.constantFrom('create', 'create', 'delete', 'give'),
  pick: fc.nat(5),
}) as fc.Arbitrary<Step>;

/** The steps of one batch run concurrently, each on any earlier video, possibly the same one. */
const batches = fc.array(fc.array(step, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 5 });

async function take({ kind, pick }: Step, model: Model, people: [Person, Person], template: Template): Promise<void> {
  const from = model[0].length === 0 || (pick % 2 === 1 && model[1].length > 0) ? 1 : 0;
  const ulid = model[from][pick % model[from].length];
  if (kind === 'create' || ulid === undefined) {
    const { video } = await storeVideo(people[pick % 2]!.user, { template });
    model[(pick % 2) as 0 | 1].push(video.ulid);
    return;
  }
  const without = (list: string[]) => list.filter((one) => one !== ulid);
  if (kind === 'delete') {
    const { status } = await ask(`DELETE /api/videos/${ulid}`);
    expect([204, 404]).toContain(status);
    for (const index of [0, 1] as const) model[index] = without(model[index]);
    return;
  }
  const { status } = await ask(`PUT /api/videos/${ulid}`, { user_id: people[1 - from]!.user.id });
  expect([200, 404, 409]).toContain(status);
  // A concurrently deleted video has no owner, in either order.
  if (status !== 200 || !model[from].includes(ulid)) return;
  model[from] = without(model[from]);
  model[1 - from]!.push(ulid);
}

async function expectPages(owner: Person, ulids: string[], perPage: number): Promise<void> {
  const wanted = ulids.toSorted().reverse();
  const lastPage = Math.max(1, Math.ceil(wanted.length / perPage));
  for (let page = 1; page <= lastPage + 1; page++) {
    const { json } = await ask(`GET /api/videos?user_id=${owner.user.id}&page=${page}&per_page=${perPage}`);
    expect(json.data.map((video: { ulid: string }) => video.ulid)).toEqual(
      wanted.slice((page - 1) * perPage, page * perPage),
    );
    expect(json.meta).toEqual({ current_page: page, last_page: lastPage, per_page: perPage, total: wanted.length });
  }
}

test('after concurrent changes, pages contain every video once and the total is right', async () => {
  await fc.assert(
    fc.asyncProperty(batches, fc.integer({ min: 1, max: 4 }), async (all, perPage) => {
      const people: [Person, Person] = [await createPerson(), await createPerson()];
      const template = await createTemplate(admin.user.ulid, { name: 'Web', query: {} });
      const model: Model = [[], []];
      for (const batch of all) {
        await Promise.all(batch.map((one) => take(one, model, people, template)));
        await expectPages(people[0], model[0], perPage);
        await expectPages(people[1], model[1], perPage);
      }
    }),
    { numRuns: 6, seed: 20261121 },
  );
});

test('a page that is read during changes has no duplicates, no videos of other users, and the newest first', async () => {
  const people: [Person, Person] = [await createPerson(), await createPerson()];
  const template = await createTemplate(admin.user.ulid, { name: 'Web', query: {} });
  const model: Model = [[], []];
  for (let n = 0; n < 12; n++) await take({ kind: 'create', pick: 0 }, model, people, template);
  const steps = Array.from(
    { length: 24 },
    (_, n): Step => ({ kind: n % 3 === 0 ? 'create' : n % 3 === 1 ? 'give' : 'delete', pick: n * 7 }),
  );
  const changes = Promise.all(steps.map((one) => take(one, model, people, template)));
  const pages = await Promise.all(
    [1, 2, 3, 1, 2, 3].map((page) => ask(`GET /api/videos?user_id=${people[0].user.id}&page=${page}&per_page=5`)),
  );
  await changes;
  for (const { json } of pages) {
    const ulids = json.data.map((video: { ulid: string }) => video.ulid);
    expect(ulids).toEqual([...new Set<string>(ulids)].toSorted().reverse());
    expect(ulids.length).toBeLessThanOrEqual(5);
    expect(json.meta.last_page).toBe(Math.max(1, Math.ceil(json.meta.total / 5)));
  }
  await expectPages(people[0], model[0], 5);
  await expectPages(people[1], model[1], 5);
});

test('the pages of the activity log are complete, and each line has a stable ID', async () => {
  const { token } = await createPerson();
  const names = Array.from({ length: 9 }, (_, n) => `template ${n}`);
  const create = (name: string) =>
    callApi('POST /api/template-presets/hls-auto-1080p/adopt', { token, body: { name } });
  await Promise.all(names.map(create));
  const walk = async (perPage: number) => {
    const lines = [];
    for (let page = 1; page <= Math.ceil(10 / perPage); page++) {
      const { json } = await callApi(`GET /api/activity-log?page=${page}&per_page=${perPage}`, { token });
      expect(json.meta).toMatchObject({ total: 10, last_page: Math.ceil(10 / perPage) });
      lines.push(...json.data);
    }
    return lines.map(
      ({ id, properties }: { id: number; properties: { name: string } }) => [id, properties.name] as const,
    );
  };
  const lines = await walk(10);
  expect(lines.map(([id]) => id)).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
  expect(lines.map(([, name]) => name).toSorted()).toEqual([...names, 'test'].toSorted());
  for (const perPage of [1, 3, 4]) expect(await walk(perPage)).toEqual(lines);
});

const numbered = publishedRoutes.flatMap(({ method, path, query }) =>
  method === 'GET' && query instanceof z.ZodObject && 'page' in query.shape ? [path as `/${string}`] : [],
);

test('the lists with numbered pages are known', () => {
  expect(numbered.toSorted()).toEqual([
    '/api/activity-log',
    '/api/ingests',
    '/api/nodes',
    '/api/uploads',
    '/api/users',
    '/api/videos',
  ]);
});

test.each(numbered)('%s has an empty page behind its end, however large its number is', async (path) => {
  for (const page of [1_000_000, 2 ** 31, Number.MAX_SAFE_INTEGER]) {
    const { status, json } = await ask(`GET ${path}?page=${page}&per_page=100`);
    expect([status, json.data, json.meta.current_page]).toEqual([200, [], page]);
  }
});
