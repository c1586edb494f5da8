import { afterEach, describe, expect, test } from 'vitest';
import { handler } from '../../../functions/api/templates.lambda.ts';
import { listActivity } from '../../../functions/table/accounts/activity-table.ts';
import { transact } from '../../../functions/table/items/items.ts';
import {
  findAnyTemplateById,
  giveTemplates,
  listTemplates,
  updateTemplate,
} from '../../../functions/table/template-table.ts';
import { templateReferenceWrite } from '../../../functions/table/writes/template-reference-writes.ts';
import { presets } from '../../../functions/templates/presets.ts';
import { callHandler } from '../../fixtures/call-handler.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { readHistory } from '../../fixtures/read-history.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();

const query = {
  version: 1,
  ladder: { codec: 'h264', max_height: 1080 },
  audio: [{ name: 'stereo', codec: 'aac' }],
  outputs: [{ name: 'hls', format: 'hls' }],
};
const create = (token: string, name = 'Web') =>
  callHandler(handler, 'POST /api/templates', { token, body: { name, query } });

test('a template stores the query as it was sent, without defaults', async () => {
  const { token } = await createPerson();
  const created = await create(token, ' Web ');
  expect(created).toMatchObject({ status: 201 });
  expect(created.json.data).toEqual({
    id: expect.any(Number),
    ulid: expect.stringMatching(/^[0-9A-Z]{26}$/),
    name: 'Web',
    query,
    shared: false,
    created_at: expect.stringMatching(/000Z$/),
  });
  const { id, ulid } = created.json.data;
  for (const name of [id, ulid, ulid.toLowerCase()]) {
    expect(await callHandler(handler, `GET /api/templates/${name}`, { token })).toMatchObject({
      status: 200,
      json: created.json,
    });
  }
});

test('the answers of one template have warnings of its query', async () => {
  const { token } = await createPerson();
  const created = await create(token);
  expect(created.json.warnings).toEqual([]);
  const opus = { ...query, audio: [{ name: 'stereo', codec: 'opus' }] };
  const path = `api/templates/${created.json.data.id}`;
  const changed = await callHandler(handler, `PUT /${path}`, { token, body: { query: opus } });
  expect(changed.json.warnings).toEqual([expect.stringContaining('Opus only')]);
  expect((await callHandler(handler, `PUT /${path}`, { token, body: { name: 'B' } })).json.warnings).toHaveLength(1);
  expect((await callHandler(handler, `GET /${path}`, { token })).json.warnings).toHaveLength(1);
});

test('templates are listed newest first', async () => {
  const { token } = await createPerson();
  await create(token, 'one');
  await create(token, 'two');
  const list = await callHandler(handler, 'GET /api/templates', { token });
  expect(list.json.data.map(({ name }: { name: string }) => name)).toEqual(['two', 'one']);
});

test.each([
  [{ name: 'Web' }, 'query', 'The query field is required.'],
  [{ query }, 'name', 'The name field is required.'],
  [{ name: 'Web', query: { ...query, outputs: [] } }, 'query.outputs', expect.any(String)],
  [
    { name: 'Web', query: { ...query, ladder: { codec: 'h264 -i /etc/passwd' } } },
    'query.ladder.codec',
    expect.any(String),
  ],
  [{ name: 'Web', query: 'x' }, 'query', expect.any(String)],
  [{ name: 'Web', query: { ...query, evil: 1 } }, 'query', expect.stringContaining('evil')],
])('%j is 422', async (body, field, message) => {
  const { token } = await createPerson();
  expect(await callHandler(handler, 'POST /api/templates', { token, body })).toMatchObject({
    status: 422,
    json: { errors: { [field]: [message] } },
  });
});

test('a query of more than 64 KiB is 422', async () => {
  const { token } = await createPerson();
  const audio = Array.from({ length: 20_000 }, (_, index) => ({ name: `a${index}`, codec: 'aac' }));
  expect(
    await callHandler(handler, 'POST /api/templates', { token, body: { name: 'Web', query: { ...query, audio } } }),
  ).toMatchObject({
    status: 422,
  });
});

