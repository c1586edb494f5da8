import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Client, signUp } from '../../journey/support/client.ts';
import { runOrThrow } from '../../journey/support/ffmpeg.ts';
import { collectErrors, findFaults } from '../../journey/support/find-faults.ts';
import { type Service, startService } from '../../journey/support/service.ts';
import { streamsOf } from '../../journey/support/templates.ts';
import { findChromium } from '../../journey/uppy/find-chromium.ts';

const audio = [{ name: 'stereo', codec: 'aac', bitrate: '96k', channels: 2, languages: 'all' }];
const everything = {
  ...streamsOf([240, 144]),
  audio,
  outputs: [
    { format: 'hls', segment_duration: 2 },
    { format: 'dash', segment_duration: 2 },
    { format: 'mp4', video: ['v240'] },
  ],
  thumbnails: { poster: { at: '10%', width: 320 }, sprite: { interval: 1, width: 160 } },
};
const transportStream = {
  ...streamsOf([144]),
  outputs: [{ format: 'hls', container: 'ts', segment_duration: 2 }],
};

let folder: string;
let service: Service;
let browser: Browser;
let client: Client;
let clip: string;
let everythingUlid: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'player-'));
  clip = join(folder, 'two languages.mp4');
  service = await startService({ dataFolder: join(folder, 'data') });
  client = await signUp(service.apiUrl);
  await runOrThrow('ffmpeg', [
    ...['-y', '-f', 'lavfi', '-i', 'testsrc2=s=426x240:r=30', '-f', 'lavfi', '-i', 'sine=440'],
    ...['-f', 'lavfi', '-i', 'sine=880', '-map', '0', '-map', '1', '-map', '2', '-t', '8'],
    ...['-metadata:s:a:0', 'language=eng', '-metadata:s:a:1', 'language=deu'],
    ...['-c:v', 'libx264', '-preset', 'ultrafast', '-c:a', 'aac', clip],
  ]);
  everythingUlid = await encode(everything);
  browser = await chromium.launch({
    executablePath: await findChromium(),
    args: ['--no-sandbox', '--disable-gpu', '--autoplay-policy=no-user-gesture-required'],
  });
}, 600_000);
afterAll(async () => {
  await browser?.close();
  await service?.stop();
  await rm(folder, { recursive: true, force: true });
}, 120_000);

test('formats, qualities, languages and the storyboard are chosen with the keyboard, in German', async () => {
  const { page, errors } = await openPlayer(await embedUrl(everythingUlid, 3600), { locale: 'de-DE' });
  expect(await page.locator('html').getAttribute('lang')).toBe('de');
  await page.getByRole('button', { name: /abspielen$/ }).press('Enter');
  await playing(page);
  await page.keyboard.press('Space');
  await expect.poll(() => stateOf(page)).toMatchObject({ isPaused: true });

  await page.getByRole('button', { name: 'Einstellungen' }).press('Enter');
  const format = menu(page, 'Format');
  expect(await optionsOf(page, 'Format')).toEqual(['HLS', 'DASH', 'MP4']);
  for (const name of ['DASH', 'HLS']) {
    await format.selectOption(name);
    await expect.poll(() => optionsOf(page, 'Ton')).toEqual(['Englisch', 'Deutsch']);
    await menu(page, 'Ton').selectOption('Deutsch');
    await expect.poll(() => chosen(page, 'Ton')).toBe('Deutsch');
    // If the player has adapted to it, this choice changes nothing: the paused frame is still of the other quality.
    await menu(page, 'Qualität').selectOption('144p');
    for (const height of [240, 144]) {
      await menu(page, 'Qualität').selectOption(`${height}p`);
      await expect.poll(() => stateOf(page)).toMatchObject({ height });
    }
  }
  await format.selectOption('MP4');
  await expect.poll(() => stateOf(page)).toMatchObject({ height: 240, isFile: true });
  expect(await findFaults(page)).toEqual([]);
  await page.keyboard.press('Escape');
  expect(await page.locator('.player-settings-panel').isVisible()).toBe(false);

  const bar = (await page.locator('media-time-range').boundingBox())!;
  await page.mouse.move(bar.x + bar.width / 2, bar.y + bar.height / 2);
  const thumbnail = page.locator('media-preview-thumbnail').first();
  await expect.poll(() => thumbnail.getAttribute('mediapreviewimage')).toMatch(/sprite-\d+\.jpg/);
  await page.mouse.click(bar.x + bar.width / 2, bar.y + bar.height / 2);
  await expect.poll(async () => (await stateOf(page)).seconds).toBeGreaterThan(3);
  expect(errors).toEqual([]);
});

