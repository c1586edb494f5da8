import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Client, createClient } from '../../journey/support/client.ts';
import { makeSourceClip } from '../../journey/support/source-clip.ts';
import { streamsOf } from '../../journey/support/templates.ts';
import { administrator, type Dashboard, faultsOf, startDashboard } from './support/dashboard.ts';
import { differenceOf, keepPicture } from './support/pictures.ts';

/*
 * Every screen looks as in the kept pictures, in light and dark, so that a layout that broke is seen. They show the
 * fonts of Debian. KEEP_SCREENS=1 writes them again: look at them before you commit them.
 */

const keptFolder = join(import.meta.dirname, 'screens');
const widths = [390, 1100, 1440];
const schemes = ['light', 'dark'] as const;

let dashboard: Dashboard;
/** One session for all tests: sign-ins of an account are limited to a few a minute. */
let storageState: BrowserContextOptions['storageState'];
let folder: string;
/** Paths of the screens that show one video, template or webhook. */
const paths: Record<string, string> = {};

beforeAll(async () => {
  await mkdir(keptFolder, { recursive: true });
  folder = await mkdtemp(join(tmpdir(), 'screens-'));
  // Views appear some minutes after the pages have played: the pictures are without them.
  dashboard = await startDashboard({ WORKERS: '1', COUNT_VIEWS: 'off' });
  const token = (await readFile(join(dashboard.dataFolder, 'api-token'), 'utf8')).trim();
  await fill(createClient(dashboard.apiUrl, token));
}, 900_000);
afterAll(async () => {
  await dashboard.close();
  await rm(folder, { recursive: true, force: true });
}, 120_000);

async function open(options: BrowserContextOptions): Promise<Page> {
  storageState ??= await (await dashboard.open('/', administrator)).context().storageState();
  return dashboard.open('/', undefined, { storageState, ...options });
}

/** Makes something to see on every screen. */
async function fill(client: Client): Promise<void> {
  const template = await client.makeTemplate({
    ...streamsOf([240, 144]),
    outputs: [{ format: 'hls' }, { format: 'mp4', video: ['v240'] }],
    thumbnails: { poster: { at: '50%', width: 320 }, sprite: { interval: 1, width: 160 } },
  });
  const clip = await makeSourceClip(join(folder, 'Product tour.mp4'), { durationSeconds: 4, width: 426, height: 240 });
  const ready = await client.upload({ file: clip.file, template, partBytes: 16 * 2 ** 20 });
  await client.waitUntilDone(ready);
  const url = 'https://hooks.example.com/video';
  const webhook = await client.post<{ data: { ulid: string } }>('/api/webhooks', {
    name: 'Shop',
    url,
    events: ['video.completed'],
  });
  await client.post('/api/storages', {
    name: 'Archive',
    endpoint: 'https://s3.example.com',
    region: 'eu-central-1',
    bucket: 'media-archive',
    prefix: 'videos/',
    access_key_id: 'EXAMPLEKEYID',
    secret_access_key: 'secret-of-nobody',
  });
  Object.assign(paths, {
    video: `/videos/${ready}`,
    template: `/templates/${template}`,
    webhook: `/webhooks/${webhook.data.ulid}`,
  });
}

const screens = {
  videos: '/',
  video: '',
  upload: '/upload',
  imports: '/upload/url',
  storages: '/storages',
  templates: '/templates',
  template: '',
  'new-template': '/templates/new',
  webhooks: '/webhooks',
  webhook: '',
  usage: '/usage',
  account: '/account',
  administration: '/administration',
  users: '/administration/users',
  nodes: '/administration/nodes',
  'ssh-keys': '/administration/ssh-keys',
  queue: '/administration/queue',
  settings: '/administration/settings',
};

const looks = schemes.flatMap((colorScheme) => widths.map((width) => ({ colorScheme, width })));

test.each(looks)('the screens look as before at $width px, $colorScheme', async ({ colorScheme, width }) => {
  const page = await open({ colorScheme, viewport: { width, height: 900 } });
  const differences: string[] = [];
  for (const [name, path] of Object.entries(screens)) {
    await page.goto(paths[name] ?? path);
    await isLoaded(page);
    const picture = join(folder, `${name}-${width}-${colorScheme}.png`);
    await page.screenshot({ path: picture, fullPage: true });
    const kept = join(keptFolder, `${name}-${width}-${colorScheme}.webp`);
    if (process.env.KEEP_SCREENS) await keepPicture(picture, kept);
    const difference = await differenceOf(picture, kept, width);
    if (difference !== undefined) differences.push(`${name}: ${difference}`);
    expect(await faultsOf(page), name).toEqual([]);
  }
  expect(differences).toEqual([]);
});

test('a layout that broke is seen', async () => {
  const page = await open({ viewport: { width: 1440, height: 900 } });
  await page.goto(paths.video!);
  await isLoaded(page);
  await page.addStyleTag({ content: '.video-main { display: block }' });
  const picture = join(folder, 'broken.png');
  await page.screenshot({ path: picture, fullPage: true });
  expect(await differenceOf(picture, join(keptFolder, 'video-1440-light.webp'), 1440)).toBeDefined();
});

async function isLoaded(page: Page): Promise<void> {
  await page.locator('h1').waitFor();
  await page.waitForLoadState('networkidle');
  for (const loading of await page.getByText('Loading …').all()) await loading.waitFor({ state: 'detached' });
}
