import { expect, test } from 'vitest';
import { queryItems } from '../../../../functions/table/items/items.ts';
import { keys } from '../../../../functions/table/items/keys.ts';
import { failNode } from '../../../../functions/table/nodes/node-health.ts';
import { touchNode } from '../../../../functions/table/nodes/node-table.ts';
import { finishVideo } from '../../../../functions/table/videos/finish-video.ts';
import { hideVideo } from '../../../../functions/table/videos/hide-video.ts';
import { createVideo } from '../../../../functions/table/videos/new-video.ts';
import { reprocessVideo } from '../../../../functions/table/videos/reprocess-video.ts';
import { findVideo, findWholeVideo, moveOutput, moveStream } from '../../../../functions/table/videos/video-table.ts';
import { now } from '../../../../shared/clock.ts';
import { createPerson } from '../../../fixtures/create-person.ts';
import { storeNode } from '../../../fixtures/records/store-node.ts';
import { storeUpload } from '../../../fixtures/records/store-upload.ts';
import { buildOutput, buildStream, storeVideo } from '../../../fixtures/records/store-video.ts';
import { useTable } from '../../../fixtures/use-table.ts';

useTable();

const eventsOf = (ownerUlid: string | null) => queryItems(keys.event(ownerUlid, '').pk);
const typesOf = async (ownerUlid: string | null) => (await eventsOf(ownerUlid)).map(({ type }) => type);
const twice = async (change: () => Promise<unknown>) => [await change(), await change()];

test('each change of a video has one event, also when the change is tried twice', async () => {
  const { user } = await createPerson();
  const stream = buildStream({ status: 'running' });
  const output = buildOutput({ status: 'running', streams: [stream.ulid] });
  const { video } = await storeVideo(user, { status: 'uploading', streams: [stream], outputs: [output] });
  const whole = (await findWholeVideo(video.ulid))!;
  const thumbnails = { thumbnailPath: null, storyboardPath: null, previewPath: null, thumbnailImages: null };
  const results = [
    await twice(() => moveOutput(video, output.ulid, 'completed')),
    await twice(() => moveStream(video, stream.ulid, 'completed')),
    await twice(() => finishVideo(whole, { status: 'completed', thumbnails, original: undefined })),
  ];
  expect(results).toEqual(Array.from({ length: 3 }, () => [true, false]));
  const completed = (await findVideo(video.ulid))!;
  const again = { replan: false, probe: undefined, properties: {}, quota: null };
  expect(await twice(() => reprocessVideo(completed, again, user))).toEqual([true, false]);
  await twice(() => hideVideo(completed, user));
  expect(await typesOf(user.ulid)).toEqual([
    'output.completed',
    'stream.completed',
    'video.completed',
    'video.reprocessing',
    'video.deleted',
  ]);
  const events = await eventsOf(user.ulid);
  const sequences = events.map(({ sequence }) => Number(sequence));
  expect(sequences).toEqual(sequences.toSorted((a, b) => a - b));
  expect(new Set(sequences).size).toBe(5);
  expect(events[0]).toMatchObject({
    externalUserId: 'crm-1',
    subject: { kind: 'output', videoUlid: video.ulid, ulid: output.ulid },
  });
  // A deleted video cannot be read any more.
  expect(events.map(({ lastRecord }) => lastRecord !== undefined)).toEqual([false, false, false, false, true]);
  const days = (Number(events[0]!.expiresAt) - now() / 1000) / 86_400;
  expect(days).toBeGreaterThan(6.9);
  expect(days).toBeLessThanOrEqual(7);
});

test('failures have events, and a start has none', async () => {
  const { user } = await createPerson();
  const stream = buildStream({ status: 'pending' });
  const output = buildOutput({ status: 'pending', streams: [stream.ulid] });
  const { video } = await storeVideo(user, { status: 'running', streams: [stream], outputs: [output] });
  await moveOutput(video, output.ulid, 'running');
  await moveStream(video, stream.ulid, 'running');
  await moveOutput(video, output.ulid, 'failed', { errorLog: 'x' });
  await moveStream(video, stream.ulid, 'failed', { errorLog: 'x' });
  await finishVideo((await findWholeVideo(video.ulid))!, { status: 'failed', original: undefined });
  expect(await typesOf(user.ulid)).toEqual(['output.failed', 'stream.failed', 'video.failed']);
});

test('a video and the end of its upload have their events together, once', async () => {
  const upload = await storeUpload();
  const facts = {
    upload,
    source: { key: upload.key, bytes: 10 },
    template: undefined,
    executionArn: 'arn',
    createdAtMilliseconds: now(),
  };
  expect(await twice(() => createVideo(facts))).toEqual([true, false]);
  expect(await typesOf(upload.ownerUlid)).toEqual(['upload.completed', 'video.created']);
});

test('a node that fails and recovers has events of the administrators', async () => {
  const node = await storeNode();
  expect(await twice(() => failNode(node, 'No answer.'))).toEqual([true, false]);
  await touchNode(node.ulid, now());
  await touchNode(node.ulid, now());
  expect(await typesOf(null)).toEqual(['node.failed', 'node.recovered']);
});