test('omitted fields are kept, a query is replaced as a whole', async () => {
  const { user, token } = await createPerson();
  const { id } = (await create(token)).json.data;
  const update = (body: object) => callHandler(handler, `PUT /api/templates/${id}`, { token, body });
  expect(await update({ name: 'New' })).toMatchObject({ status: 200, json: { data: { id, name: 'New', query } } });
  const audio = { audio: [{ name: 'main', codec: 'opus' }], outputs: [{ format: 'dash' }] };
  expect(await update({ query: audio })).toMatchObject({ status: 200 });
  const changed = await callHandler(handler, `GET /api/templates/${id}`, { token });
  expect(changed.json.data).toMatchObject({ name: 'New', query: audio });
  expect(changed.json.data.query).not.toHaveProperty('ladder');
  expect(await update({})).toMatchObject({
    status: 422,
    json: { message: 'Send at least one of name, query, shared.' },
  });
  expect(await update({ name: '' })).toMatchObject({ status: 422 });
  const { lines } = await listActivity(user.ulid, { offset: 0, limit: 10 });
  expect(lines.map(({ event }) => event)).toEqual(['updated', 'updated', 'created', 'created']);
});

test('a template that a video or an upload refers to cannot be deleted', async () => {
  const { token } = await createPerson();
  const { id, ulid } = (await create(token)).json.data;
  const remove = () => callHandler(handler, `DELETE /api/templates/${id}`, { token });
  await transact([templateReferenceWrite(ulid, 1)]);
  expect(await remove()).toMatchObject({ status: 409, json: { message: 'The template is used by 1 video.' } });
  await transact([templateReferenceWrite(ulid, -1)]);
  expect(await remove()).toMatchObject({ status: 204 });
  expect(await remove()).toMatchObject({ status: 404 });
  expect((await callHandler(handler, 'GET /api/templates', { token })).json).toEqual({ data: [] });
});

test.each(['GET', 'PUT', 'DELETE'])("%s on another user's template is 404 and changes nothing", async (method) => {
  const [mine, other] = [await createPerson(), await createPerson()];
  const { id, ulid } = (await create(other.token)).json.data;
  for (const name of [id, ulid, 'x', '999999', '01K9Z3P1A2B3C4D5E6F7G8H9JK']) {
    const body = { name: 'taken over' };
    expect(await callHandler(handler, `${method} /api/templates/${name}`, { token: mine.token, body })).toMatchObject({
      status: 404,
      json: { message: 'Not found.' },
    });
  }
  expect(await callHandler(handler, `GET /api/templates/${id}`, { token: other.token })).toMatchObject({
    json: { data: { name: 'Web' } },
  });
});

