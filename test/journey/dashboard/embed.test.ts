import { createServer } from 'node:http';
import { type Browser, chromium, type Frame, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { listen } from '../../../local/server/listen.ts';
import { type Client, signUp } from '../support/client.ts';
import { collectErrors, findFaults } from '../support/find-faults.ts';
import { hlsOf } from '../support/templates.ts';
import { findChromium } from '../uppy/find-chromium.ts';

const hostileName = '<img src=x onerror=alert(1)>';
const framesOf: Record<string, string> = {};
/** Pages with a frame: of one host name each, so each has another origin. */
const site = createServer(({ url = '' }, response) => {
  response.writeHead(200, { 'content-type': 'text/html' });
  response.end(`<!doctype html><title>Site</title><iframe src="${framesOf[url] ?? ''}" allow="autoplay"></iframe>`);
});

let port: number;
let browser: Browser;
let client: Client;
let ulid: string;

beforeAll(async () => {
  [port, client] = await Promise.all([listen(site, 0), signUp(inject('apiUrl'))]);
  browser = await chromium.launch({
    executablePath: await findChromium(),
    args: ['--no-sandbox', '--disable-gpu', '--autoplay-policy=no-user-gesture-required'],
  });
  ulid = await uploadClip();
});
afterAll(async () => {
  await browser?.close();
  site.closeAllConnections();
  site.close();
});

test('a link plays without a session, in frames of the allowed domains only, until the video is deleted', async () => {
  const url = await embedUrl({});
  const page = await openPage();
  const errors = collectErrors(page);
  await page.goto(url);
  expect(await page.title()).toBe(hostileName);
  expect(await page.locator('h1').textContent()).toBe(hostileName);
  expect(await findFaults(page)).toEqual([]);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await playing(page.mainFrame());
  expect(await findFaults(page)).toEqual([]);
  expect(await page.evaluate('document.cookie')).toBe('');
  expect(errors).toEqual([]);

  framesOf['/player'] = await embedUrl({ allowed_domains: [`localhost:${port}`] });
  const allowed = await openPage();
  await allowed.goto(`http://localhost:${port}/player`);
  await allowed.frameLocator('iframe').getByRole('button').first().click();
  await playing(allowed.frames()[1]!);

  const refused = await openPage();
  const refusals = collectErrors(refused);
  await refused.goto(`http://127.0.0.1:${port}/player`);
  await expect.poll(() => refusals.join()).toContain('frame-ancestors localhost');
  expect(await refused.frameLocator('iframe').locator('#player').count()).toBe(0);

  await client.remove(`/api/videos/${ulid}`);
  const response = await page.goto(url);
  expect(response!.status()).toBe(404);
  expect(await page.locator('h1').textContent()).toBe('Video not found');
  expect(await findFaults(page)).toEqual([]);
});

async function uploadClip(): Promise<string> {
  const template = await client.makeTemplate(hlsOf([144]));
  const uploaded = await client.upload({ file: inject('clip').file, template, partBytes: 16 * 1024 ** 2 });
  await client.waitUntilDone(uploaded);
  await client.put(`/api/videos/${uploaded}`, { name: hostileName });
  return uploaded;
}

/** In a browser session of its own. */
async function openPage(): Promise<Page> {
  const context = await browser.newContext({ locale: 'en-US', viewport: { width: 800, height: 450 } });
  context.setDefaultTimeout(120_000);
  return context.newPage();
}

async function embedUrl(options: { allowed_domains?: string[] }): Promise<string> {
  const body = { expires_in: 3600, ...options };
  return (await client.post<{ url: string }>(`/api/videos/${ulid}/embed-tokens`, body)).url;
}

const playing = (frame: Frame) =>
  expect.poll(() => frame.evaluate<number>("document.querySelector('video')?.currentTime ?? 0")).toBeGreaterThan(0.5);
