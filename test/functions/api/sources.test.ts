import { ECSClient, ListTasksCommand } from '@aws-sdk/client-ecs';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { type AwsStub, mockClient } from 'aws-sdk-client-mock';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import signedUrl from '../../../delivery/urls/signed-url.js';
import { handler } from '../../../functions/api/videos.lambda.ts';
import { documents } from '../../../functions/aws/table-client.ts';
import type { User } from '../../../functions/table/records.ts';
import { callHandler } from '../../fixtures/call-handler.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { storeEncodedVideo } from '../../fixtures/records/store-encoded-video.ts';
import { storeProxy, storeVideo } from '../../fixtures/records/store-video.ts';
import { useBucket } from '../../fixtures/use-bucket.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();
useBucket();

const signingKeys = { current: 'k2', keys: { k1: 'b25l', k2: 'dHdv' } };
let stubs: AwsStub<never, never, never>[];
beforeEach(async () => {
  vi.stubEnv('PARAMETER_PREFIX', '/video-service/test');
  vi.stubEnv('CLUSTER', 'none');
  vi.stubEnv('TASK_DEFINITION_FAMILY', 'worker');
  vi.stubEnv('MAX_TASKS', '0');
  const [tasks, parameters] = [mockClient(ECSClient), mockClient(SSMClient)];
  tasks.on(ListTasksCommand).resolves({ taskArns: [] });
  parameters.on(GetParameterCommand).resolves({ Parameter: { Value: JSON.stringify(signingKeys) } });
  stubs = [tasks as never, parameters as never];
  await storeProxy('edge1.example.com');
});
afterEach(() => {
  for (const stub of stubs) stub.restore();
  vi.unstubAllEnvs();
});

const web = {
  version: 1,
  video: [{ name: 'v720', codec: 'h264', height: 720, bitrate: '2800k' }],
  audio: [{ name: 'stereo', codec: 'aac', bitrate: '128k' }],
  outputs: [
    { name: 'main', format: 'hls', segment_duration: 4 },
    { name: 'phones', format: 'hls', segment_duration: 4 },
    { name: 'dash', format: 'dash', segment_duration: 4 },
    { name: 'film', format: 'mp4' },
    { name: 'sound', format: 'mp4', video: [] },
  ],
  thumbnails: { poster: {}, sprite: { interval: 5 } },
};

const made = async (owner: User, query: object = web) => (await storeEncodedVideo(owner, query)).video;
const sourcesOf = (ulid: string, token: string, query = '') =>
  callHandler(handler, `GET /api/videos/${ulid}/sources${query}`, { token });

/** The result of checking a signed URL at a time. */
const opened = (url: string, atSeconds = Math.floor(Date.now() / 1000)) =>
  signedUrl.checkSignedPath(new URL(url).pathname, signingKeys.keys, atSeconds);

