import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { customerBucket, customerKeys, openCustomerStore } from '../fixtures/open-customer-store.ts';
import { openBrowser } from './support/browser.ts';
import { type Client, signUp } from './support/client.ts';
import { everyContainer } from './support/templates.ts';

/** The files of a video in a storage of its owner, played from a plain static server. */

type Delivery = { ulid: string; status: string; files: number | null; files_copied: number; error: string | null };
type Event = { type: string; data: { ulid: string } };

const apiUrl = inject('apiUrl');
const clip = inject('clip');
let client: Client;
let ulid: string;
let store: Awaited<ReturnType<typeof openCustomerStore>>;
let folder: string;
let browser: Awaited<ReturnType<typeof openBrowser>>;

const deliveriesOf = async (): Promise<Delivery[]> =>
  (await client.get<{ data: Delivery[] }>(`/api/videos/${ulid}/deliveries`)).data;

/** The limit of the hook ends the wait. */
async function untilCompleted(count: number): Promise<void> {
  for (;;) {
    const deliveries = await deliveriesOf();
    const failed = deliveries.find(({ status }) => status === 'failed');
    if (failed) throw new Error(`the delivery failed: ${failed.error}`);
    if (deliveries.length === count && deliveries.every(({ status }) => status === 'completed')) return;
    await setTimeout(200);
  }
}

beforeAll(async () => {
  [folder, store, client] = await Promise.all([
    mkdtemp(join(tmpdir(), 'delivered-')),
    openCustomerStore(),
    signUp(apiUrl),
  ]);
  const { data: storage } = await client.post<{ data: { ulid: string } }>('/api/storages', {
    name: 'Archive',
    endpoint: store.endpoint,
    region: 'eu-central-1',
    bucket: customerBucket,
    prefix: 'films',
    path_style: true,
    access_key_id: customerKeys.accessKeyId,
    secret_access_key: customerKeys.secretAccessKey,
  });
  const template = await client.makeTemplate({
    ...everyContainer,
    thumbnails: { poster: {}, sprite: { interval: 2 } },
    deliver: [{ storage: storage.ulid, also: ['poster', 'captions', 'original', 'metadata'] }],
  });
  ulid = await client.upload({ file: clip.file, template, partBytes: 16 * 2 ** 20 });
  expect(await client.waitUntilDone(ulid)).toMatchObject({ status: 'completed' });
  await untilCompleted(1);
  const cues = Array.from({ length: 12 }, (_, second) => {
    const time = `00:${String(second).padStart(2, '0')}`;
    return `${time}.000 --> ${time}.900\nsecond ${second}\n`;
  });
  const { status } = await fetch(`${apiUrl}/api/videos/${ulid}/captions/en`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${client.token}`, 'content-type': 'text/vtt' },
    body: ['WEBVTT', '', ...cues].join('\n'),
  });
  expect(status).toBe(201);
  // The captions come with the next delivery.
  await client.post(`/api/videos/${ulid}/deliveries`, {});
  await client.post(`/api/videos/${ulid}/deliveries`, { path: 'shared/{ulid}/' });
  await untilCompleted(3);
  for (const key of await store.keys()) {
    const file = join(folder, key);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, await store.readBytes(key));
  }
  browser = await openBrowser({ mediaFolder: folder });
});

afterAll(async () => {
  await browser?.close();
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

const urlOf = (path: string): string => `${browser.mediaUrl}films/${path}`;

test.each([
  ['HLS, by hls.js', 'hls/master.m3u8', 'hls'],
  ['HLS, by Shaka Player', 'hls/master.m3u8', 'shaka'],
  ['HLS of transport stream segments, by hls.js', 'hls-ts/master.m3u8', 'hls'],
  ['DASH, by Shaka Player', 'dash/manifest.mpd', 'dash'],
  ['MP4, by the browser itself', 'mp4/video.mp4', 'mp4'],
] as const)('%s, plays from start to end', async (_, path, format) => {
  for (const root of [ulid, `shared/${ulid}`]) {
    const seen = await browser.play({ url: urlOf(`${root}/${path}`), format, playSeconds: Infinity, rate: 4 });
    expect(seen).toMatchObject({ ended: true, errors: [] });
    expect(seen.duration).toBeCloseTo(clip.durationSeconds, 1);
    expect(seen.decodedAudioBytes).toBeGreaterThan(0);
  }
});

test.each([
  ['HLS', 'hls/master.m3u8', 'hls'],
  ['HLS of transport stream segments', 'hls-ts/master.m3u8', 'hls'],
  ['DASH', 'dash/manifest.mpd', 'shaka'],
] as const)('%s shows the captions of the copy', async (_, path, player) => {
  const shown = await browser.captionsAt({ url: urlOf(`${ulid}/${path}`), player, seconds: [2.5, 10.5] });
  expect(shown.map(({ text }) => text)).toEqual(['second 2', 'second 10']);
});

test('thumbnails, captions, the uploaded file and the description are beside it', async () => {
  const keys = (await store.keys()).filter((key) => key.startsWith(`films/${ulid}/`));
  const beside = keys.map((key) => key.slice(`films/${ulid}/`.length));
  expect(beside).toEqual(
    expect.arrayContaining(['poster.jpg', 'thumbnails/sprite.vtt', 'captions/en.vtt', 'metadata.json']),
  );
  const sprite = new TextDecoder().decode(await store.readBytes(`films/${ulid}/thumbnails/sprite.vtt`));
  const [, image] = /^(sprite-\d+\.jpg)#/m.exec(sprite)!;
  expect(beside).toContain(`thumbnails/${image}`);
  const original = keys.find((key) => key.includes('/original/'))!;
  expect((await store.readBytes(original)).length).toBe((await stat(clip.file)).size);
  const metadata = JSON.parse(new TextDecoder().decode(await store.readBytes(`films/${ulid}/metadata.json`)));
  expect(metadata).toMatchObject({ ulid, status: 'completed' });
});

test('events tell when it is there', async () => {
  const ended = (await deliveriesOf()).map((delivery) => delivery.ulid).toSorted();
  const told = async () =>
    (await client.get<{ data: Event[] }>('/api/events?limit=100')).data
      .filter(({ type }) => type === 'delivery.completed')
      .map(({ data }) => data.ulid)
      .toSorted();
  await expect.poll(told).toEqual(ended);
});
