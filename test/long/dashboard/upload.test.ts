import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answerWith, type Dashboard, faultsOf, looks, type Person, startDashboard } from './support/dashboard.ts';

/** Three parts. It is no video, which does not matter to an upload. */
const fileBytes = 40 * 2 ** 20;
const partOf = /[?&]partNumber=(\d+)/;

let dashboard: Dashboard;
let file: string;

beforeAll(async () => {
  dashboard = await startDashboard();
  file = `${dashboard.dataFolder}/large.mp4`;
  await writeFile(file, randomBytes(fileBytes));
}, 600_000);
afterAll(() => dashboard.close(), 120_000);

async function openUpload(person: Person, look = {}): Promise<Page> {
  const page = await dashboard.open('/upload', person, look);
  await page.getByRole('button', { name: 'MP4 download 720p' }).click();
  await page.getByLabel('Template').waitFor();
  return page;
}

async function chooseFile(page: Page): Promise<void> {
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Choose files' }).click(),
  ]);
  await chooser.setFiles(file);
}

/** Lets only the first part through until the returned function is called. */
async function holdLaterParts(page: Page): Promise<() => Promise<void>> {
  const isLater = (url: URL): boolean => Number(partOf.exec(url.search)?.[1] ?? 1) > 1;
  await page.route(isLater, (route) => (route.request().method() === 'PUT' ? undefined : route.continue()));
  return () => page.unroute(isLater);
}

describe.each(looks)('%s', (_, look) => {
  test('the screen has no faults without a template, with uploads, and with an error', async () => {
    const ada = await dashboard.createUser();
    const page = await dashboard.open('/upload', ada, look);
    await page.getByRole('button', { name: 'MP4 download 720p' }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'MP4 download 720p' }).click();
    await page.getByLabel('Template').waitFor();
    expect(await faultsOf(page)).toEqual([]);

    await answerWith(page, '/api/objstore/multipart', 422, { message: 'The filename field is too long.', errors: {} });
    await chooseFile(page);
    await page.getByText('The filename field is too long.').waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });
});

test('an upload is paused, and continues after a reload with the missing parts only', async () => {
  const ada = await dashboard.createUser();
  const page = await openUpload(ada);
  const release = await holdLaterParts(page);
  const firstPart = page.waitForResponse((response) => partOf.exec(response.url())?.[1] === '1');
  await chooseFile(page);
  await firstPart;
  await page.getByText('16.8 MB of 41.9 MB').waitFor();
  await page.getByRole('button', { name: 'Pause: large.mp4' }).click();
  await page.getByText('Paused').waitFor();
  expect(await faultsOf(page)).toEqual([]);

  page.once('dialog', (dialog) => dialog.accept());
  await page.reload();
  await release();
  await page.getByRole('heading', { name: 'Unfinished uploads' }).waitFor();
  expect(await faultsOf(page)).toEqual([]);
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'PUT') sent.push(partOf.exec(request.url())?.[1] ?? '');
  });
  await chooseFile(page);
  await page.getByRole('link', { name: 'large.mp4' }).waitFor();
  expect(sent.toSorted()).toEqual(['2', '3']);
});

test('an upload is cancelled, and one of another device is discarded', async () => {
  const ada = await dashboard.createUser();
  const page = await openUpload(ada);
  await holdLaterParts(page);
  await chooseFile(page);
  await page.getByRole('button', { name: 'Cancel: large.mp4' }).click();
  await expect.poll(async () => (await dashboard.call(ada, 'GET', '/api/uploads')).json.data).toEqual([]);

  const { json } = await dashboard.call(ada, 'GET', '/api/templates');
  const body = { filename: 'phone.mp4', type: 'video/mp4', metadata: { template: json.data[0].ulid } };
  await dashboard.call(ada, 'POST', '/api/objstore/multipart', body);
  await page.getByRole('button', { name: 'Discard: phone.mp4' }).click();
  await page.getByRole('button', { name: 'Discard: phone.mp4' }).waitFor({ state: 'detached' });
  expect((await dashboard.call(ada, 'GET', '/api/uploads')).json.data).toEqual([]);
});

test('a lost connection is shown and recovered, and an upload goes on by itself', async () => {
  const ada = await dashboard.createUser();
  const page = await openUpload(ada);
  await page.context().setOffline(true);
  await chooseFile(page);
  await page.getByText('The connection to the service is lost.').waitFor();
  await page.getByText('No connection. It continues by itself.').waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await page.context().setOffline(false);
  await page.getByRole('status').filter({ hasText: 'The connection is restored.' }).waitFor();
  await page.getByRole('link', { name: 'large.mp4' }).waitFor();
  expect(await page.getByText('The connection to the service is lost.').count()).toBe(0);
});

test('a tab reloads itself after a deployment, but not while it uploads', async () => {
  const ada = await dashboard.createUser();
  const page = await openUpload(ada);
  await page.evaluate('window.isOldPage = true');
  await holdLaterParts(page);
  await chooseFile(page);
  await page.getByRole('button', { name: 'Pause: large.mp4' }).click();
  await answerWith(page, '/app.json', 200, { build: 'another', registration: false });
  await page.evaluate('document.dispatchEvent(new Event("visibilitychange"))');
  await page.getByText('A new version of this page is available.').waitFor();
  expect(await faultsOf(page)).toEqual([]);

  await page.getByRole('button', { name: 'Cancel: large.mp4' }).click();
  await page.getByRole('button', { name: 'Cancel: large.mp4' }).waitFor({ state: 'detached' });
  await page.evaluate('document.dispatchEvent(new Event("visibilitychange"))');
  await expect.poll(() => page.evaluate('"isOldPage" in window').catch(() => true)).toBe(false);
});
