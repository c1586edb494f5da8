import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClient } from '../../journey/support/client.ts';
import { makeSourceClip } from '../../journey/support/source-clip.ts';
import { hlsOf } from '../../journey/support/templates.ts';
import { type Dashboard, type Person, startDashboard } from './support/dashboard.ts';

let dashboard: Dashboard;
let ada: Person;
let ulid: string;

beforeAll(async () => {
  dashboard = await startDashboard();
  ada = await dashboard.createUser();
  const { file } = await makeSourceClip(`${dashboard.dataFolder}/clip.mp4`, {
    durationSeconds: 30,
    width: 256,
    height: 144,
  });
  const client = createClient(dashboard.apiUrl, ada.token);
  ulid = await client.upload({ file, template: await client.makeTemplate(hlsOf([144])), partBytes: 16 * 2 ** 20 });
  await client.waitUntilDone(ulid);
  const added = await fetch(`${dashboard.apiUrl}/api/videos/${ulid}/captions/de?label=Deutsch`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${ada.token}`, 'content-type': 'text/vtt' },
    body: 'WEBVTT\n\n00:01.000 --> 00:29.000\nGuten Morgen!\n',
  });
  expect(added.status).toBe(201);
}, 900_000);
afterAll(() => dashboard.close(), 120_000);

const pressPlay = (page: Page) => page.getByRole('button', { name: /^Play/ }).first().press('Enter');
const secondsOf = (page: Page) => page.evaluate<number>('document.querySelector("video").currentTime');
const captionsOf = (page: Page) =>
  page.evaluate(`[...document.querySelector('video').textTracks]
    .filter(({ kind }) => kind === 'captions')
    .map(({ label, mode, cues }) => [label, mode, cues?.length])`);

test('a player whose new links are refused too says so, and asks for no more', async () => {
  const page = await dashboard.open(`/videos/${ulid}`, ada);
  await page.getByRole('button', { name: 'Copy link: HLS (adaptive)' }).waitFor();
  await page.route(
    ({ pathname }) => pathname.includes('/s/'),
    (route) => route.fulfill({ status: 403, headers: { 'access-control-allow-origin': '*' } }),
  );
  let renewals = 0;
  page.on('request', (request) => {
    if (new URL(request.url()).pathname.endsWith('/sources')) renewals += 1;
  });
  await pressPlay(page);
  await page.getByText('The links of this video have expired. Reload the page.').waitFor();
  expect(renewals).toBe(1);
});

test('a viewer goes on watching when the links or captions of the video change', async () => {
  const page = await dashboard.open(`/videos/${ulid}`, ada);
  await setPlayback(page, 'public');
  await page.getByText('The video is public: these links never expire.').waitFor();
  const sources = await dashboard.call(ada, 'GET', `/api/videos/${ulid}/sources`);
  await expect.poll(async () => (await fetch(sources.json.sources[0].url)).status).toBe(200);

  await page.reload();
  await pressPlay(page);
  await expect.poll(() => secondsOf(page)).toBeGreaterThan(1);
  await page.evaluate(`{
    window.watched = document.querySelector('video');
    [...watched.textTracks].find(({ kind }) => kind === 'captions').mode = 'showing';
  }`);
  await expect.poll(() => captionsOf(page)).toEqual([['Deutsch', 'showing', 1]]);
  const beforeSigned = await secondsOf(page);
  const signedManifest = page.waitForRequest((request) => /\/s\/.*\.m3u8/.test(request.url()));
  await setPlayback(page, 'signed');
  await signedManifest;
  await expect.poll(() => captionsOf(page)).toEqual([['Deutsch', 'showing', 1]]);
  await playsOn(page, beforeSigned);

  const beforeDeletion = await secondsOf(page);
  await page.getByRole('button', { name: 'Delete: Deutsch, Captions' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await expect.poll(() => captionsOf(page)).toEqual([]);
  await playsOn(page, beforeDeletion);
});

async function setPlayback(page: Page, playback: 'signed' | 'public'): Promise<void> {
  await page.getByRole('button', { name: 'Edit', exact: true }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Visibility').selectOption(playback);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
}

/** The same element plays what comes after `seconds`. */
async function playsOn(page: Page, seconds: number): Promise<void> {
  expect(await page.evaluate('document.querySelector("video") === watched')).toBe(true);
  await expect.poll(() => secondsOf(page)).toBeGreaterThan(seconds);
}
