import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type Behaviour, type HostileStore, startHostileStore } from '../../fixtures/servers/hostile-store.ts';
import { createClient } from '../../journey/support/client.ts';
import { makeSourceClip } from '../../journey/support/source-clip.ts';
import { streamsOf } from '../../journey/support/templates.ts';
import { answerWith, type Dashboard, faultsOf, looks, startDashboard } from './support/dashboard.ts';

let dashboard: Dashboard;
let store: HostileStore;
/** How the store of the customer deviates. */
let behave: (operation: string) => Behaviour | undefined = () => undefined;

beforeAll(async () => {
  store = await startHostileStore('films', ({ operation }) => behave(operation));
  dashboard = await startDashboard();
}, 600_000);
afterAll(async () => {
  await dashboard?.close();
  await store?.close();
}, 120_000);

const file = { body: Buffer.from('not a video, which the service finds out later'), headers: {} };

test('a file in a storage is imported, and one that is not there is explained', async () => {
  const ada = await dashboard.createUser();
  await dashboard.call(ada, 'POST', '/api/template-presets/mp4-720p/adopt');
  const page = await dashboard.open('/upload', ada);
  const dialog = page.getByRole('dialog');
  const row = (name: string) => page.locator('.ingest-list > li').filter({ hasText: name });
  await page.getByRole('link', { name: 'From a URL or a storage' }).click();
  await page.getByRole('button', { name: 'Import from a storage' }).press('Enter');
  await dialog.getByText('There are no storages yet').waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Cancel' }).click();

  await dashboard.call(ada, 'POST', '/api/storages', { ...fields, endpoint: store.endpoint, ...keys });
  store.objects.set('videos/holiday.mp4', file);
  await page.getByRole('button', { name: 'Import from a storage' }).click();
  expect(await dialog.getByLabel('Key', { exact: true }).inputValue()).toBe('videos/');
  await dialog.getByLabel('Key', { exact: true }).fill('other/holiday.mp4');
  await dialog.getByRole('button', { name: 'Import', exact: true }).click();
  await dialog.locator('.field-errors').waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await dialog.getByLabel('Key', { exact: true }).fill('videos/holiday.mp4');
  await dialog.getByLabel('File name').press('Enter');
  await row('holiday.mp4').getByText('Stored').waitFor();
  await row('holiday.mp4').getByText('from Archive: videos/holiday.mp4').waitFor();

  await page.getByRole('button', { name: 'Import from a storage' }).click();
  await dialog.getByLabel('Key', { exact: true }).fill('videos/gone.mp4');
  await dialog.getByRole('button', { name: 'Import', exact: true }).click();
  await row('gone.mp4').getByText('Failed').waitFor();
  expect(await faultsOf(page)).toEqual([]);
  store.objects.clear();
}, 600_000);

