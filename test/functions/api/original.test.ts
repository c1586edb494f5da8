import { beforeEach, expect, test, vi } from 'vitest';
import { handler as streams } from '../../../functions/api/streams.lambda.ts';
import { handler } from '../../../functions/api/videos.lambda.ts';
import { writeObject } from '../../../functions/aws/object-store.ts';
import { writeBatch } from '../../../functions/table/items/items.ts';
import { keys } from '../../../functions/table/items/keys.ts';
import { callHandler } from '../../fixtures/call-handler.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { buildStream, storeVideo } from '../../fixtures/records/store-video.ts';
import { useBucket } from '../../fixtures/use-bucket.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();
useBucket();

beforeEach(() => {
  vi.stubEnv('STATE_MACHINE_ARN', 'arn:aws:states:us-east-1:000000000000:stateMachine:encode');
});

/** A video whose uploaded file has this name. The video was renamed. */
async function uploaded(fileName: string) {
  const person = await createPerson();
  const { video } = await storeVideo(person.user, { name: 'Renamed' });
  const upload = {
    ulid: video.ulid,
    ownerUlid: person.user.ulid,
    key: video.sourceKey,
    store: 'multipart',
    s3UploadId: '',
    status: 'stored',
    fileName,
    contentType: 'text/html',
    templateUlid: video.templateUlid,
    externalUserId: null,
    externalResourceId: null,
    createdAt: video.createdAt,
  };
  await writeBatch([{ put: { ...keys.upload(video.ulid), kind: 'upload', ...upload } }]);
  await writeObject(video.sourceKey, 'film', 'text/html');
  return { ...person, video };
}

test('the uploaded file is a download with the name that it was uploaded with', async () => {
  const { video, token } = await uploaded('Urlaub "2026"\r\nx: y/ünser, 家.mp4');
  const path = `GET /api/videos/${video.ulid}/original?expires_in=600` as const;
  const { status, json, headers } = await callHandler(handler, path, { token });
  expect([status, headers['cache-control']]).toEqual([200, 'no-store']);
  expect(json).toMatchObject({ filename: 'Urlaub "2026"\r\nx: y/ünser, 家.mp4', size: video.sourceBytes });
  expect(Math.abs(Date.parse(json.expires_at) - Date.now() - 600_000)).toBeLessThan(120_000);
  const file = await fetch(json.url);
  expect([await file.text(), file.headers.get('content-type')]).toEqual(['film', 'application/octet-stream']);
  const encoded = 'Urlaub%20%222026%22--x%3A%20y-%C3%BCnser%2C%20%E5%AE%B6.mp4';
  expect(file.headers.get('content-disposition')).toBe(
    `attachment; filename="${encoded}"; filename*=UTF-8''${encoded}`,
  );
});

test('without a record of the upload, the file has the name of the video', async () => {
  const { user, token } = await createPerson();
  const { video } = await storeVideo(user, { name: 'Holiday' });
  const { json } = await callHandler(handler, `GET /api/videos/${video.ulid}/original`, { token });
  expect(json.filename).toBe('Holiday');
});

test.each(['59', '21601', 'x'])('a validity of %s seconds is refused', async (seconds) => {
  const { user, token } = await createPerson();
  const { video } = await storeVideo(user);
  const path = `GET /api/videos/${video.ulid}/original?expires_in=${seconds}` as const;
  expect((await callHandler(handler, path, { token })).status).toBe(422);
});

test('what needs a source that is deleted answers 409, and the original says when it was deleted', async () => {
  const { user, token } = await createPerson();
  const sourceDeletedAt = '2026-11-20T10:00:00.000000Z';
  const tracks = [buildStream({ type: 'original', track: '' }), buildStream()];
  const { video } = await storeVideo(user, { sourceDeletedAt, streams: tracks });
  const { json } = await callHandler(handler, `GET /api/videos/${video.ulid}`, { token });
  expect(json.data.streams.map((one: { source_deleted_at: unknown }) => one.source_deleted_at)).toEqual([
    sourceDeletedAt,
    null,
  ]);
  const refused = [
    await callHandler(handler, `GET /api/videos/${video.ulid}/original`, { token }),
    await callHandler(handler, `POST /api/videos/${video.ulid}/reprocess`, { token, body: {} }),
    await callHandler(handler, `PUT /api/videos/${video.ulid}/poster`, { token, body: { at_seconds: 1 } }),
    await callHandler(streams, 'POST /api/streams', {
      token,
      body: { video_id: video.id, name: 'Another', type: 'muxed', input_params: { codec: 'h264' } },
    }),
    await callHandler(streams, `PUT /api/streams/${tracks[1]!.id}`, {
      token,
      body: { input_params: { bitrate: '1M' } },
    }),
  ];
  expect(refused.map(({ status }) => status)).toEqual([409, 409, 409, 409, 409]);
  expect(new Set(refused.map(({ json }) => json.message))).toEqual(
    new Set(['The uploaded file of the video is deleted. Upload it again as another video.']),
  );
});

test('a file that was not accepted cannot be downloaded', async () => {
  const { user, token } = await createPerson();
  const { video } = await storeVideo(user, { status: 'failed', refusal: 'QUOTA_EXCEEDED: too much' });
  expect((await callHandler(handler, `GET /api/videos/${video.ulid}/original`, { token })).status).toBe(409);
});
