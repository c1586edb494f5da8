import { beforeAll, describe, expect, test } from 'vitest';
import { handler } from '../../../../functions/api/videos.lambda.ts';
import { write } from '../../../../functions/table/items/items.ts';
import { keys } from '../../../../functions/table/items/keys.ts';
import type { Template } from '../../../../functions/table/records.ts';
import { createTemplate } from '../../../../functions/table/template-table.ts';
import { finishVideo } from '../../../../functions/table/videos/finish-video.ts';
import { reprocessVideo } from '../../../../functions/table/videos/reprocess-video.ts';
import { findWholeVideo, moveVideo } from '../../../../functions/table/videos/video-table.ts';
import { callHandler } from '../../../fixtures/call-handler.ts';
import { createPerson } from '../../../fixtures/create-person.ts';
import { storeVideo } from '../../../fixtures/records/store-video.ts';
import { useTable } from '../../../fixtures/use-table.ts';

useTable();

type Person = Awaited<ReturnType<typeof createPerson>>;
let owner: Person;
let stranger: Person;
let admin: Person;
let web: Template;
let small: Template;

const list = (token: string, query: string) => callHandler(handler, `GET /api/videos?${query}`, { token });
const namesIn = (json: { data: { name: string }[] }): string[] => json.data.map(({ name }) => name);
const named = async (query: string): Promise<string[]> => namesIn((await list(owner.token, query)).json);

beforeAll(async () => {
  [owner, stranger, admin] = [await createPerson(), await createPerson(), await createPerson({ isAdmin: true })];
  web = await createTemplate(owner.user.ulid, { name: 'Web', query: { version: 1 } });
  small = await createTemplate(owner.user.ulid, { name: 'Small', query: { version: 1 } });
  const at = (day: number) => `2026-11-${day}T10:00:00.000000Z`;
  // Stored in another order than that of creation.
  for (const [name, day, changes] of [
    ['Beach holiday.mp4', 12, { template: web, externalUserId: 'crm-1', tags: ['sea', 'sun'] }],
    ['Holiday at home.mov', 14, { template: small, externalUserId: 'crm-1', status: 'failed', tags: ['sun', 'a&b'] }],
    ['Zoo.mp4', 11, { template: web, externalUserId: null }],
    ['Home video.mp4', 13, { template: small, externalUserId: 'crm-2', status: 'running' }],
  ] as const) {
    const tags = 'tags' in changes ? [...changes.tags] : undefined;
    await storeVideo(owner.user, { name, createdAt: at(day), ...changes, tags });
  }
  await storeVideo(stranger.user, { name: 'Holiday of another', createdAt: at(13), externalUserId: 'crm-1' });
});

const [zoo, beach, video, home] = ['Zoo.mp4', 'Beach holiday.mp4', 'Home video.mp4', 'Holiday at home.mov'] as const;

describe('a list with', () => {
  test.each([
    ['status=completed', [beach, zoo]],
    ['status=failed', [home]],
    ['status=pending', []],
    ['external_user_id=crm-1', [home, beach]],
    ['external_user_id=', [zoo]],
    ['external_user_id=crm', []],
    ['tag=sun', [home, beach]],
    ['tag=SUN&tag=sea', [beach]],
    ['tag=sea&tag=a%26b', []],
    ['tag=sun&status=failed', [home]],
    ['tag=sun&q=beach', [beach]],
    ['tag=su', []],
    ['tag=&tag=+', [home, video, beach, zoo]],
    ['q=ho', [home, video, beach]],
    ['q=HOL%C3%ADday', [home, beach]],
    ['q=oliday', []],
    ['q=mp4', [video, beach, zoo]],
    ['q=home+hol', [home]],
    ['q=hol&status=completed', [beach]],
    ['q=mp&external_user_id=crm-1', [beach]],
    ['created_from=2026-11-12&created_to=2026-11-13', [video, beach]],
    ['created_from=2026-11-13T10:00:00Z', [home, video]],
    ['created_from=2026-11-13T10:00:00.001Z', [home]],
    ['created_to=2026-11-12T11:00:00%2B01:00', [beach, zoo]],
    ['created_to=2026-11-12T10:59:59%2B01:00', [zoo]],
    ['created_to=1969-01-01', []],
    ['q=mp4&created_to=2026-11-12&created_from=2026-11-12', [beach]],
    ['status=completed&created_from=2026-11-12', [beach]],
  ])('%s', async (query, names) => {
    expect(await named(query)).toEqual(names);
  });

  test('a template', async () => {
    expect(await named(`template_id=${small.id}`)).toEqual([home, video]);
    expect(await named(`template_id=${small.id}&status=running`)).toEqual([video]);
    expect(await named(`template_id=${web.id}&q=z`)).toEqual([zoo]);
    expect(await named('template_id=999999')).toEqual([]);
  });

  test('no filter has numbered pages', async () => {
    const { json } = await list(owner.token, 'per_page=3');
    expect(namesIn(json)).toEqual([home, video, beach]);
    expect(json.meta).toEqual({ current_page: 1, last_page: 2, per_page: 3, total: 4 });
  });
});

test.each(['q=ho', 'created_from=2026-11-01', 'status=completed', 'q=mp4&external_user_id=crm-2', 'q=h&status=failed'])(
  'pages of %s follow each other without gaps and repetitions',
  async (query) => {
    const all = await named(query);
    const seen: string[] = [];
    let next: string | null | undefined;
    for (let pages = 0; next !== null && pages < 10; pages++) {
      const { json } = await list(owner.token, `${query}&per_page=1${next ? `&cursor=${next}` : ''}`);
      expect(Object.keys(json.meta)).toEqual(['next_cursor', 'per_page']);
      seen.push(...namesIn(json));
      next = json.meta.next_cursor;
    }
    expect(next).toBeNull();
    expect(seen).toEqual(all);
  },
);

