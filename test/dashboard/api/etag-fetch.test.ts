import { expect, test } from 'vitest';
import { createEtagFetch } from '../../../dashboard/api/etag-fetch.ts';

const origin = 'https://video.example.com';

/** A service with one resource; it answers 304 if the ETag matches. */
function createService() {
  const state = { body: 'one', statuses: [] as number[] };
  const fetch = async (request: Request): Promise<Response> => {
    const etag = `"${state.body}"`;
    const isUnchanged = request.headers.get('if-none-match') === etag;
    state.statuses.push(isUnchanged ? 304 : 200);
    return isUnchanged ? new Response(null, { status: 304 }) : new Response(state.body, { headers: { etag } });
  };
  return { state, etags: createEtagFetch(fetch) };
}

test('an unchanged response is not sent again and looks like the first one', async () => {
  const { state, etags } = createService();
  await etags.fetch(new Request(`${origin}/list`));
  const second = await etags.fetch(new Request(`${origin}/list`));
  expect(state.statuses).toEqual([200, 304]);
  expect(second.status).toBe(200);
  expect(second.headers.get('etag')).toBe('"one"');
  expect(await second.text()).toBe('one');
});

test('a changed response replaces the one that was kept', async () => {
  const { state, etags } = createService();
  await etags.fetch(new Request(`${origin}/list`));
  state.body = 'two';
  expect(await (await etags.fetch(new Request(`${origin}/list`))).text()).toBe('two');
  expect(await (await etags.fetch(new Request(`${origin}/list`))).text()).toBe('two');
  expect(state.statuses).toEqual([200, 200, 304]);
});

test('other URLs and other methods have nothing to do with it', async () => {
  const { state, etags } = createService();
  await etags.fetch(new Request(`${origin}/list`));
  await etags.fetch(new Request(`${origin}/list?page=2`));
  await etags.fetch(new Request(`${origin}/list`, { method: 'POST' }));
  expect(state.statuses).toEqual([200, 200, 200]);
});

test('after a sign-out nothing is left of the user before', async () => {
  const { state, etags } = createService();
  await etags.fetch(new Request(`${origin}/list`));
  etags.clear();
  await etags.fetch(new Request(`${origin}/list`));
  expect(state.statuses).toEqual([200, 200]);
});
