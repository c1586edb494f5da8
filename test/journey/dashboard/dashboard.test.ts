import { readFile } from 'node:fs/promises';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, onTestFailed, test } from 'vitest';
import { findFaults } from '../support/find-faults.ts';
import { findChromium } from '../uppy/find-chromium.ts';

const clip = inject('clip');
const apiUrl = inject('apiUrl');
const password = 'correct horse battery';
const hostileName = '<img src=x onerror="window.attacked = true">.mp4';

let browser: Browser;

beforeAll(async () => {
  browser = await chromium.launch({ executablePath: await findChromium(), args: ['--no-sandbox', '--disable-gpu'] });
});

afterAll(() => browser.close());

type Tab = { page: Page; context: BrowserContext; problems: string[] };

/** A page of a browser without cookies. It notes what scripts and the content security policy report. */
async function openTab(): Promise<Tab> {
  const context = await browser.newContext({ locale: 'en', permissions: ['clipboard-read', 'clipboard-write'] });
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  onTestFailed(async () => console.log(`The page showed:\n${await page.locator('body').innerText()}`));
  const problems: string[] = [];
  page.on('pageerror', ({ message }) => problems.push(message));
  page.on('console', (message) => {
    // The first request asks whether somebody is signed in, and the video is asked for until the event has made it.
    if (message.type() === 'error' && !/status of 40[14]/.test(message.text())) problems.push(message.text());
  });
  return { page, context, problems };
}

async function signUp({ page }: Tab, name: string): Promise<void> {
  await page.goto(apiUrl);
  await page.getByRole('button', { name: 'Create an account' }).click();
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Email').fill(`${crypto.randomUUID()}@example.com`);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByLabel('Repeat the password').fill(password);
  await page.getByLabel('Repeat the password').press('Enter');
  await page.getByRole('heading', { name: 'Videos', level: 1 }).waitFor();
}

test('a user signs up, uploads by file chooser and by drop, plays, shares a link, and deletes', async () => {
  const tab = await openTab();
  const { page } = tab;
  await signUp(tab, 'Ada');
  await page.getByText('There are no videos yet').waitFor();
  expect(await findFaults(page)).toEqual([]);

  await page.getByRole('link', { name: 'Upload a video' }).click();
  await page.getByRole('button', { name: 'MP4 download 720p' }).click();
  await page.getByLabel('Template').waitFor();
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Choose files' }).click(),
  ]);
  await chooser.setFiles({ name: 'chosen.mp4', mimeType: 'video/mp4', buffer: await readFile(clip.file) });
  await dropFile(page, hostileName);
  // A row becomes a link when the event of the store has made the video.
  await page.getByRole('link', { name: 'chosen.mp4' }).waitFor();
  await page.getByRole('link', { name: hostileName }).waitFor();
  expect(await findFaults(page)).toEqual([]);

  await page.getByRole('link', { name: 'chosen.mp4' }).click();
  await page.getByRole('heading', { name: 'chosen.mp4', level: 1 }).waitFor();
  await page.getByRole('button', { name: 'Copy link: MP4 (file)' }).waitFor();
  expect(await findFaults(page)).toEqual([]);
  await playByKeyboard(page);

  await page.getByRole('button', { name: 'Copy link: MP4 (file)' }).click();
  const link = await page.evaluate<string>('navigator.clipboard.readText()');
  const elsewhere = await browser.newContext();
  expect((await elsewhere.request.get(link, { headers: { range: 'bytes=0-99' } })).status()).toBe(206);
  await elsewhere.close();

  await anotherUserSeesNothing(new URL(page.url()).pathname);

  await page.getByRole('button', { name: 'Delete', exact: true }).first().click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('heading', { name: 'Videos', level: 1 }).waitFor();
  await page.getByRole('link', { name: hostileName }).waitFor();
  expect(await page.getByRole('link', { name: 'chosen.mp4' }).count()).toBe(0);
  // The search begins after a pause, in which another filter is set.
  await page.getByLabel('Search names').fill('chosen');
  await page.getByLabel('Status').selectOption('running');
  await page.waitForURL((url) => url.search === '?q=chosen&status=running');
  expect(await findFaults(page)).toEqual([]);
  expect(await page.evaluate('"attacked" in window')).toBe(false);
  expect(tab.problems).toEqual([]);
  await tab.context.close();
});

/** Drops a file on the page, as a browser does with a file of the desktop. */
async function dropFile(page: Page, name: string): Promise<void> {
  const bytes = (await readFile(clip.file)).toString('base64');
  const transfer = await page.evaluateHandle(`(() => {
    const transfer = new DataTransfer();
    const content = Uint8Array.from(atob('${bytes}'), (character) => character.charCodeAt(0));
    transfer.items.add(new File([content], ${JSON.stringify(name)}, { type: 'video/mp4' }));
    return transfer;
  })()`);
  await page.getByRole('region', { name: 'Add files' }).dispatchEvent('drop', { dataTransfer: transfer });
}

async function playByKeyboard(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Play/ }).first().focus();
  await page.keyboard.press('Enter');
  await expect.poll(() => page.evaluate('document.querySelector("video")?.currentTime')).toBeGreaterThan(0.5);
  expect(await page.evaluate('document.querySelector("video").videoWidth')).toBeGreaterThan(0);
}

async function anotherUserSeesNothing(path: string): Promise<void> {
  const tab = await openTab();
  await signUp(tab, 'Bob');
  await tab.page.getByText('There are no videos yet').waitFor();
  await tab.page.goto(apiUrl + path);
  await tab.page.getByRole('heading', { name: 'This page does not exist' }).waitFor();
  expect(tab.problems).toEqual([]);
  await tab.context.close();
}