test('a page whose first video is deleted before it is read goes on with the one after', async () => {
  const { user, token } = await createPerson();
  const stored = [];
  for (const day of [1, 2, 3]) {
    stored.push(await storeVideo(user, { name: `clip ${day}`, createdAt: `2026-11-0${day}T00:00:00.000000Z` }));
  }
  const first = await list(token, 'q=clip&per_page=1');
  await write({ update: keys.video(stored[1]!.video.ulid), set: { deletedAt: '2026-11-20T10:00:00.000000Z' } });
  const second = await list(token, `q=clip&per_page=2&cursor=${first.json.meta.next_cursor}`);
  expect(namesIn(second.json)).toEqual(['clip 1']);
});

test("another user's cursor and filters select only the caller's own videos", async () => {
  const theirs = (await list(owner.token, 'q=ho&per_page=1')).json.meta.next_cursor;
  for (const query of [`q=ho&cursor=${theirs}`, `cursor=${theirs}`, `external_user_id=crm-1&cursor=${theirs}`]) {
    const names = namesIn((await list(stranger.token, query)).json);
    expect(names.filter((name) => name !== 'Holiday of another')).toEqual([]);
  }
  expect(namesIn((await list(stranger.token, `template_id=${web.id}`)).json)).toEqual([]);
  expect(namesIn((await list(stranger.token, 'q=ho')).json)).toEqual(['Holiday of another']);
});

test("an administrator filters the own videos, or another user's", async () => {
  expect(namesIn((await list(admin.token, 'q=ho')).json)).toEqual([]);
  expect(namesIn((await list(admin.token, `q=ho&user_id=${owner.user.id}`)).json)).toEqual([home, video, beach]);
  expect(await list(stranger.token, `q=ho&user_id=${owner.user.id}`)).toMatchObject({ status: 403 });
});

test.each([
  ['cursor=x', 'cursor', 'The cursor field must be the next_cursor of an earlier page.'],
  ['cursor=01KAH0Z5M2P4R6T8W0Y2A4C6E8%23', 'cursor', 'The cursor field must be the next_cursor of an earlier page.'],
  ['status=done', 'status', 'The selected status is invalid.'],
  ['template_id=0', 'template_id', 'The template id field must be at least 1.'],
  ['template_id=x', 'template_id', 'The template id field must be an integer.'],
  ['created_from=2026-02-30', 'created_from', 'The created from field must be a valid date.'],
  ['created_from=yesterday', 'created_from', 'The created from field must be a valid date.'],
  ['created_to=2026-11-20T25:00:00Z', 'created_to', 'The created to field must be a valid date.'],
  ['created_to=2026-11-20T10:00:00', 'created_to', 'The created to field must be a valid date.'],
  [
    'created_from=2026-11-20&created_to=2026-11-19',
    'created_to',
    'The created to field must be a date after or equal to created from.',
  ],
  ['q=-%23', 'q', 'The q field must have a letter or a digit.'],
  [`q=${'x'.repeat(256)}`, 'q', 'The q field must not be greater than 255 characters.'],
  [
    `external_user_id=${'x'.repeat(256)}`,
    'external_user_id',
    'The external user id field must not be greater than 255 characters.',
  ],
  ['q=ho&page=1', 'page', 'The page field cannot be used together with a filter or cursor. Use cursor.'],
  [
    'cursor=01KAH0Z5M2P4R6T8W0Y2A4C6E8&page=2',
    'page',
    'The page field cannot be used together with a filter or cursor. Use cursor.',
  ],
  ['q=ho&per_page=101', 'per_page', 'The per page field must not be greater than 100.'],
])('%s is 422', async (query, field, message) => {
  expect(await list(owner.token, query)).toMatchObject({ status: 422, json: { errors: { [field]: [message] } } });
});

test('the list of a status follows every change of the status, and of the owner', async () => {
  const [{ user, token }, heir] = [await createPerson(), await createPerson()];
  const { video: stored } = await storeVideo(user, { status: 'pending' });
  const isIn = async (status: string, as = token) => (await list(as, `status=${status}`)).json.data.length === 1;
  expect(await isIn('pending')).toBe(true);
  for (const status of ['downloading', 'running', 'uploading'] as const) {
    expect(await moveVideo(stored, status)).toBe(true);
    expect(await isIn(status)).toBe(true);
  }
  const whole = (await findWholeVideo(stored.ulid))!;
  expect(await finishVideo(whole, { status: 'failed', original: undefined })).toBe(true);
  expect([await isIn('failed'), await isIn('uploading')]).toEqual([true, false]);
  const options = { replan: false, probe: undefined, properties: {}, quota: null };
  expect(await reprocessVideo((await findWholeVideo(stored.ulid))!.video, options, user)).toBe(true);
  expect([await isIn('pending'), await isIn('failed')]).toEqual([true, false]);

  const body = { user_id: heir.user.id };
  await callHandler(handler, `PUT /api/videos/${stored.ulid}`, { token: admin.token, body });
  expect([await isIn('pending'), await isIn('pending', heir.token)]).toEqual([false, true]);
  // An execution that read the video before it had another owner.
  expect(await moveVideo(stored, 'downloading')).toBe(true);
  expect([await isIn('downloading'), await isIn('downloading', heir.token)]).toEqual([false, true]);
});
