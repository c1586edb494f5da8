import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClient } from '../../journey/support/client.ts';
import { type Clip, makeSourceClip } from '../../journey/support/source-clip.ts';
import { streamsOf } from '../../journey/support/templates.ts';
import { answerWith, type Dashboard, faultsOf, hold, looks, type Person, startDashboard } from './support/dashboard.ts';

const template = {
  ...streamsOf([144]),
  outputs: [{ format: 'hls', segment_duration: 2 }, { format: 'mp4' }],
  thumbnails: { sprite: { interval: 1, width: 160 } },
};
const partBytes = 16 * 2 ** 20;
const names = ['Beach in summer.mp4', 'Beach in winter.mp4', 'Conference <b>2026</b>.mp4'];

let dashboard: Dashboard;
let ada: Person;
let clip: Clip;

beforeAll(async () => {
  dashboard = await startDashboard();
  ada = await dashboard.createUser();
  clip = await makeSourceClip(`${dashboard.dataFolder}/clip.mp4`, { durationSeconds: 3, width: 256, height: 144 });
  const client = createClient(dashboard.apiUrl, ada.token);
  const made = await client.makeTemplate(template);
  for (const name of names) {
    const ulid = await client.upload({ file: clip.file, template: made, partBytes });
    await client.waitUntilDone(ulid);
    await client.put(`/api/videos/${ulid}`, { name });
  }
}, 900_000);
afterAll(() => dashboard.close(), 120_000);

