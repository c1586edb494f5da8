import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { type AwsStub, mockClient } from 'aws-sdk-client-mock';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import signedUrl from '../../../delivery/urls/signed-url.js';
import { handler } from '../../../functions/api/videos.lambda.ts';
import { write } from '../../../functions/table/items/items.ts';
import { keys } from '../../../functions/table/items/keys.ts';
import type { Video } from '../../../functions/table/records.ts';
import { countPublicVideos, listPlaybackChanges } from '../../../functions/table/videos/playback-changes.ts';
import { callHandler } from '../../fixtures/call-handler.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { readHistory } from '../../fixtures/read-history.ts';
import { storeProxy, storeVideo } from '../../fixtures/records/store-video.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();

const edge = 'https://d111111abcdef8.cloudfront.net';
const signingKeys = { current: 'k1', keys: { k1: 'b25l' } };
let parameters: AwsStub<never, never, never>;
beforeEach(() => {
  vi.stubEnv('PARAMETER_PREFIX', '/video-service/test');
  vi.stubEnv('EDGE_URL', edge);
  const client = mockClient(SSMClient);
  client.on(GetParameterCommand).resolves({ Parameter: { Value: JSON.stringify(signingKeys) } });
  parameters = client as never;
});
afterEach(async () => {
  parameters.restore();
  vi.unstubAllEnvs();
  vi.useRealTimers();
  for (const { ulid } of proxies.splice(0)) await write({ update: keys.node(ulid), set: { status: 'failed' } });
});
const proxies: { ulid: string }[] = [];
const activeProxy = async (name: string) => proxies.push(await storeProxy(name));

const poster = (ulid: string): string => `videos/${ulid}/thumbnails/poster.jpg`;
async function madeVideo(changes: Partial<Video> = {}) {
  const person = await createPerson();
  const { video } = await storeVideo(person.user, changes);
  const call = (request: `${string} /${string}`, body?: object) =>
    callHandler(handler, request.replace('{ulid}', video.ulid) as typeof request, {
      token: person.token,
      ...(body && { body }),
    });
  return { ...person, video, call, sources: () => call('GET /api/videos/{ulid}/sources') };
}
const originOf = (answer: { json: { sources: { url: string }[] } }): string =>
  new URL(answer.json.sources[0]!.url).origin;

describe('the sources of a stage', () => {
  test('with edge and proxies are on an active proxy, and on the edge while none is active', async () => {
    const { sources } = await madeVideo();
    expect(originOf(await sources())).toBe(edge);
    await activeProxy('proxy1.example.com');
    expect(originOf(await sources())).toBe('https://proxy1.example.com');
  });

  test('with the edge alone are on the edge', async () => {
    vi.stubEnv('USE_PROXIES', 'off');
    await activeProxy('proxy2.example.com');
    const { sources } = await madeVideo();
    expect(originOf(await sources())).toBe(edge);
  });

  test('with proxies alone are 503 with Retry-After while none is active', async () => {
    vi.stubEnv('EDGE_URL', undefined);
    const { sources } = await madeVideo();
    expect(await sources()).toMatchObject({ status: 503, headers: { 'retry-after': '60' } });
  });
});