test('all files below a prefix are imported, and an import is stopped while the files are listed', async () => {
  const ada = await dashboard.createUser();
  await dashboard.call(ada, 'POST', '/api/template-presets/mp4-720p/adopt');
  await dashboard.call(ada, 'POST', '/api/storages', { ...fields, endpoint: store.endpoint, ...keys });
  for (const key of ['videos/2026/a.mp4', 'videos/2026/b.mp4', 'videos/other.mp4']) store.objects.set(key, file);
  const page = await dashboard.open('/upload/url', ada);
  const dialog = page.getByRole('dialog');
  const batches = page.getByRole('region', { name: 'Imports of all files below a prefix' });
  const start = async (prefix: string): Promise<void> => {
    await page.getByRole('button', { name: 'Import from a storage' }).click();
    await dialog.getByLabel('What to import').selectOption({ label: 'All files below a prefix' });
    expect(await dialog.getByLabel('Prefix').inputValue()).toBe('videos/');
    await dialog.getByLabel('Prefix').fill(prefix);
    // Without a template, which has to be loaded first, nothing can be imported.
    await dialog.locator('button[type=submit]:enabled').waitFor();
    await dialog.getByLabel('Prefix').press('Enter');
  };
  await start('other/');
  await dialog.locator('.field-errors').waitFor();
  expect(await dialog.getByLabel('Prefix').getAttribute('aria-invalid')).toBe('true');
  await dialog.getByLabel('Files at most').fill('many');
  expect(await faultsOf(page)).toEqual([]);
  await dialog.getByLabel('Prefix').fill('videos/2026/');
  await dialog.getByRole('button', { name: 'Import', exact: true }).click();
  await dialog.locator('.field-errors').waitFor();
  expect(await dialog.getByLabel('Files at most').getAttribute('aria-invalid')).toBe('true');
  await dialog.getByLabel('Files at most').fill('');
  await dialog.getByLabel('Prefix').press('Enter');
  await batches.getByText('Archive: videos/2026/').waitFor();
  await batches.getByText('2 imports, 2 stored').waitFor();
  await page.locator('.ingest-list > li').filter({ hasText: 'b.mp4' }).getByText('Stored').waitFor();
  expect(await faultsOf(page)).toEqual([]);

  behave = (operation) => (operation === 'list' ? 'busy' : undefined);
  await start('videos/');
  await batches.getByRole('button', { name: 'Stop: Archive: videos/' }).press('Enter');
  await dialog.getByText('No more files are imported. Those that are in the list go on.').waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Stop', exact: true }).click();
  await batches.getByText('Stopped').waitFor();
  behave = () => undefined;
  store.objects.clear();
}, 600_000);

const fields = { name: 'Archive', region: 'us-east-1', bucket: 'films', prefix: 'videos/' };
const keys = { access_key_id: 'KEY', secret_access_key: 'SECRET' };

test('a storage is added, tested, changed and deleted', async () => {
  const ada = await dashboard.createUser();
  const page = await dashboard.open('/', ada);
  const dialog = page.getByRole('dialog');
  await page.getByRole('link', { name: 'Storages' }).click();
  await page.getByText('There are no storages yet').waitFor();
  expect(await faultsOf(page)).toEqual([]);

  // By the keyboard. What is wrong is said at its field, and nothing that was typed is lost.
  await page.getByRole('button', { name: 'Add storage' }).press('Enter');
  await dialog.getByLabel('Name', { exact: true }).press('A');
  await page.keyboard.type('rchive');
  await page.keyboard.press('Tab');
  await page.keyboard.type('MinIO');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.type('not a URL');
  await page.keyboard.press('Tab');
  await page.keyboard.type('films');
  await page.keyboard.press('Tab');
  await page.keyboard.type('videos');
  await page.keyboard.press('Enter');
  await dialog.getByText('Enter a complete URL').waitFor();
  expect(await dialog.getByText('This is required.').count()).toBeGreaterThan(0);
  expect(await dialog.getByLabel('Prefix').inputValue()).toBe('videos');
  expect(await faultsOf(page)).toEqual([]);

  // It is tried at once, and the step that fails says what to do.
  behave = (operation) => (operation === 'put' ? 'forbidden' : undefined);
  await dialog.getByLabel('Address', { exact: true }).fill(store.endpoint);
  await dialog.getByLabel('Access key', { exact: true }).fill(keys.access_key_id);
  await dialog.getByLabel('Secret', { exact: true }).fill(keys.secret_access_key);
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await dialog.getByRole('heading', { name: 'Test Archive' }).waitFor();
  await dialog.getByText('The access key or the role may not do this.').waitFor();
  expect(await dialog.getByText('Not tried').count()).toBe(3);
  expect(await faultsOf(page)).toEqual([]);
  behave = () => undefined;
  await dialog.getByRole('button', { name: 'Test again' }).press('Enter');
  await dialog.getByText('The storage works.').waitFor();
  expect(await dialog.getByText('Works', { exact: true }).count()).toBe(5);
  expect(store.objects.size).toBe(0);
  await dialog.getByRole('button', { name: 'Close' }).click();

  // The secret is not in the page, and stays when the field for it is empty.
  await page.getByText('s3://films/videos/').waitFor();
  expect(await page.content()).not.toContain(keys.secret_access_key);
  await page.getByRole('button', { name: 'Edit: Archive' }).click();
  expect(await dialog.getByLabel('Secret', { exact: true }).inputValue()).toBe('');
  await dialog.getByLabel('Name', { exact: true }).fill('Films');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Test: Films' }).click();
  await dialog.getByText('The storage works.').waitFor();
  expect(store.calls.at(-1)?.headers.authorization).toContain('Credential=KEY/');
  await dialog.getByRole('button', { name: 'Close' }).click();

  await page.getByRole('button', { name: 'Delete: Films' }).click();
  await dialog.getByRole('heading', { name: 'Delete Films?' }).waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('There are no storages yet').waitFor();
  expect(await faultsOf(page)).toEqual([]);
}, 600_000);

