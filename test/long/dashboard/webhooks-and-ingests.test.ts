import { randomBytes } from 'node:crypto';
import type { Page } from 'playwright-core';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openReceiver } from '../../fixtures/servers/open-receiver.ts';
import { type SourceHandler, type SourceServer, serveFile, startSource } from '../../fixtures/servers/source-server.ts';
import { answerWith, type Dashboard, faultsOf, looks, type Person, startDashboard } from './support/dashboard.ts';

let dashboard: Dashboard;
let receiver: Awaited<ReturnType<typeof openReceiver>>;
let source: SourceServer;
let handle: SourceHandler;

beforeAll(async () => {
  [receiver, source] = await Promise.all([openReceiver(), startSource((...call) => handle(...call))]);
  dashboard = await startDashboard();
}, 600_000);
afterAll(async () => {
  await dashboard?.close();
  await Promise.all([receiver?.close(), source?.close()]);
}, 120_000);

const dialogOf = (page: Page) => page.getByRole('dialog');

/** Creates a webhook for all events by the dialog. Returns its secret. */
async function createWebhook(page: Page, name: string, url: string): Promise<string> {
  await page.getByRole('button', { name: 'New webhook' }).click();
  const dialog = dialogOf(page);
  await dialog.getByLabel('Name', { exact: true }).fill(name);
  await dialog.getByLabel('URL', { exact: true }).fill(url);
  expect(await dialog.getByLabel('video.completed').isChecked()).toBe(true);
  expect(await dialog.getByLabel('node.failed').count()).toBe(0);
  await dialog.getByLabel('All events').check();
  await dialog.getByRole('button', { name: 'Create', exact: true }).click();
  return takeSecret(page);
}