describe('a shared template', () => {
  // The other tests list templates too.
  afterEach(async () => {
    const { user } = await createPerson({ isAdmin: true });
    for (const template of await listTemplates(user.ulid)) await updateTemplate(template, { shared: false }, user);
  });

  const shareAs = async (owner: { token: string }) =>
    (
      await callHandler(handler, 'POST /api/templates', {
        token: owner.token,
        body: { name: 'House', query, shared: true },
      })
    ).json.data;
  const titles = async (token: string) =>
    (await callHandler(handler, 'GET /api/templates', { token })).json.data.map(({ name }: { name: string }) => name);

  test('is read and listed by every user, and changed by administrators only', async () => {
    const [boss, other, user] = [
      await createPerson({ isAdmin: true }),
      await createPerson({ isAdmin: true }),
      await createPerson(),
    ];
    const { id, shared } = await shareAs(boss);
    expect(shared).toBe(true);
    await create(user.token, 'Mine');
    const at = (method: string, token: string, body: object = { name: 'House 2' }) =>
      callHandler(handler, `${method} /api/templates/${id}`, { token, body });
    expect(await at('GET', user.token)).toMatchObject({ status: 200, json: { data: { id, name: 'House', query } } });
    expect((await titles(user.token)).slice(0, 2)).toEqual(['Mine', 'House']);
    for (const method of ['PUT', 'DELETE']) {
      expect(await at(method, user.token)).toMatchObject({
        status: 403,
        json: { message: 'This action is unauthorized.' },
      });
    }
    expect(await at('PUT', other.token)).toMatchObject({ status: 200, json: { data: { id, name: 'House 2' } } });
    const [line] = await readHistory(other.user, 1);
    expect(line).toMatchObject({ logName: 'template', event: 'updated', subject: { id } });

    expect(await at('PUT', other.token, { shared: false })).toMatchObject({ json: { data: { shared: false } } });
    expect(await at('GET', user.token)).toMatchObject({ status: 404 });
    expect(await at('PUT', other.token)).toMatchObject({ status: 404 });
    expect(await titles(user.token)).not.toContain('House 2');
    expect(await titles(boss.token)).toContain('House 2');
    expect(await at('PUT', boss.token, { shared: true })).toMatchObject({ json: { data: { shared: true } } });
    expect(await at('DELETE', other.token)).toMatchObject({ status: 204 });
    expect(await at('GET', user.token)).toMatchObject({ status: 404 });
  });

  test('can be made by administrators only', async () => {
    const { token } = await createPerson();
    const { id } = (await create(token)).json.data;
    for (const shared of [true, false]) {
      const body = { name: 'House', query, shared };
      expect(await callHandler(handler, 'POST /api/templates', { token, body })).toMatchObject({ status: 403 });
      expect(await callHandler(handler, `PUT /api/templates/${id}`, { token, body })).toMatchObject({ status: 403 });
    }
    const boss = await createPerson({ isAdmin: true });
    const body = { name: 'House', query, shared: 'yes' };
    expect(await callHandler(handler, 'POST /api/templates', { token: boss.token, body })).toMatchObject({
      status: 422,
      json: { errors: { shared: [expect.any(String)] } },
    });
  });

  test('passes to another user with its list when its owner is deleted', async () => {
    const [boss, heir] = [await createPerson({ isAdmin: true }), await createPerson({ isAdmin: true })];
    const { id } = await shareAs(boss);
    const own = (await create(boss.token, 'Own')).json.data;
    await giveTemplates(boss.user.ulid, heir.user.ulid);
    expect((await findAnyTemplateById(String(id)))?.ownerUlid).toBe(heir.user.ulid);
    expect((await findAnyTemplateById(String(own.id)))?.ownerUlid).toBe(heir.user.ulid);
    expect(await titles((await createPerson()).token)).not.toContain('Own');
    expect(await titles(heir.token)).toEqual(expect.arrayContaining(['Own', 'House']));
  });

  test('cannot be deleted while anyone uses it', async () => {
    const { token } = await createPerson({ isAdmin: true });
    const { id, ulid } = await shareAs({ token });
    await transact([templateReferenceWrite(ulid, 1)]);
    expect(await callHandler(handler, `DELETE /api/templates/${id}`, { token })).toMatchObject({
      status: 409,
      json: { message: 'The template is used by 1 video or open upload.' },
    });
  });
});

test('presets are listed in order and can be adopted several times, with any name', async () => {
  const { token } = await createPerson();
  const list = await callHandler(handler, 'GET /api/template-presets', { token });
  expect(list.json).toEqual({ data: presets });
  const adopt = (body?: object) => callHandler(handler, 'POST /api/template-presets/mp4-720p/adopt', { token, body });
  expect(await adopt()).toMatchObject({ status: 201, json: { data: { name: 'MP4 download 720p' } } });
  expect(await adopt({ name: 'Mine' })).toMatchObject({ status: 201, json: { data: { name: 'Mine' } } });
  expect(await adopt({ name: 5 })).toMatchObject({ status: 422 });
  expect((await callHandler(handler, 'GET /api/templates', { token })).json.data).toHaveLength(2);
  expect(await callHandler(handler, 'POST /api/template-presets/none/adopt', { token })).toMatchObject({ status: 404 });
});

test('the options are not wrapped', async () => {
  const { token } = await createPerson();
  expect(await callHandler(handler, 'GET /api/templates-config', { token })).toMatchObject({
    status: 200,
    json: { codecs: { video: expect.any(Array), audio: expect.any(Array) }, limits: { max_query_bytes: 65_536 } },
  });
});

test.each([
  'GET /api/templates',
  'POST /api/templates',
  'GET /api/templates/1',
  'PUT /api/templates/1',
  'DELETE /api/templates/1',
  'GET /api/template-presets',
  'POST /api/template-presets/mp4-720p/adopt',
  'GET /api/templates-config',
] as const)('%s without a credential is 401', async (request) => {
  expect(await callHandler(handler, request)).toMatchObject({ status: 401 });
});

const estimatedQuery = {
  video: [{ name: 'v720', codec: 'h264', height: 720, bitrate: '2800k', fps: 30 }],
  audio: [{ name: 'stereo', codec: 'aac', bitrate: '128k' }],
  outputs: [{ format: 'hls' }],
};
const source = { width: 1920, height: 1080, fps: 59.94, duration_seconds: 60 };
const estimate = (token: string, body: object) => callHandler(handler, 'POST /api/estimates', { token, body });

