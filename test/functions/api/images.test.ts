import { expect, test } from 'vitest';
import * as z from 'zod';
import { handler } from '../../../functions/api/templates.lambda.ts';
import { handler as users } from '../../../functions/api/users.lambda.ts';
import { deleteObject, findObject } from '../../../functions/aws/object-store.ts';
import { newUlid } from '../../../functions/common/ids.ts';
import { composeLease } from '../../../functions/queue/compose-lease.ts';
import { plan } from '../../../functions/runs/video-run/video-run.ts';
import { announceImage, maxImagesPerUser } from '../../../functions/table/image-table.ts';
import { getItem, type Item, write, writeBatch } from '../../../functions/table/items/items.ts';
import { keys, owned } from '../../../functions/table/items/keys.ts';
import type { VideoJob } from '../../../functions/table/records.ts';
import { findAnyTemplate, updateTemplate } from '../../../functions/table/template-table.ts';
import { findWholeVideo } from '../../../functions/table/videos/video-table.ts';
import { imageRetirement } from '../../../functions/table/writes/retirement-writes.ts';
import { imageKey, watermarkKey } from '../../../shared/object-keys.ts';
import { callHandler } from '../../fixtures/call-handler.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { imageHeaders } from '../../fixtures/image-files.ts';
import { readHistory } from '../../fixtures/read-history.ts';
import { storePlannedVideo } from '../../fixtures/records/store-encoded-video.ts';
import { useBucket } from '../../fixtures/use-bucket.ts';
import { useEmptyPool } from '../../fixtures/use-empty-pool.ts';
import { useTable } from '../../fixtures/use-table.ts';
import { probeOf, videoTrack } from '../planning/source-fixture.ts';

useTable();
useBucket();
useEmptyPool();

type Person = Awaited<ReturnType<typeof createPerson>>;

const png = imageHeaders.png(400, 200);
const send = (token: string, file = png, type = 'image/png', name = 'Logo') =>
  callHandler(handler, `POST /api/images?name=${name}`, { token, file, headers: { 'content-type': type } });
const upload = async ({ token }: Person, file?: Buffer): Promise<string> => (await send(token, file)).json.data.ulid;
const list = async ({ token }: Person): Promise<string[]> =>
  (await callHandler(handler, 'GET /api/images', { token })).json.data.map(({ ulid }: { ulid: string }) => ulid);
const remove = ({ token }: Person, ulid: string) => callHandler(handler, `DELETE /api/images/${ulid}`, { token });

const queryWith = (image?: string) => ({
  version: 1,
  video: [{ name: 'v720', codec: 'h264', height: 720, bitrate: '2800k' }],
  outputs: [{ name: 'hls', format: 'hls' }],
  ...(image !== undefined && { watermark: { image, width: '12.5%', margin: '0%', opacity: 0.5, to_seconds: 3 } }),
});
const createTemplate = ({ token }: Person, image?: string) =>
  callHandler(handler, 'POST /api/templates', { token, body: { name: 'Web', query: queryWith(image) } });
const changeTemplate = ({ token }: Person, ulid: string, image?: string) =>
  callHandler(handler, `PUT /api/templates/${ulid}`, { token, body: { query: queryWith(image) } });

test('an uploaded image has its name, its size as it is shown, and a URL of its bytes', async () => {
  const person = await createPerson();
  const { status, json } = await send(person.token);
  expect(status).toBe(201);
  expect(json.data).toEqual({
    ulid: expect.stringMatching(/^[0-9A-Z]{26}$/),
    name: 'Logo',
    width: 400,
    height: 200,
    size: png.length,
    url: expect.stringContaining(`/images/${json.data.ulid}?`),
    created_at: expect.any(String),
  });
  expect(Buffer.from((await findObject(imageKey(json.data.ulid)))!)).toEqual(png);
  expect(await list(person)).toEqual([json.data.ulid]);
  expect(await readHistory(person.user, 5)).toContainEqual(expect.objectContaining({ event: 'created' }));
});