test('the files of a video are copied to a storage, and again after a failure', async () => {
  const ada = await dashboard.createUser();
  const client = createClient(dashboard.apiUrl, ada.token);
  const folder = await mkdtemp(join(tmpdir(), 'storages-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const template = await client.makeTemplate({
    ...streamsOf([144]),
    outputs: [
      { name: 'hls', format: 'hls' },
      { name: 'mp4', format: 'mp4' },
    ],
  });
  const clip = await makeSourceClip(join(folder, 'tour.mp4'), { durationSeconds: 2, width: 256, height: 144 });
  const ulid = await client.upload({ file: clip.file, template, partBytes: 16 * 2 ** 20 });
  await client.waitUntilDone(ulid);
  const page = await dashboard.open(`/videos/${ulid}`, ada);
  const card = page.getByRole('region', { name: 'Deliveries to storages' });
  const dialog = page.getByRole('dialog');
  await page.getByRole('heading', { name: 'Outputs' }).waitFor();
  expect(await card.count()).toBe(0);

  await dashboard.call(ada, 'POST', '/api/storages', { ...fields, endpoint: store.endpoint, ...keys });
  await page.reload();
  await card.getByText('The files of this video were not copied').waitFor();
  await card.getByRole('button', { name: 'Copy to a storage' }).press('Enter');
  await dialog.getByText('Files go to s3://films/videos/{ulid}/{output}/').waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await dialog.getByLabel('Path').fill('{output}/');
  await dialog.getByRole('button', { name: 'Copy', exact: true }).click();
  await dialog.getByText('Give folders such as').waitFor();
  expect(await dialog.getByLabel('Path').getAttribute('aria-invalid')).toBe('true');
  await dialog.getByLabel('Path').fill('web/{ulid}/{output}/');
  await dialog.getByLabel('All outputs').uncheck();
  await dialog.getByLabel('hls', { exact: true }).uncheck();
  await dialog.getByLabel('Metadata').check();
  behave = (operation) => (operation === 'put' ? 'forbidden' : undefined);
  await dialog.getByLabel('Path').press('Enter');
  await card.getByText('Failed', { exact: true }).waitFor();
  await card.getByText('STORAGE_REFUSED').waitFor();
  expect(await faultsOf(page)).toEqual([]);

  behave = () => undefined;
  store.objects.clear();
  await card.getByRole('button', { name: 'Copy again: Archive, web/{ulid}/{output}/' }).click();
  await card.getByText('Copied', { exact: true }).waitFor();
  expect(await card.getByRole('row').nth(1).innerText()).toMatch(/Archive.*web.*Copied.*2/s);
  expect([...store.objects.keys()].toSorted()).toEqual([
    `videos/web/${ulid}/metadata.json`,
    expect.stringContaining(`videos/web/${ulid}/mp4/`),
  ]);
  expect(await faultsOf(page)).toEqual([]);
  store.objects.clear();
}, 900_000);