describe('sources', () => {
  test('read the video, its captions and the nodes at the same time', async () => {
    const { user, token } = await createPerson();
    const { ulid } = await made(user);
    const send = documents.send.bind(documents) as (command: unknown) => Promise<unknown>;
    let [running, most] = [0, 0];
    const sent = vi.spyOn(documents, 'send').mockImplementation(async (command: unknown) => {
      if (!(command instanceof QueryCommand)) return send(command);
      running += 1;
      most = Math.max(most, running);
      return send(command).finally(() => {
        running -= 1;
      });
    });
    expect((await sourcesOf(ulid, token)).status).toBe(200);
    sent.mockRestore();
    expect(most).toBe(3);
  });

  test('have the names of their outputs, media types and expiry times', async () => {
    const { user, token } = await createPerson();
    const { ulid } = await made(user);
    const { json } = await sourcesOf(ulid, token);
    type Source = Record<string, string>;
    const shown = json.sources.map(({ name, format, media_type, status }: Source) => [
      name,
      format,
      media_type,
      status,
    ]);
    expect(shown).toEqual([
      ['main', 'hls', 'application/vnd.apple.mpegurl', 'completed'],
      ['phones', 'hls', 'application/vnd.apple.mpegurl', 'completed'],
      ['dash', 'dash', 'application/dash+xml', 'completed'],
      ['film', 'mp4', 'video/mp4', 'completed'],
      ['sound', 'mp4', 'audio/mp4', 'completed'],
    ]);
    const files = json.sources.map(({ url }: Source) => new URL(url!).pathname.split('/').at(-1));
    expect(files).toEqual(['master.m3u8', 'master.m3u8', 'manifest.mpd', 'video.mp4', 'audio.m4a']);
    expect(new Set(json.sources.map(({ url }: Source) => url)).size).toBe(5);
    for (const { url, expires_at } of json.sources) {
      const last = Date.parse(expires_at) / 1000;
      expect(Math.abs(last - Date.now() / 1000 - 6 * 3600)).toBeLessThan(60);
      expect(opened(url, last).status).toBe(200);
      expect(opened(url, last + 1).status).toBe(410);
    }
  });

  test('include the poster and the storyboard, signed for the same session', async () => {
    const { user, token } = await createPerson();
    const { ulid } = await made(user);
    const { json } = await sourcesOf(ulid, token);
    expect(opened(json.poster_url)).toMatchObject({ status: 200, objectKey: `videos/${ulid}/thumbnails/poster.jpg` });
    const storyboard = opened(json.storyboard_url);
    expect(storyboard).toMatchObject({ status: 200, objectKey: `videos/${ulid}/thumbnails/sprite.vtt` });
    expect(opened(json.sources[0].url)).toMatchObject({ session: (storyboard as { session: string }).session });
    // Image names in the WebVTT file are relative.
    const image = new URL('sprite-001.jpg#xywh=0,0,160,90', json.storyboard_url).href;
    expect(opened(image)).toMatchObject({ status: 200, objectKey: `videos/${ulid}/thumbnails/sprite-001.jpg` });
  });

  test('include the preview and the images with their times', async () => {
    const { user, token } = await createPerson();
    const { ulid, durationSeconds } = await made(user, {
      ...web,
      thumbnails: { images: { count: 2, format: 'webp' }, preview: { format: 'mp4' } },
    });
    const { json } = await sourcesOf(ulid, token);
    expect(opened(json.preview_url)).toMatchObject({ status: 200, objectKey: `videos/${ulid}/thumbnails/preview.mp4` });
    const [first, second] = json.thumbnails;
    expect([first.at_seconds, second.at_seconds]).toEqual([durationSeconds! / 4, (durationSeconds! * 3) / 4]);
    expect(opened(second.url)).toMatchObject({ status: 200, objectKey: `videos/${ulid}/thumbnails/image-002.webp` });
  });

  test('have no poster and no storyboard if none was created', async () => {
    const { user, token } = await createPerson();
    const { ulid } = await made(user, { ...web, thumbnails: { poster: {} } });
    expect((await sourcesOf(ulid, token)).json).toMatchObject({
      poster_url: expect.any(String),
      storyboard_url: null,
    });
    const { video } = await storeVideo(user);
    expect((await sourcesOf(video.ulid, token)).json).toMatchObject({
      poster_url: null,
      storyboard_url: null,
      preview_url: null,
      thumbnails: [],
    });
  });

  test('of progressive files contain the name for downloads', async () => {
    const { user, token } = await createPerson();
    const { ulid } = await made(user);
    await callHandler(handler, `PUT /api/videos/${ulid}`, { token, body: { name: 'Ürlaub / 2026.mov' } });
    const { json } = await sourcesOf(ulid, token);
    const queries = json.sources.map(({ url }: { url: string }) => new URL(url).search);
    const name = '%C3%9Crlaub%20-%202026';
    expect(queries).toEqual(['', '', '', `?name=${name}.mp4`, `?name=${name}.m4a`]);
  });

  test.each([60, 604_800])('are valid for the requested time: %d s', async (seconds) => {
    const { user, token } = await createPerson();
    const { video } = await storeVideo(user);
    const { status, json } = await sourcesOf(video.ulid, token, `?expires_in=${seconds}`);
    expect(status).toBe(200);
    const last = Math.round(Date.parse(json.sources[0].expires_at) / 1000);
    expect(Math.abs(last - Date.now() / 1000 - seconds)).toBeLessThan(30);
    expect([opened(json.sources[0].url, last).status, opened(json.sources[0].url, last + 1).status]).toEqual([
      200, 410,
    ]);
  });

  test.each(['59', '604801', '0', '-1', '1e3', '3600.5', 'x'])('are 422 for expires_in=%s', async (seconds) => {
    const { user, token } = await createPerson();
    const { video } = await storeVideo(user);
    expect(await sourcesOf(video.ulid, token, `?expires_in=${seconds}`)).toMatchObject({
      status: 422,
      json: { errors: { expires_in: [expect.any(String)] } },
    });
  });
});
