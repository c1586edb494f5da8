import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { components } from '../../../client/api-types.ts';
import { openBrowser } from '../../journey/support/browser.ts';
import { type Client, createClient, type Source, signIn, signUp } from '../../journey/support/client.ts';
import { type Service, startService } from '../../journey/support/service.ts';
import { type Clip, makeSourceClip } from '../../journey/support/source-clip.ts';
import { findChromium } from '../../journey/uppy/find-chromium.ts';

// Playback in Chromium through the edge, and what the service has counted of it.

type Analytics = components['schemas']['VideoAnalytics']['data'];
type Stage = components['schemas']['Analytics']['data'];

const adminPassword = 'a long password';

const segmentSeconds = 2;
const stallMs = 3500;
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
async function countedAll(ulid: string, watchedSeconds = clip.durationSeconds): Promise<Analytics> {
  await expect
    .poll(async () => Math.abs((await read(ulid)).watched.total_seconds - watchedSeconds))
    .toBeLessThanOrEqual(segmentSeconds);
  // Nothing comes after it.
  const { views } = await read(ulid);
  expect(views.total).toBe(1);
  return read(ulid);
}

type Noted = { standsMs: number; waitedMs: number; ended: boolean };

/** How long playback stands still after it has begun: now, and in all, without short moments of a busy machine. */
const noteStandstill = `
  const noted = { standsMs: 0, waitedMs: 0, ended: false };
  let last = { time: 0, atMs: 0 };
  setInterval(() => {
    const video = document.querySelector('video');
    if (!video || noted.ended) return;
    const now = { time: video.currentTime, atMs: performance.now() };
    noted.ended = video.ended;
    if (last.time > 0 && now.time === last.time && !noted.ended) {
      noted.standsMs += now.atMs - last.atMs;
    } else {
      if (noted.standsMs > 250) noted.waitedMs += noted.standsMs;
      noted.standsMs = 0;
    }
    last = now;
  }, 20);
  globalThis.noted = noted;
`;
const notedIn = (page: Page): Promise<Noted> => page.evaluate<Noted>('noted');
/** The policy of the page forbids what Playwright's own waiting does. */
async function untilNoted(page: Page, reached: (noted: Noted) => boolean): Promise<void> {
  while (!reached(await notedIn(page))) await sleep(50);
}

/** Holds the responses of a segment back, also those of repeated requests, until playback has stood still for it. */
async function holdBack(page: Page, segment: number) {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.addInitScript(noteStandstill);
  // With the picture alone held back, Chromium plays up to two seconds of sound before it waits.
  await page.route(new RegExp(`/[va]/0000${segment}\\.m4s`), async (route) => {
    const response = await route.fetch();
    await released;
    // The player may have given the request up.
    await route.fulfill({ response }).catch(() => {});
  });
  return { untilItStands: () => untilNoted(page, ({ standsMs }) => standsMs >= stallMs), release };
}

/** Waits until the one playback is in a bucket that has what it waited. */
async function expectStall(ulid: string, waitedMs: number, toleranceMs: number): Promise<void> {
  expect(waitedMs).toBeGreaterThanOrEqual(stallMs);
  const missed = async (): Promise<string | undefined> => {
    const { playback, watched } = await read(ulid);
    const { buckets, count } = playback.rebuffering_share;
    const shareOf = (ms: number): number => ms / (ms + watched.total_seconds * 1000);
    const bucket = buckets.find((one) => one.count === 1);
    const isIn =
      bucket !== undefined &&
      bucket.from <= shareOf(waitedMs + toleranceMs) &&
      (bucket.to ?? 1) > shareOf(waitedMs - toleranceMs);
    return count === 1 && isIn ? undefined : `${waitedMs} ms: ${JSON.stringify({ count, bucket })}`;
  };
  await expect.poll(missed).toBeUndefined();
}

test.each(['hls', 'shaka'] as const)('a playback by %s is one view with its watch time and bitrate', async (player) => {
  const ulid = await publish();
  const { sources } = await client.get<{ sources: Source[] }>(`/api/videos/${ulid}/sources`);
  const browser = await openBrowser();
  try {
    let held: Awaited<ReturnType<typeof holdBack>> | undefined;
    const { page, until } = await browser.openPlayer({
      url: sources[0]!.url,
      player,
      prepare: async (opened) => {
        held = await holdBack(opened, 3);
      },
    });
    await held!.untilItStands();
    held!.release();
    await until(({ ended }) => ended);
    const analytics = await countedAll(ulid);
    expect(analytics.audience.reached.every((count) => count === 1)).toBe(true);
    expect(analytics.playback.bitrate_kbps.count).toBe(1);
    expect(analytics.playback.errors.buckets[0]!.count).toBe(1);
    // hls.js says that it waited, in logs with whole seconds; Shaka Player how long it took to start.
    if (player === 'hls') await expectStall(ulid, (await notedIn(page)).waitedMs, 1500);
    else expect(analytics.playback.startup_ms.count).toBe(1);
  } finally {
    await browser.close();
  }
});

test.each([
  ['in the middle', { segment: 3, stays: true }],
  ['before its last segment, after which nothing is loaded', { segment: 5, stays: true }],
  ['until the viewer leaves', { segment: 3, stays: false }],
] as const)(
  'a playback in an embedded page also tells how long it took to start, and how long it waited %s',
  async (_, how) => {
    const ulid = await publish();
    const { url } = await client.post<{ url: string }>(`/api/videos/${ulid}/embed-tokens`, { expires_in: 3600 });
    const browser = await chromium.launch({
      executablePath: await findChromium(),
      args: ['--no-sandbox', '--disable-gpu', '--autoplay-policy=no-user-gesture-required'],
    });
    try {
      const page = await browser.newPage();
      page.setDefaultTimeout(120_000);
      const told: number[] = [];
      page.on('request', (request) => {
        const [, periods] = /\bbsd=\(([0-9 ]+)\)/.exec(new URL(request.url()).searchParams.get('CMCD') ?? '') ?? [];
        told.push(...(periods?.split(' ').map(Number) ?? []));
      });
      const held = await holdBack(page, how.segment);
      await page.goto(url);
      await page.getByRole('button').first().click();
      await held.untilItStands();
      let { waitedMs, standsMs } = await notedIn(page);
      if (how.stays) {
        held.release();
        await untilNoted(page, ({ ended }) => ended);
        ({ waitedMs, standsMs } = await notedIn(page));
      } else {
        await page.goto('about:blank');
        held.release();
      }
      const stoodMs = waitedMs + standsMs;
      const watchedSeconds = how.stays ? clip.durationSeconds : (how.segment + 1) * segmentSeconds;
      const { playback } = await countedAll(ulid, watchedSeconds);
      await expectStall(ulid, stoodMs, 400);
      // Buckets are wide. What a page sends while it is left, the browser does not report.
      const toldMs = told.reduce((sum, ms) => sum + ms, 0);
      if (how.stays) expect(Math.abs(toldMs - stoodMs)).toBeLessThan(1000);
      expect([playback.startup_ms.count, playback.bitrate_kbps.count, playback.errors.buckets[0]!.count]).toEqual([
        1, 1, 1,
      ]);
    } finally {
      await browser.close();
    }
  },
);

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