test('a failed list is told, but the storage works', async () => {
  const ada = await dashboard.createUser();
  await dashboard.call(ada, 'POST', '/api/storages', { ...fields, endpoint: store.endpoint, ...keys });
  behave = (operation) => (operation === 'list' ? 'forbidden' : undefined);
  const page = await dashboard.open('/storages', ada);
  await page.getByRole('button', { name: 'Test: Archive' }).click();
  // It is announced outside of the dialog too.
  await page.getByRole('dialog').getByText('The storage works.').waitFor();
  await page.getByText('Only imports of several files need this.').waitFor();
  behave = () => undefined;
});

test('without roles on one machine the form says so, and the policy follows what is typed', async () => {
  const ada = await dashboard.createUser();
  const page = await dashboard.open('/storages', ada);
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'Add storage' }).click();
  await dialog.getByLabel('Name', { exact: true }).fill('Archive');
  await dialog.getByLabel('Bucket', { exact: true }).fill('films');
  await dialog.getByLabel('Prefix').fill('videos');
  await dialog.getByText('Policy with the least permissions').click();
  await dialog.getByText('arn:aws:s3:::films/videos/*').waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await dialog.getByLabel('Access', { exact: true }).selectOption('role');
  await dialog.getByLabel('Role', { exact: true }).fill('arn:aws:iam::111122223333:role/media');
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await dialog.getByText('Roles need a service that runs on AWS.').waitFor();
  expect(await faultsOf(page)).toEqual([]);
});

test.for(looks)('deliveries are right at %s, also of a storage that is deleted', async ([, look]) => {
  const ada = await dashboard.createUser();
  const page = await dashboard.open('/', ada, { ...look, locale: 'de-DE' });
  await answerWith(page, '/api/storages', 200, { data: [role] });
  await answerWith(page, `/api/videos/${role.ulid}`, 200, { data: failedVideo });
  await answerWith(page, `/api/videos/${role.ulid}/deliveries`, 200, { data: deliveries });
  await page.goto(`/videos/${role.ulid}`);
  const card = page.getByRole('region', { name: 'Auslieferungen in Speicher' });
  await card.getByText('Unbekannter Speicher').waitFor();
  await card.getByRole('progressbar', { name: 'Fortschritt der Kopie nach Films' }).waitFor();
  await card.getByText('Der Besitzer des Videos hat diesen Speicher nicht').waitFor();
  // A video that is not completed has nothing to copy.
  expect(await card.getByRole('button', { name: 'kopieren' }).count()).toBe(0);
  expect(await faultsOf(page)).toEqual([]);
});

test('while the storages are not loaded, none of them is called unknown', async () => {
  const ada = await dashboard.createUser();
  const page = await dashboard.open('/', ada);
  await answerWith(page, '/api/storages', 500);
  await answerWith(page, `/api/videos/${role.ulid}`, 200, { data: failedVideo });
  await answerWith(page, `/api/videos/${role.ulid}/deliveries`, 200, { data: deliveries });
  await page.goto(`/videos/${role.ulid}`);
  const card = page.getByRole('region', { name: 'Deliveries to storages' });
  for (const { storage } of deliveries) await card.getByRole('rowheader', { name: storage }).waitFor();
  expect(await card.getByText('Unknown storage').count()).toBe(0);

  const added = await dashboard.call(ada, 'POST', '/api/storages', { ...fields, endpoint: store.endpoint, ...keys });
  const storage = added.json.data.ulid;
  const query = { ...streamsOf([144]), outputs: [{ name: 'mp4', format: 'mp4' }], deliver: [{ storage }] };
  const template = await dashboard.call(ada, 'POST', '/api/templates', { name: 'Web', query });
  await page.goto(`/templates/${template.json.data.ulid}`);
  const choice = page.getByLabel('Storage', { exact: true });
  await choice.waitFor();
  expect(await choice.getByRole('option').allInnerTexts()).toEqual([storage]);
});