describe.each(looks)('%s', (_, look) => {
  test('the list has no faults while it loads, empty, with an error and full', async () => {
    const page = await dashboard.open('/', ada, look);
    await page.getByRole('link', { name: names[0]! }).waitFor();
    expect(await faultsOf(page)).toEqual([]);

    await answerWith(page, '/api/videos', 500, { message: 'Server Error' });
    await page.reload();
    await page.getByText('The service has a problem. Try again in a moment.').waitFor();
    expect(await faultsOf(page)).toEqual([]);

    await page.unrouteAll();
    await answerWith(page, '/api/videos', 200, { data: [], meta: { current_page: 1, last_page: 1, total: 0 } });
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('There are no videos yet').waitFor();
    expect(await faultsOf(page)).toEqual([]);

    await page.unrouteAll();
    const release = await hold(page, '/api/videos');
    await page.reload();
    await page.getByRole('heading', { name: 'Videos', level: 1 }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    release();
    await page.getByRole('link', { name: names[0]! }).waitFor();
  });

  test('the page of a video and its dialogs have no faults', async () => {
    const page = await dashboard.open('/', ada, look);
    await page.getByRole('link', { name: names[0]! }).click();
    await page.getByRole('button', { name: 'Copy link: HLS (adaptive)' }).waitFor();
    await page.getByText('Processing').click();
    await page.getByText('Packaging 1').first().waitFor();
    expect(await faultsOf(page)).toEqual([]);
    for (const name of ['Edit', 'Poster', 'Process again', 'Make public', 'Delete', 'Add a rendition']) {
      const opener = page.getByRole('button', { name, exact: true }).first();
      await opener.click();
      await page.getByRole('dialog').waitFor();
      expect(await faultsOf(page), name).toEqual([]);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await expect.poll(() => page.evaluate('document.activeElement.textContent'), { message: name }).toBe(name);
    }
  });
});

test('the page of a video names copied streams and shows the warnings of the probe', async () => {
  const page = await dashboard.open('/', ada);
  const warning = '144p is left out: 240p needs only 90 kbit/s for this video.';
  await page.route(/\/api\/videos\/[^/?]+$/, async (route) => {
    // The page asks again with the ETag that it knows; the response, 304, has no body.
    const { 'if-none-match': _, ...headers } = route.request().headers();
    const response = await route.fetch({ headers });
    const { data } = await response.json();
    for (const { type, meta } of data.streams) {
      if (type === 'original') meta.warnings = [warning];
      if (type === 'video') meta.copied = true;
    }
    await route.fulfill({ response, json: { data } });
  });
  await page.getByRole('link', { name: names[0]! }).click();
  await page.getByText(warning).waitFor();
  await page.getByText('Copied from the source').waitFor();
  expect(await faultsOf(page)).toEqual([]);
});

test('search and filters are in the address, and lists continue', async () => {
  const page = await dashboard.open('/', ada);
  await page.getByLabel('Search names').fill('beach win');
  await expect.poll(() => page.locator('.video-name').allInnerTexts()).toEqual([names[1]]);
  expect(new URL(page.url()).search).toBe('?q=beach+win');
  await page.reload();
  await page.getByRole('link', { name: names[1]! }).waitFor();
  expect(await page.getByLabel('Search names').inputValue()).toBe('beach win');

  await page.getByLabel('Status').selectOption('Failed');
  await page.getByText('No video matches').waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await page.getByRole('link', { name: names[2]! }).waitFor();
  expect(new URL(page.url()).search).toBe('');
});

test('a video is renamed, made public, and gets another poster and another rendition', async () => {
  const page = await dashboard.open('/', ada);
  await page.getByRole('link', { name: names[2]! }).click();
  await page.getByRole('button', { name: 'Edit', exact: true }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('<script>alert(1)</script>');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: '<script>alert(1)</script>', level: 1 }).waitFor();

  // An embed code ends, unless the video is public.
  const embed = page.getByRole('region', { name: 'Embed' });
  await embed.getByText(/An embed code made now stops on /).waitFor();
  await embed.getByRole('button', { name: 'Create the embed code' }).click();
  await embed.getByText(/Valid until /).waitFor();
  await embed.getByRole('button', { name: 'Make public' }).click();
  await dialog.getByRole('button', { name: 'Make public' }).click();
  await embed.getByText('The video is public: this code never stops.').waitFor();
  await page.getByText('The video is public: these links never expire.').waitFor();
  await page.locator('.summary').getByText('Public').waitFor();

  await page.getByRole('button', { name: 'Poster' }).click();
  await dialog.getByLabel('Time in seconds').fill('99');
  await dialog.getByRole('button', { name: 'Make the poster' }).click();
  await dialog.locator('.field-errors').waitFor();
  // The template makes none.
  expect(await page.locator('.player-start img').count()).toBe(0);
  await dialog.getByRole('button', { name: 'Frame at 0:02' }).click();
  expect(await dialog.getByLabel('Time in seconds').inputValue()).toBe('1.5');
  await dialog.getByRole('button', { name: 'Make the poster' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.locator('.player-start img').waitFor();

  await page.getByRole('button', { name: 'Add a rendition' }).click();
  await dialog.getByLabel('Name').fill('tiny');
  await dialog.getByLabel('Height in pixels').fill('96');
  await dialog.getByLabel('Bitrate').fill('100k');
  await dialog.getByRole('button', { name: 'Save' }).click();
  const stream = page.getByRole('row', { name: /^tiny/ });
  await stream.getByText('Ready').waitFor();
  expect(await faultsOf(page)).toEqual([]);
});

test('a deleted video of a later part of the list leaves it without a poll', async () => {
  const page = await dashboard.open('/', ada);
  await page.getByRole('link', { name: names[0]! }).waitFor();
  const { data } = (await dashboard.call(ada, 'GET', '/api/videos')).json;
  const left = [
    { ...data[0], name: 'first.mp4' },
    { ...data[1], name: 'second.mp4' },
  ];
  await page.route(
    ({ pathname }) => pathname === '/api/videos',
    (route) => {
      const current_page = Number(new URL(route.request().url()).searchParams.get('page') ?? 1);
      const meta = { current_page, last_page: 2, total: left.length };
      return route.fulfill({ json: { data: left.slice(current_page - 1, current_page), meta } });
    },
  );
  await page.route(`**/api/videos/${data[1].ulid}`, (route) => {
    left.pop();
    return route.fulfill({ status: 204 });
  });
  // Longer timers than those of the page itself are its polls.
  await page.addInitScript(`{
    const { setTimeout } = window;
    window.setTimeout = (act, milliseconds) => (milliseconds >= 2000 ? 0 : setTimeout(act, milliseconds));
  }`);
  await page.reload();
  await page.getByRole('button', { name: 'Show more' }).click();
  await page.getByRole('checkbox', { name: 'Select second.mp4' }).check();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('link', { name: 'second.mp4' }).waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'first.mp4' }).waitFor();
});

test('selected videos are processed again and deleted together', async () => {
  const page = await dashboard.open('/', ada);
  for (const name of names.slice(0, 2)) await page.getByRole('checkbox', { name: `Select ${name}` }).check();
  await page.getByText('2 videos selected').waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await page.getByRole('button', { name: 'Process again' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Process again' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });

  for (const name of names.slice(0, 2)) await page.getByRole('checkbox', { name: `Select ${name}` }).check();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  for (const name of names.slice(0, 2)) await page.getByRole('link', { name }).waitFor({ state: 'detached' });
  expect(await faultsOf(page)).toEqual([]);
});