test('a source that cannot be loaded is loaded again on request, and playback continues where it was', async () => {
  const { page } = await openPlayer(await embedUrl(everythingUlid, 3600), { locale: 'en-US' });
  await page.getByRole('button', { name: /^Play/ }).press('Enter');
  await expect.poll(async () => (await stateOf(page)).seconds).toBeGreaterThan(2);
  await page.context().setOffline(true);
  await page.getByRole('button', { name: 'Settings' }).press('Enter');
  await menu(page, 'Format').selectOption('MP4');
  const retry = page.getByRole('alert').getByRole('button', { name: 'Try again' });
  await retry.press('Enter');
  await retry.waitFor();
  await page.context().setOffline(false);
  await retry.press('Enter');
  await expect.poll(() => stateOf(page)).toMatchObject({ isFile: true, isPaused: false });
  await retry.waitFor({ state: 'detached' });
  expect((await stateOf(page)).seconds).toBeGreaterThan(2);
});

test('HLS with MPEG-TS plays, and a public video needs no token', async () => {
  const ulid = await encode(transportStream);
  await client.put(`/api/videos/${ulid}`, { playback: 'public' });
  const { page, errors } = await openPlayer(`${service.apiUrl}/embed/${ulid}`, { locale: 'en-US' });
  await page.getByRole('button', { name: /^Play/ }).press('Enter');
  await playing(page);
  expect(await findFaults(page)).toEqual([]);
  expect(errors).toEqual([]);
});

test('an expired link is a page that says so', async () => {
  const ulid = await encode(transportStream);
  const url = await embedUrl(ulid, 60);
  await sleep(62_000);
  const { page, response } = await openPlayer(url, { locale: 'de-DE' });
  expect(response!.status()).toBe(410);
  expect(await page.locator('h1').textContent()).toBe('Der Link ist abgelaufen');
  expect(await findFaults(page)).toEqual([]);
});

async function encode(query: object): Promise<string> {
  const template = await client.makeTemplate(query);
  const ulid = await client.upload({ file: clip, template, partBytes: 16 * 1024 ** 2 });
  await client.waitUntilDone(ulid);
  return ulid;
}

const embedUrl = async (ulid: string, lifetimeSeconds: number): Promise<string> =>
  (await client.post<{ url: string }>(`/api/videos/${ulid}/embed-tokens`, { expires_in: lifetimeSeconds })).url;

async function openPlayer(url: string, options: BrowserContextOptions) {
  const context = await browser.newContext({ viewport: { width: 800, height: 450 }, ...options });
  context.setDefaultTimeout(240_000);
  const page = await context.newPage();
  const errors = collectErrors(page);
  const response = await page.goto(url);
  return { page, response, errors };
}

type State = { seconds: number; height: number; isPaused: boolean; isFile: boolean };

const stateOf = (page: Page) =>
  page.evaluate<State>(
    "(({ currentTime, videoHeight, paused, currentSrc } = document.querySelector('video')) => " +
      "({ seconds: currentTime, height: videoHeight, isPaused: paused, isFile: !currentSrc.startsWith('blob:') }))()",
  );

const playing = (page: Page) =>
  expect.poll(() => page.evaluate<number>("document.querySelector('video')?.currentTime ?? 0")).toBeGreaterThan(0.5);

const menu = (page: Page, name: string) => page.getByRole('combobox', { name, exact: true });

const optionsOf = (page: Page, label: string): Promise<string[]> => menu(page, label).locator('option').allInnerTexts();

const chosen = (page: Page, label: string): Promise<string> => menu(page, label).locator('option:checked').innerText();