test.for(looks)('storages are right at %s', async ([, look]) => {
  const ada = await dashboard.createUser();
  const page = await dashboard.open('/storages', ada, look);
  const dialog = page.getByRole('dialog');
  await answerWith(page, '/api/storages', 200, { data: [role, { ...role, ...keyed }] });
  await page.reload();
  await page.getByText('1 template, 2 running imports').waitFor();
  expect(await faultsOf(page)).toEqual([]);

  await page.getByRole('button', { name: `Delete: ${keyed.name}` }).click();
  await dialog.getByText('It is used by: 1 template, 2 running imports.').waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Close' }).click();

  await page.getByRole('button', { name: `Policies: ${role.name}` }).click();
  await dialog.getByText('"sts:ExternalId": "external1"').waitFor();
  await dialog.getByText('Policy with the least permissions').click();
  expect(await faultsOf(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Copy: Trust policy' }).click();
  await expect.poll(() => page.evaluate<string>('navigator.clipboard.readText()')).toContain('sts:AssumeRole');
  await dialog.getByRole('button', { name: 'Close' }).click();

  await answerWith(page, /\/test$/, 200, { data: { ok: false, steps: refused } });
  await page.getByRole('button', { name: `Test: ${role.name}` }).click();
  await dialog.getByText('AWS did not let the service assume the role.').waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Edit' }).click();
  await dialog.getByLabel('Role', { exact: true }).waitFor();
  expect(await faultsOf(page)).toEqual([]);
});

const role = {
  ulid: '01K9Z3P6M8N9P0Q1R2S3T4V5W6',
  name: 'Films',
  kind: 's3',
  endpoint: null,
  region: 'eu-central-1',
  bucket: 'films',
  prefix: 'videos/',
  path_style: false,
  access_key_id: null,
  role_arn: `arn:aws:iam::111122223333:role/${'long'.repeat(20)}`,
  external_id: 'external1',
  trusted_account: '444455556666',
  used_by: { templates: 0, deliveries: 0, ingests: 0 },
  created_at: '2026-11-22T10:00:00.000000Z',
  updated_at: '2026-11-22T10:00:00.000000Z',
};
const failedVideo = {
  aspect_ratio: null,
  clip: null,
  created_at: '2026-11-22T10:00:00.000000Z',
  duration: null,
  expires_at: null,
  externalResourceId: null,
  externalUserId: null,
  id: 1,
  metadata: {},
  name: 'Holiday.mov',
  outputs: [],
  picture: null,
  playable_at: null,
  playback: 'signed',
  replace_error: null,
  source_video: null,
  status: 'failed',
  streams: [],
  tags: [],
  template: null,
  template_id: 1,
  thumbnail_path: null,
  tracks: null,
  ulid: role.ulid,
};
const delivery = {
  video_ulid: role.ulid,
  path: `films/${'long'.repeat(20)}/{ulid}/{output}/`,
  outputs: '*',
  also: [],
  files: 10_000,
  files_copied: 1200,
  bytes: 2_000_000_000,
  bytes_copied: 300_000_000,
  error: null,
  created_at: '2026-11-22T10:00:00.000000Z',
  started_at: '2026-11-22T10:00:01.000000Z',
  finished_at: null,
};
const deliveries = [
  { ...delivery, ulid: '01K9Z3P6M8N9P0Q1R2S3T4V5W8', storage: role.ulid, status: 'running' },
  {
    ...delivery,
    ulid: '01K9Z3P6M8N9P0Q1R2S3T4V5W9',
    storage: '01K9Z3P6M8N9P0Q1R2S3T4V5WA',
    status: 'failed',
    files: null,
    files_copied: 0,
    bytes: null,
    bytes_copied: 0,
    error:
      'STORAGE_GONE: The owner of the video has no such storage. It was deleted, or the video has another owner now.',
  },
];
const keyed = {
  ulid: '01K9Z3P6M8N9P0Q1R2S3T4V5W7',
  name: 'Archive '.repeat(20).trim(),
  endpoint: 'https://abc.r2.cloudflarestorage.com',
  prefix: `${'long'.repeat(40)}/`,
  access_key_id: 'KEY',
  role_arn: null,
  used_by: { templates: 1, deliveries: 0, ingests: 2 },
};
const refused = [{ step: 'open', ok: false, code: 'role_refused', message: 'AWS did not let the service.' }];