test.each([
  ['SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'image/png', 422],
  ['another type', imageHeaders.jpeg(100, 100), 'image/png', 422],
  ['an unknown content type', png, 'image/svg+xml', 415],
  ['a side below 16 pixels', imageHeaders.png(400, 15), 'image/png', 422],
  ['a bomb of 65,535 pixels a side', imageHeaders.jpeg(65_535, 65_535), 'image/jpeg', 422],
  ['an incomplete file', png.subarray(0, png.length - 12), 'image/png', 422],
  ['an empty body', Buffer.alloc(0), 'image/png', 422],
])('%s is refused, and nothing is stored', async (_, file, type, status) => {
  const person = await createPerson();
  expect((await send(person.token, file, type)).status).toBe(status);
  expect(await list(person)).toEqual([]);
});

test('images of another user are not listed, deleted or used', async () => {
  const [owner, other] = [await createPerson(), await createPerson({ isAdmin: true })];
  const image = await upload(owner);
  expect(await list(other)).toEqual([]);
  expect((await remove(other, image)).status).toBe(404);
  const unknown = { status: 422, json: { codes: { 'query.watermark.image': [{ code: 'unknown' }] } } };
  expect(await createTemplate(other, image)).toMatchObject(unknown);
  const { json } = await createTemplate(other);
  expect(await changeTemplate(other, json.data.ulid, image)).toMatchObject(unknown);
});

test('an administrator keeps the image of a shared template, and may use an own one', async () => {
  const [one, two] = [await createPerson({ isAdmin: true }), await createPerson({ isAdmin: true })];
  const image = await upload(one);
  const { json } = await createTemplate(one, image);
  const path = `/api/templates/${json.data.ulid}` as const;
  expect((await callHandler(handler, `PUT ${path}`, { token: one.token, body: { shared: true } })).status).toBe(200);
  expect((await changeTemplate(two, json.data.ulid, image)).status).toBe(200);
  expect((await changeTemplate(two, json.data.ulid, await upload(two))).status).toBe(200);
  expect((await remove(one, image)).status).toBe(204);
});

test('an image is deleted when no template uses it any more', async () => {
  const person = await createPerson();
  const [image, other] = [await upload(person), await upload(person)];
  const [first, second] = [await createTemplate(person, image), await createTemplate(person, image)];
  expect(await remove(person, image)).toMatchObject({
    status: 409,
    json: { code: 'image_in_use', message: 'The image is the watermark of 2 templates.' },
  });
  expect((await changeTemplate(person, first.json.data.ulid, other)).status).toBe(200);
  // the same image again, and then none
  expect((await changeTemplate(person, first.json.data.ulid, other)).status).toBe(200);
  expect((await changeTemplate(person, first.json.data.ulid)).status).toBe(200);
  expect((await remove(person, other)).status).toBe(204);
  expect((await remove(person, image)).status).toBe(409);
  const path = `/api/templates/${second.json.data.ulid}` as const;
  expect((await callHandler(handler, `DELETE ${path}`, { token: person.token })).status).toBe(204);
  expect((await remove(person, image)).status).toBe(204);
  expect((await remove(person, image)).status).toBe(404);
  expect(await list(person)).toEqual([]);
});

test('two changes of the watermark at the same time count their images once', async () => {
  const person = await createPerson();
  const [image, other] = [await upload(person), await upload(person)];
  const { json } = await createTemplate(person, image);
  const read = (await findAnyTemplate(json.data.ulid))!;
  await updateTemplate(read, { query: queryWith(other) }, person.user);
  await expect(updateTemplate(read, { query: queryWith() }, person.user)).rejects.toMatchObject({
    code: 'concurrent_change',
  });
  expect((await remove(person, image)).status).toBe(204);
  expect((await remove(person, other)).status).toBe(409);
});

test('a process that dies before the record leaves an object that is deleted within hours', async () => {
  const person = await createPerson();
  const image = await upload(person);
  const retired = (ulid: string) => getItem(z.object({ prefix: z.string() }), keys.retired(ulid));
  expect(await retired(image)).toBeUndefined();
  const unrecorded = '01J00000000000000000000000';
  await announceImage(person.user.ulid, unrecorded);
  expect(await retired(unrecorded)).toEqual({ prefix: imageKey(unrecorded) });
});

test('a user has at most 100 images, and a request that made the last one can be continued', async () => {
  const person = await createPerson();
  const last = await upload(person);
  const others = Array.from({ length: maxImagesPerUser - 1 }, () => newUlid());
  await writeBatch(
    others.map((ulid) => ({ put: { ...keys.image(ulid), ...owned(person.user.ulid, 'image', ulid), kind: 'image' } })),
  );
  expect(await send(person.token)).toMatchObject({ status: 422, json: { errors: { images: [expect.any(String)] } } });
  await expect(announceImage(person.user.ulid, last)).resolves.toBeUndefined();
});

test('a user cannot fill the store by adding images and deleting them', async () => {
  const person = await createPerson();
  const first = await upload(person);
  expect((await remove(person, first)).status).toBe(204);
  // Any other image is deleted in the same way.
  await writeBatch(
    Array.from({ length: maxImagesPerUser - 2 }, () => imageRetirement(newUlid(), person.user.ulid) as { put: Item }),
  );
  const last = await upload(person);
  expect((await remove(person, last)).status).toBe(204);
  expect(await send(person.token)).toMatchObject({
    status: 422,
    json: { errors: { images: [expect.stringContaining('deleted 100 images')] } },
  });
  expect((await send((await createPerson()).token)).status).toBe(201);
});

test('images of a deleted user belong to who has deleted the user, with the templates', async () => {
  const [admin, person] = [await createPerson({ isAdmin: true }), await createPerson()];
  const image = await upload(person);
  await createTemplate(person, image);
  const deleted = await callHandler(users, `DELETE /api/users/${person.user.id}`, { token: admin.token });
  expect(deleted.status).toBe(204);
  expect(await list(admin)).toEqual([image]);
  expect((await remove(admin, image)).status).toBe(409);
});

test('a plan has a copy of the image, so that it can be deleted while the video is made and afterwards', async () => {
  const person = await createPerson();
  const image = await upload(person);
  const ulid = await storePlannedVideo(person.user, queryWith(image));
  const whole = (await findWholeVideo(ulid))!;
  const job = {
    videoUlid: ulid,
    planNumber: 1,
    kind: 'encode-video',
    group: 0,
    index: 0,
    attempt: 1,
    attempts: {},
    lease: 'l',
  };
  const lease = await composeLease(job as VideoJob, whole.video);
  expect(lease.spec).toMatchObject({
    source: {
      watermark: {
        imageUlid: image,
        image: { type: 'png', width: 400, height: 200, orientation: 1 },
        position: 'bottom-right',
        widthShare: 0.125,
        marginShare: 0,
        opacity: 0.5,
        toSeconds: 3,
      },
    },
  });
  expect(Buffer.from(await (await fetch(lease.inputs.watermark!)).arrayBuffer())).toEqual(png);

  await write({ delete: keys.image(image) });
  await deleteObject(imageKey(image));
  const again = await plan({ whole, planNumber: 2 } as never, probeOf({ video: videoTrack({ frameCount: 360 }) }));
  expect(again.source?.watermark?.imageUlid).toBe(image);
  expect(await findObject(watermarkKey(ulid, image))).toBeDefined();
});

test.each([
  ['a width of 0 %', { width: '0%' }],
  ['a width in pixels', { width: '200px' }],
  ['an unknown position', { position: 'middle' }],
  ['an opacity of 2', { opacity: 2 }],
  ['an end before the start', { from_seconds: 3, to_seconds: 2 }],
  ['a lower-case ULID', { image: '01j00000000000000000000000' }],
  ['an unknown key', { rotate: 90 }],
])('%s is 422', async (_, changes) => {
  const person = await createPerson();
  const image = await upload(person);
  const query = { ...queryWith(image), watermark: { image, ...changes } };
  const { status, json } = await callHandler(handler, 'POST /api/templates', {
    token: person.token,
    body: { name: 'Web', query },
  });
  expect([status, Object.keys(json.errors)[0]]).toEqual([422, expect.stringMatching(/^query\.watermark/)]);
});