describe('a public video', () => {
  test('has stable URLs without expiry, until it is signed again', async () => {
    const { call, sources, video } = await madeVideo({ playback: 'signed' });
    expect(await call('PUT /api/videos/{ulid}', { playback: 'public' })).toMatchObject({
      status: 200,
      json: { data: { playback: 'public' } },
    });
    const [one, two] = [await sources(), await sources()];
    expect(one.json).toEqual(two.json);
    const { url, expires_at } = one.json.sources[0];
    expect(expires_at).toBeNull();
    expect(url).toMatch(new RegExp(`^${edge}/p/${video.ulid}/[0-9A-Z]{26}/master\\.m3u8$`));
    expect(signedUrl.checkPublicPath(new URL(url).pathname)).toMatchObject({ status: 200, videoUlid: video.ulid });
    await call('PUT /api/videos/{ulid}', { playback: 'signed' });
    expect((await sources()).json.sources[0]).toMatchObject({
      url: expect.stringContaining('/s/k1.'),
      expires_at: expect.any(String),
    });
  });

  test('is counted once, and each change is recorded and waits to reach all ways of delivery', async () => {
    const { call, video, user } = await madeVideo();
    const before = await countPublicVideos();
    const counted = async () => (await countPublicVideos()) - before;
    const isWaiting = async () => (await listPlaybackChanges()).some(({ videoUlid }) => videoUlid === video.ulid);
    await call('PUT /api/videos/{ulid}', { name: 'Renamed' });
    expect([await counted(), await isWaiting()]).toEqual([0, false]);
    for (const playback of ['public', 'public']) await call('PUT /api/videos/{ulid}', { playback });
    expect([await counted(), await isWaiting()]).toEqual([1, true]);
    const [entry] = await readHistory(user, 1);
    expect(entry?.properties).toMatchObject({ attributes: { playback: 'public' } });
    await call('DELETE /api/videos/{ulid}');
    expect(await counted()).toBe(0);
  });

  test('is refused beyond the number that the edge can hold, and not where only proxies deliver', async () => {
    const { call } = await madeVideo();
    const count = await countPublicVideos();
    await write({ update: keys.publicVideos(), set: { videos: 100_000 } });
    const publish = () => call('PUT /api/videos/{ulid}', { playback: 'public' });
    expect(await publish()).toMatchObject({ status: 422, json: { errors: { playback: [expect.any(String)] } } });
    vi.stubEnv('EDGE_URL', undefined);
    expect((await publish()).status).toBe(200);
    await write({ update: keys.publicVideos(), set: { videos: count } });
  });

  test.each(['private', '', null, 1])('needs a known mode: %j is 422', async (playback) => {
    const { call } = await madeVideo();
    expect((await call('PUT /api/videos/{ulid}', { playback })).status).toBe(422);
  });
});

describe('the poster in a list', () => {
  test('has one URL for an hour, which is valid for six hours at least', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-22T10:00:01Z') });
    const person = await createPerson();
    const { video } = await storeVideo(person.user, { thumbnailPath: poster('01K9Z3Q8V7N4T2M6X5C0R1B2D3') });
    const listed = async () =>
      (await callHandler(handler, 'GET /api/videos', { token: person.token })).json.data.map(
        ({ poster_url }: { poster_url: string | null }) => poster_url,
      );
    const [first] = await listed();
    expect(signedUrl.checkSignedPath(new URL(first).pathname, signingKeys.keys, 0)).toMatchObject({
      status: 200,
      objectKey: video.thumbnailPath,
      session: 'list',
      expiresSeconds: Date.parse('2026-11-22T17:00:00Z') / 1000,
    });
    vi.setSystemTime(new Date('2026-11-22T10:59:59Z'));
    expect(await listed()).toEqual([first]);
    vi.setSystemTime(new Date('2026-11-22T11:00:01Z'));
    expect(await listed()).not.toEqual([first]);
  });

  test('comes with the preview, which a video can have without a poster', async () => {
    const { user, token } = await createPerson();
    const { video } = await storeVideo(user, {
      previewPath: 'videos/01K9Z3Q8V7N4T2M6X5C0R1B2D3/thumbnails/preview.webp',
    });
    const { json } = await callHandler(handler, 'GET /api/videos', { token });
    expect(json.data).toMatchObject([{ poster_url: null, preview_url: expect.any(String) }]);
    expect(new URL(json.data[0].preview_url).pathname.endsWith(`/${video.previewPath}`)).toBe(true);
  });

  test('leaves the list unchanged for an hour: 304 with its ETag', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-22T10:00:01Z') });
    const { user, token } = await createPerson();
    await storeVideo(user, { thumbnailPath: poster('01K9Z3Q8V7N4T2M6X5C0R1B2D3') });
    const { headers } = await callHandler(handler, 'GET /api/videos', { token });
    const again = (query = '') =>
      callHandler(handler, `GET /api/videos${query}`, { token, headers: { 'if-none-match': String(headers.etag) } });
    vi.setSystemTime(new Date('2026-11-22T10:59:59Z'));
    expect(await again()).toMatchObject({ status: 304, text: undefined });
    expect((await again('?per_page=1')).status).toBe(200);
    vi.setSystemTime(new Date('2026-11-22T11:00:01Z'));
    expect((await again()).status).toBe(200);
  });

  test('is null without a poster, and while nothing delivers', async () => {
    const person = await createPerson();
    await storeVideo(person.user);
    const listed = async () => (await callHandler(handler, 'GET /api/videos', { token: person.token })).json.data;
    expect(await listed()).toMatchObject([{ poster_url: null }]);
    await storeVideo(person.user, { thumbnailPath: poster('01K9Z3Q8V7N4T2M6X5C0R1B2D3') });
    vi.stubEnv('EDGE_URL', undefined);
    expect(await listed()).toMatchObject([{ poster_url: null }, { poster_url: null }]);
  });
});