test('every user gets renditions, outputs, bytes, CPU seconds and costs, and nothing is recorded', async () => {
  const { user, token } = await createPerson();
  const before = await readHistory(user, 10);
  expect(await estimate(token, { query: estimatedQuery, source })).toMatchObject({
    status: 200,
    json: {
      data: {
        renditions: [
          {
            kind: 'video',
            name: 'v720',
            codec: 'h264',
            width: 1280,
            height: 720,
            fps: 29.97,
            bitrate: 2_800_000,
            bytes: 21_000_000,
          },
          {
            kind: 'audio',
            name: 'stereo',
            codec: 'aac',
            width: null,
            height: null,
            fps: null,
            bitrate: 128_000,
            bytes: 960_000,
          },
        ],
        outputs: [{ name: 'hls', format: 'hls', container: 'fmp4', bytes: 21_960_000 }],
        bytes: 21_960_000,
        cpu_seconds: { min: expect.closeTo(16, 0), max: expect.closeTo(103.2, 1) },
        cost: { currency: 'USD', min: expect.closeTo(0.002, 3), max: expect.closeTo(0.0035, 4) },
      },
    },
  });
  expect(await readHistory(user, 10)).toEqual(before);
});

test('an estimate follows the changed picture, and names a crop that leaves nothing of the source', async () => {
  const { token } = await createPerson();
  const cropped = (crop: object) =>
    estimate(token, { query: { ...estimatedQuery, picture: { crop, rotate: 90 } }, source });
  expect(await cropped({ left: '50%' })).toMatchObject({
    status: 200,
    json: { data: { renditions: [{ width: 810, height: 720 }, { kind: 'audio' }] } },
  });
  const text = 'The picture has 1920 × 1080 pixels, of which the crop leaves less than 16 × 16. Cut off less of it.';
  expect(await cropped({ top: 600, bottom: 480 })).toMatchObject({
    status: 422,
    json: { errors: { 'query.picture.crop': [text] } },
  });
});

test('faults of a query have the paths and messages that templates have', async () => {
  const { token } = await createPerson();
  const faulty = {
    ...estimatedQuery,
    video: [{ ...estimatedQuery.video[0], codec: 'mpeg2', height: 63 }],
    outputs: [{ format: 'hls', audio: ['none'] }],
    extra: 1,
  };
  for (const wrong of [faulty, { ...estimatedQuery, outputs: [{ format: 'hls', audio: ['none'] }] }, 'x', undefined]) {
    const stored = await callHandler(handler, 'POST /api/templates', { token, body: { name: 'x', query: wrong } });
    const estimated = await estimate(token, { query: wrong, source });
    expect([stored.status, estimated.status]).toEqual([422, 422]);
    expect({ ...estimated.json, request_id: '' }).toEqual({ ...stored.json, request_id: '' });
  }
});

test.each([
  [{ width: 0 }, 'source.width', 'The source.width field must be at least 1.'],
  [{ height: 720.5 }, 'source.height', 'The source.height field must be an integer.'],
  [{ width: 8193, height: 4320 }, 'source.height', 'The source must not have more than 8192 × 4320 pixels.'],
  [{ fps: 0.5 }, 'source.fps', 'The source.fps field must be at least 1.'],
  [{ fps: 241 }, 'source.fps', 'The source.fps field must not be greater than 240.'],
  [{ duration_seconds: 0 }, 'source.duration_seconds', 'The source.duration seconds field must be at least 0.001.'],
  [{ duration_seconds: 90_000 }, 'source.duration_seconds', 'The source must not have more than 5184000 frames.'],
  [{ fps: undefined }, 'source.fps', 'The source.fps field is required.'],
  [
    { fps: 24, duration_seconds: 130_000 },
    'source.duration_seconds',
    'The source is longer than the 33 hours that segments of 6 s allow.',
  ],
])('a source with %o is 422 at %s', async (change, path, text) => {
  const { token } = await createPerson();
  const answer = await estimate(token, { query: estimatedQuery, source: { ...source, ...change } });
  expect(answer).toMatchObject({ status: 422, json: { errors: { [path]: [text] } } });
});
