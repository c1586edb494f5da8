import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { components } from '../../../client/api-types.ts';
import { openBrowser } from '../../journey/support/browser.ts';
import { type Client, createClient, type Source, signIn, signUp } from '../../journey/support/client.ts';
import { type Service, startService } from '../../journey/support/service.ts';
import { type Clip, makeSourceClip } from '../../journey/support/source-clip.ts';

// Playback in Chromium through the edge, and what the service has counted of it.

type Analytics = components['schemas']['VideoAnalytics']['data'];
type Stage = components['schemas']['Analytics']['data'];

const adminPassword = 'a long password';

const segmentSeconds = 2;
/** The segment whose response is held back, and where playback waits for it. */
const held = { path: /\/v\/00003\.m4s/, atSeconds: 3 * segmentSeconds };
const stallMs = 3000;
const query = {
  video: [{ name: 'v', codec: 'h264', height: 144, bitrate: '300k', preset: 'ultrafast' }],
  audio: [{ name: 'a', codec: 'aac', bitrate: '64k' }],
  outputs: [{ name: 'hls', format: 'hls', segment_duration: segmentSeconds }],
};

let folder: string;
let clip: Clip;
let service: Service;
let client: Client;
let template: string;

const start = (env: Record<string, string> = {}) =>
  startService({ dataFolder: join(folder, 'data'), env: { ADMIN_PASSWORD: adminPassword, ...env } });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'counted-'));
  clip = await makeSourceClip(join(folder, 'clip.mp4'), { durationSeconds: 12, width: 256, height: 144 });
  service = await start();
  client = await signUp(service.apiUrl);
  template = await client.makeTemplate(query);
});
afterAll(async () => {
  await service?.stop();
  await rm(folder, { recursive: true, force: true });
});

async function publish(): Promise<string> {
  const ulid = await client.upload({ file: clip.file, template, partBytes: 2 ** 24 });
  await client.waitUntilDone(ulid);
  return ulid;
}

const read = async (ulid: string): Promise<Analytics> =>
  (await client.get<{ data: Analytics }>(`/api/videos/${ulid}/analytics`)).data;

/** Logs are delivered every few seconds, and a playback may be in two of them. */
async function countedAll(ulid: string): Promise<Analytics> {
  await expect
    .poll(async () => Math.abs((await read(ulid)).watched.total_seconds - clip.durationSeconds))
    .toBeLessThanOrEqual(segmentSeconds);
  // Nothing comes after it.
  const { views } = await read(ulid);
  expect(views.total).toBe(1);
  return read(ulid);
}

/** Holds the responses of a segment back, also those of repeated requests, until playback has waited for it. */
async function holdBack(page: Page): Promise<void> {
  const untilWaited = async (): Promise<void> => {
    while ((await timeOf(page)) < held.atSeconds - 0.6) await sleep(50);
    await sleep(stallMs + 600);
  };
  let waited: Promise<void> | undefined;
  await page.route(held.path, async (route) => {
    const response = await route.fetch();
    waited ??= untilWaited();
    await waited;
    // The player may have given the request up.
    await route.fulfill({ response }).catch(() => {});
  });
}

const timeOf = (page: Page): Promise<number> =>
  page.evaluate<number>('document.querySelector("video")?.currentTime ?? 0');

/** The waiting of the one playback, as its bucket of shares has it. Logs have whole seconds, and machines are busy. */
function expectStall({ playback }: Analytics, waitedMs: number): void {
  expect(waitedMs).toBeGreaterThan(stallMs - 500);
  const { buckets, count } = playback.rebuffering_share;
  expect(count).toBe(1);
  const [bucket] = buckets.filter((one) => one.count > 0);
  const shareOf = (ms: number): number => ms / (ms + clip.durationSeconds * 1000);
  expect(bucket!.from).toBeLessThanOrEqual(shareOf(waitedMs + 1500));
  expect(bucket!.to ?? 1).toBeGreaterThan(shareOf(waitedMs - 1500));
}

test.each(['hls', 'shaka'] as const)('a playback by %s is one view with its watch time and bitrate', async (player) => {
  const ulid = await publish();
  const { sources } = await client.get<{ sources: Source[] }>(`/api/videos/${ulid}/sources`);
  const browser = await openBrowser();
  try {
    const { until } = await browser.openPlayer({ url: sources[0]!.url, player, prepare: holdBack });
    const { longestStallMs } = await until(({ ended }) => ended);
    const analytics = await countedAll(ulid);
    expect(analytics.audience.reached.every((count) => count === 1)).toBe(true);
    expect(analytics.playback.bitrate_kbps.count).toBe(1);
    expect(analytics.playback.errors.buckets[0]!.count).toBe(1);
    // hls.js says that it waited, Shaka Player how long it took to start.
    if (player === 'hls') expectStall(analytics, longestStallMs);
    else expect(analytics.playback.startup_ms.count).toBe(1);
  } finally {
    await browser.close();
  }
});

test('when views are not counted, sessions and bytes of the stage are, and nothing of videos and users', async () => {
  await service.stop();
  service = await start({ COUNT_VIEWS: 'off' });
  client = createClient(service.apiUrl, client.token);
  const administrator = await signIn(service.apiUrl, { email: 'admin@example.com', password: adminPassword });
  const stage = async () => (await administrator.get<{ data: Stage }>('/api/analytics')).data;
  const before = await stage();
  const ulid = await publish();
  const { sources } = await client.get<{ sources: Source[] }>(`/api/videos/${ulid}/sources`);
  const browser = await openBrowser();
  try {
    await browser.play({ url: sources[0]!.url, format: 'hls', playSeconds: Number.POSITIVE_INFINITY, rate: 4 });
  } finally {
    await browser.close();
  }
  await expect.poll(async () => (await stage()).sessions.total).toBe(before.sessions.total + 1);
  const { views, watched, delivered } = await read(ulid);
  expect([views.total, watched.total_seconds, delivered.total_bytes]).toEqual([0, 0, 0]);
  expect((await stage()).views.total).toBe(before.views.total);
});
