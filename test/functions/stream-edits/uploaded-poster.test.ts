import { ECSClient, ListTasksCommand } from '@aws-sdk/client-ecs';
import { SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { mockClient } from 'aws-sdk-client-mock';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { handler } from '../../../functions/api/videos.lambda.ts';
import { createObject, listKeys } from '../../../functions/aws/object-store.ts';
import { readPlan } from '../../../functions/stored-plans/stored-plans.ts';
import { findVideo, findWholeVideo } from '../../../functions/table/videos/video-table.ts';
import { posterUploadKey } from '../../../shared/object-keys.ts';
import { callHandler } from '../../fixtures/call-handler.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { imageHeaders, orientedJpeg } from '../../fixtures/image-files.ts';
import { runPipeline, storeEncodedVideo } from '../../fixtures/records/store-encoded-video.ts';
import { storeVideo } from '../../fixtures/records/store-video.ts';
import { useBucket } from '../../fixtures/use-bucket.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();
useBucket();

const states = mockClient(SFNClient);
const tasks = mockClient(ECSClient);
beforeEach(() => {
  for (const [name, value] of Object.entries({
    CLUSTER: 'none',
    TASK_DEFINITION_FAMILY: 'worker',
    MAX_TASKS: '0',
    SWEEP_FUNCTION: 'sweep',
    STATE_MACHINE_ARN: 'arn:aws:states:us-east-1:000000000000:stateMachine:encode',
  })) {
    vi.stubEnv(name, value);
  }
  states.reset();
  states.on(StartExecutionCommand).resolves({});
  tasks.on(ListTasksCommand).resolves({ taskArns: [] });
});
afterEach(() => vi.unstubAllEnvs());

const query = {
  version: 1,
  video: [{ name: 'v720', codec: 'h264', height: 720, bitrate: '2800k' }],
  outputs: [{ format: 'hls', segment_duration: 4 }],
  thumbnails: { poster: { width: 640, format: 'webp' } },
  scaling: { background: '#ff0000' },
};

async function encodedVideo() {
  const { user, token } = await createPerson();
  const { ulid } = (await storeEncodedVideo(user, query)).video;
  const path = `/api/videos/${ulid}/poster` as const;
  const send = (file: Buffer, type = 'image/png') =>
    callHandler(handler, `PUT ${path}`, { token, file, headers: { 'content-type': type } });
  const stored = async () => (await listKeys(`work/${ulid}/posters/`, '', 10)).keys;
  return { user, token, ulid, path, send, stored };
}

test('an image becomes the poster in the size and format of the template, upright', async () => {
  const { ulid, send, stored } = await encodedVideo();
  expect((await send(orientedJpeg(imageHeaders.jpeg(900, 1600), 6), 'image/jpeg')).status).toBe(202);
  await runPipeline(ulid, 2);
  expect(await findVideo(ulid)).toMatchObject({
    thumbnailPath: `videos/${ulid}/thumbnails/poster-2.webp`,
    posterIsChosen: true,
  });
  expect((await readPlan(ulid, 2)).thumbnails).toEqual({
    kind: 'thumbnails',
    image: { type: 'jpeg', width: 900, height: 1600, orientation: 6 },
    backgroundRgb: 0xff0000,
    poster: { width: 640, height: 360, format: 'webp', revision: 2 },
  });
  // below no prefix that is delivered
  expect(await stored()).toHaveLength(1);
});

test('the same image again changes nothing while its poster is made, and another is 409', async () => {
  const { ulid, send, stored } = await encodedVideo();
  const image = imageHeaders.png(640, 360);
  expect([(await send(image)).status, (await send(image)).status]).toEqual([202, 202]);
  expect((await findWholeVideo(ulid))!.edits).toHaveLength(1);
  expect(await stored()).toHaveLength(1);
  expect((await send(imageHeaders.png(640, 480))).status).toBe(409);
});

test.each([
  ['a bomb of 65,535 × 65,535', imageHeaders.png(65_535, 65_535), 'image/png', '65535 × 65535'],
  ['a bomb in JPEG', imageHeaders.jpeg(65_535, 65_535), 'image/jpeg', '65535 × 65535'],
  ['8,193 pixels', imageHeaders.webp(8193, 64), 'image/webp', '64 to 8192'],
  ['63 pixels', imageHeaders.webp(64, 63), 'image/webp', '64 to 8192'],
  ['an SVG', Buffer.from('<svg width="640" height="360"/>'), 'image/png', 'not a JPEG, PNG or WebP'],
  ['a polyglot that begins as a script', Buffer.from('<script>/*\x89PNG*/</script>'), 'image/png', 'not a JPEG'],
  ['a PNG as image/jpeg', imageHeaders.png(640, 360), 'image/jpeg', 'image/png'],
  ['a truncated PNG', imageHeaders.png(640, 360).subarray(0, -8), 'image/png', 'incomplete'],
  ['a truncated JPEG', imageHeaders.jpeg(640, 360).subarray(0, -2), 'image/jpeg', 'incomplete'],
  ['nothing', Buffer.alloc(0), 'image/png', 'not a JPEG'],
])('%s is 422 and is not stored', async (_, file, type, message) => {
  const { send, stored } = await encodedVideo();
  const { status, json } = await send(file, type);
  expect([status, json.errors?.image?.[0]]).toEqual([422, expect.stringContaining(message)]);
  expect(await stored()).toEqual([]);
});

test('another content type is 415 and names those that can be sent', async () => {
  const { send } = await encodedVideo();
  for (const type of ['image/svg+xml', 'image/gif', 'text/html']) {
    const { status, json } = await send(imageHeaders.png(640, 360), type);
    expect([status, json.message]).toEqual([415, expect.stringContaining('image/webp')]);
  }
});

test('more than 4 MiB are sent to a URL, then named', async () => {
  const { token, ulid, path, send } = await encodedVideo();
  expect((await send(Buffer.concat([imageHeaders.png(640, 360), Buffer.alloc(4 * 2 ** 20)]))).status).toBe(413);
  const create = (size: number) => callHandler(handler, `POST ${path}/uploads`, { token, body: { size } });
  expect((await create(5 * 2 ** 20 + 1)).status).toBe(422);
  const { status, json } = await create(4_500_000);
  const { ulid: upload, url } = json.data;
  expect([status, new URL(url).pathname.endsWith(`/work/${ulid}/posters/${upload}`)]).toEqual([201, true]);
  expect(new URL(url).searchParams.get('X-Amz-SignedHeaders')).toBe('content-length;host');
  const name = () => callHandler(handler, `PUT ${path}`, { token, body: { upload } });
  expect(await name()).toMatchObject({ status: 422, json: { errors: { upload: [expect.any(String)] } } });
  await createObject(posterUploadKey(ulid, upload), imageHeaders.png(640, 360), 'image/png');
  expect((await name()).status).toBe(202);
  await runPipeline(ulid, 2);
  expect((await findVideo(ulid))!.thumbnailPath).toMatch(/poster-2\.webp$/);
});

test('an image that was sent to its URL is checked like others', async () => {
  const { token, ulid, path } = await encodedVideo();
  const { json } = await callHandler(handler, `POST ${path}/uploads`, { token, body: { size: 100 } });
  await createObject(posterUploadKey(ulid, json.data.ulid), imageHeaders.png(9000, 9000), 'image/png');
  const named = await callHandler(handler, `PUT ${path}`, { token, body: { upload: json.data.ulid } });
  expect(named).toMatchObject({ status: 422, json: { errors: { upload: [expect.stringContaining('9000')] } } });
});

test('an image for a video without pictures is possible, for one that is not completed 409', async () => {
  const { user, token } = await createPerson();
  const send = async (ulid: string) =>
    (
      await callHandler(handler, `PUT /api/videos/${ulid}/poster`, {
        token,
        file: imageHeaders.png(640, 360),
        headers: { 'content-type': 'image/png' },
      })
    ).status;
  const sound = { version: 1, audio: [{ name: 'a', codec: 'aac' }], outputs: [{ format: 'hls' }] };
  const { video } = await storeEncodedVideo(user, sound);
  expect(await send(video.ulid)).toBe(202);
  const { video: running } = await storeVideo(user, { status: 'running' });
  expect(await send(running.ulid)).toBe(409);
});