async function takeSecret(page: Page): Promise<string> {
  const dialog = dialogOf(page);
  const secret = await dialog.getByRole('figure', { name: 'Secret' }).innerText();
  expect(secret).toMatch(/^whsec_/);
  expect(await faultsOf(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Copy secret' }).click();
  await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(secret);
  await dialog.getByRole('button', { name: 'I have copied it' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(await page.content()).not.toContain(secret);
  return secret;
}

async function chooseTemplate(person: Person): Promise<void> {
  const { status } = await dashboard.call(person, 'POST', '/api/template-presets/mp4-720p/adopt');
  expect(status).toBe(201);
}

test('a webhook is created, tested, sent to again, changed, rotated and deleted', async () => {
  const ada = await dashboard.createUser();
  const page = await dashboard.open('/webhooks', ada);
  const dialog = dialogOf(page);
  await page.getByText('There are no webhooks yet').waitFor();
  expect(await faultsOf(page)).toEqual([]);

  // What is wrong is said at its field, and nothing that was typed is lost.
  await page.getByRole('button', { name: 'New webhook' }).click();
  await dialog.getByLabel('Name', { exact: true }).fill('Shop');
  await dialog.getByLabel('URL', { exact: true }).fill('not a URL');
  await dialog.getByRole('button', { name: 'Create', exact: true }).click();
  await dialog.getByText('Enter a complete URL').waitFor();
  expect(await dialog.getByLabel('Name', { exact: true }).inputValue()).toBe('Shop');
  expect(await faultsOf(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Cancel' }).click();

  const secret = await createWebhook(page, 'Shop', receiver.url);
  await page.getByRole('link', { name: 'Shop', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Shop' }).waitFor();
  await page.getByText('Nothing was sent yet').waitFor();
  expect(await faultsOf(page)).toEqual([]);

  // A test event.
  await page.getByRole('button', { name: 'Send test event' }).click();
  const row = page.locator('.delivery-list > li');
  await row.getByText('Delivered').waitFor();
  await row.locator('summary').first().click();
  await row.getByText('HTTP 204').waitFor();
  expect(await faultsOf(page)).toEqual([]);
  const [received] = receiver.requests;
  expect(new Webhook(secret).verify(received!.body, received!.headers)).toMatchObject({ type: 'webhook.test' });

  // It is sent again, with the same id; the response is shown.
  receiver.answer.respond = (response) => response.writeHead(200).end('accepted <b>again</b>');
  await row.getByRole('button', { name: 'Send again: webhook.test' }).click();
  await row.getByText('accepted <b>again</b>').waitFor();
  await row.getByText('2 attempts').waitFor();
  const ids = receiver.requests.map(({ headers }) => headers['webhook-id']);
  expect(ids).toEqual([ids[0], ids[0]]);

  // Filters.
  await page.getByLabel('Status', { exact: true }).selectOption('exhausted');
  await page.getByText('No delivery matches').waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await row.waitFor();

  // All that failed.
  await page.getByRole('button', { name: 'Send failed events again' }).click();
  await dialog.getByRole('button', { name: 'Send again' }).click();
  await dialog.getByText('No event has failed since then.').waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Close' }).click();

  // The secret is rotated: both sign.
  await page.getByRole('button', { name: 'Rotate secret' }).click();
  await dialog.getByText('For 24 hours').waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Rotate secret' }).click();
  const rotated = await takeSecret(page);
  await page.getByRole('button', { name: 'Send test event' }).click();
  await expect.poll(() => receiver.requests.length).toBe(3);
  const { body, headers } = receiver.requests.at(-1)!;
  for (const known of [secret, rotated]) new Webhook(known).verify(body, headers);
  await expect.poll(() => row.count()).toBe(2);

  // More deliveries than the list shows at first.
  const ulid = new URL(page.url()).pathname.split('/').at(-1);
  await Promise.all(Array.from({ length: 26 }, () => dashboard.call(ada, 'POST', `/api/webhooks/${ulid}/test`)));
  await expect.poll(() => row.count()).toBe(25);
  await page.getByRole('button', { name: 'Show more' }).click();
  await expect.poll(() => row.count()).toBe(28);
  expect(await page.getByRole('button', { name: 'Show more' }).count()).toBe(0);

  // It is switched off and on.
  await page.getByRole('button', { name: 'Edit' }).click();
  await dialog.getByLabel('Active').uncheck();
  expect(await faultsOf(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('This webhook is off.').waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await page.getByRole('button', { name: 'Switch on' }).click();
  await page.getByText('This webhook is off.').waitFor({ state: 'detached' });

  await page.getByRole('button', { name: 'Delete' }).click();
  await dialog.getByRole('heading', { name: 'Delete Shop?' }).waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('There are no webhooks yet').waitFor();
}, 600_000);

test('a file is fetched from a URL, one that cannot be is explained, and both are removed', async () => {
  const ada = await dashboard.createUser();
  await chooseTemplate(ada);
  const page = await dashboard.open('/upload', ada);
  const dialog = dialogOf(page);
  const row = (name: string) => page.locator('.ingest-list > li').filter({ hasText: name });
  await page.getByRole('link', { name: 'From a URL' }).click();
  await page.getByText('There are no imports yet').waitFor();
  expect(await faultsOf(page)).toEqual([]);

  const file = serveFile(randomBytes(100_000));
  handle = (request, response) =>
    request.url?.includes('gone') ? void response.writeHead(404).end() : file(request, response, 1);
  await page.getByRole('button', { name: 'Import from a URL' }).click();
  await dialog.getByLabel('Template').waitFor();
  await dialog.getByLabel('URL', { exact: true }).fill('ftp://media.example.com/holiday.mp4');
  await dialog.getByLabel('File name').fill('sea.mp4');
  await dialog.getByRole('button', { name: 'Import', exact: true }).click();
  await dialog.locator('.field-errors').waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await dialog.getByLabel('URL', { exact: true }).fill(source.url('holiday.mp4'));
  await dialog.getByRole('button', { name: 'Import', exact: true }).click();
  await row('sea.mp4').getByText('Stored').waitFor();
  await row('sea.mp4').getByText('100 kB').waitFor();
  await row('sea.mp4').getByText('from 127.0.0.1').waitFor();

  await page.getByRole('button', { name: 'Import from a URL' }).click();
  await dialog.getByLabel('URL', { exact: true }).fill(source.url('gone.mp4'));
  await dialog.getByRole('button', { name: 'Import', exact: true }).click();
  await row('gone.mp4').getByText('Failed').waitFor();
  await row('gone.mp4').getByText('it answered with status 404').waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await page.getByRole('button', { name: 'Remove: gone.mp4' }).click();
  await dialog.getByRole('button', { name: 'Remove' }).click();
  await row('gone.mp4').waitFor({ state: 'detached' });

  await page.getByRole('link', { name: 'Show the video: sea.mp4' }).click();
  await page.getByRole('heading', { level: 1, name: 'sea.mp4' }).waitFor();
}, 600_000);

test('an ingest that runs shows its progress and is cancelled', async () => {
  const ada = await dashboard.createUser();
  await chooseTemplate(ada);
  // It never ends.
  handle = (_, response) => void response.writeHead(200, { 'content-length': 1e9 }).write(Buffer.alloc(1e6));
  const { json } = await dashboard.call(ada, 'GET', '/api/templates');
  const metadata = { template: json.data[0].ulid };
  await dashboard.call(ada, 'POST', '/api/ingests', { url: source.url('endless.mp4'), metadata });
  const page = await dashboard.open('/upload/url', ada);
  await page.getByRole('progressbar', { name: 'Progress of endless.mp4' }).waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await page.getByRole('button', { name: 'Cancel: endless.mp4' }).click();
  await dialogOf(page).getByRole('heading', { name: 'Cancel the import of endless.mp4?' }).waitFor();
  await dialogOf(page).getByRole('button', { name: 'Cancel the import' }).click();
  await page.getByText('There are no imports yet').waitFor();
}, 600_000);

test.for(looks)('deliveries and ingests are right at %s', async ([, look]) => {
  const ada = await dashboard.createUser();
  const input = { name: 'Shop', url: receiver.url, events: ['video.completed', 'output.failed'] };
  const { json } = await dashboard.call(ada, 'POST', '/api/webhooks', input);
  receiver.answer.respond = (response) => response.writeHead(500).end('x'.repeat(600));
  await dashboard.call(ada, 'POST', `/api/webhooks/${json.data.ulid}/test`);
  const page = await dashboard.open(`/webhooks/${json.data.ulid}`, ada, look);
  const row = page.locator('.delivery-list > li');
  await row.getByText('Failed').waitFor();
  await row.locator('summary').first().click();
  await row.getByText('HTTP 500').waitFor();
  expect(await faultsOf(page)).toEqual([]);

  await answerWith(page, '/api/webhooks', 500);
  await page.getByRole('link', { name: 'All webhooks' }).click();
  await page.getByRole('alert').waitFor();
  expect(await faultsOf(page)).toEqual([]);

  const data = [{ ...ingest, ulid: `${ingest.ulid.slice(0, -1)}7`, status: 'fetching', error: null }, ingest];
  const meta = { current_page: 1, last_page: 1, per_page: 15, total: 2 };
  await answerWith(page, '/api/ingests', 200, { data, meta });
  await page.goto('/upload/url');
  await page.getByText('The server of the URL does not send the file').waitFor();
  expect(await faultsOf(page)).toEqual([]);
});

const ingest = {
  ulid: '01K9Z3P6M8N9P0Q1R2S3T4V5W6',
  url: `https://media.example.com/${'long'.repeat(60)}.mp4`,
  storage: null,
  key: null,
  filename: `${'long'.repeat(60)}.mp4`,
  status: 'failed',
  size: 1e9,
  bytes_received: 2e8,
  error: 'INPUT_UNREACHABLE: The server of the URL closed the connection.',
  created_at: '2026-11-22T10:00:00.000000Z',
  finished_at: null,
};
