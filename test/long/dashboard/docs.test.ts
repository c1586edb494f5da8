import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Frame, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Client, signUp } from '../../journey/support/client.ts';
import { collectErrors, findFaults } from '../../journey/support/find-faults.ts';
import { type Service, startService } from '../../journey/support/service.ts';
import { findChromium } from '../../journey/uppy/find-chromium.ts';

let folder: string;
let service: Service;
let browser: Browser;
let client: Client;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'docs-'));
  service = await startService({ dataFolder: join(folder, 'data') });
  client = await signUp(service.apiUrl);
  browser = await chromium.launch({ executablePath: await findChromium(), args: ['--no-sandbox', '--disable-gpu'] });
}, 600_000);
afterAll(async () => {
  await browser?.close();
  await service?.stop();
  await rm(folder, { recursive: true, force: true });
}, 120_000);

test.each<BrowserContextOptions>([
  { viewport: { width: 390, height: 800 }, colorScheme: 'light' },
  { viewport: { width: 390, height: 800 }, colorScheme: 'dark' },
  { viewport: { width: 1440, height: 900 }, colorScheme: 'light' },
  { viewport: { width: 1440, height: 900 }, colorScheme: 'dark' },
])('a request is tried out with a token: %o', async (look) => {
  const { page, viewer, errors } = await openDocs(look);
  const expectNoFaults = async () => {
    expect([...(await findFaults(page)), ...(await findFaults(viewer)), ...errors]).toEqual([]);
    expect(await viewer.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
  };
  await expectNoFaults();

  const made = viewer.locator('[id$="-createEmbedToken"]');
  await made.locator('.opblock-summary-control').click();
  await made.locator('textarea').waitFor();
  await expectNoFaults();

  await viewer.getByRole('button', { name: 'Authorize' }).first().click();
  const token = viewer.getByRole('textbox', { name: 'API token' });
  expect(await viewer.evaluate("document.activeElement?.getAttribute('aria-label')")).toBe('API token');
  await token.fill(client.token);
  await expectNoFaults();
  await token.press('Enter');
  await viewer.getByRole('heading', { name: 'Authorized' }).waitFor();
  await expectNoFaults();
  await viewer.locator('.close-modal').click();

  const filter = viewer.getByPlaceholder('Filter by tag');
  await filter.fill('embed token');
  await viewer.locator('[id$="-listVideos"]').waitFor({ state: 'detached' });
  await viewer.locator('[id$="-createEmbedToken"]').waitFor();
  await expectNoFaults();
  await filter.fill('');

  const listed = viewer.locator('[id$="-listVideos"]');
  await listed.locator('.opblock-summary-control').click();
  await listed.getByRole('button', { name: 'Execute' }).click();
  const status = listed.locator('.live-responses-table tbody .response-col_status');
  await status.waitFor();
  expect((await status.innerText()).trim()).toBe('200');
  await expectNoFaults();
});

test('the viewer reaches neither the session of the browser nor the network', async () => {
  const { page, viewer } = await openDocs({});
  await page.context().addCookies([{ name: 'session', value: 'secret', url: service.apiUrl }]);
  const outcome = (code: string) => viewer.evaluate<string>(`(async () => ${code})().then(String, ({ name }) => name)`);
  expect(await viewer.evaluate('origin')).toBe('null');
  expect(await outcome('document.cookie')).toBe('SecurityError');
  expect(await outcome('localStorage.length')).toBe('SecurityError');
  expect(await outcome('parent.document')).toBe('SecurityError');
  expect(await outcome("(await fetch('/api/openapi.json')).status")).toBe('TypeError');

  const sent: (string | undefined)[] = [];
  page.on('request', async (request) => {
    if (new URL(request.url()).pathname === '/api/me') sent.push((await request.allHeaders()).cookie);
  });
  const answered = page.waitForResponse((response) => new URL(response.url()).pathname === '/api/me');
  await viewer.evaluate("parent.postMessage({ id: 1e6, url: '/api/me', method: 'GET', headers: {} }, '*')");
  expect((await answered).status()).toBe(401);
  await expect.poll(() => sent).toEqual([undefined]);
});

async function openDocs(look: BrowserContextOptions): Promise<{ page: Page; viewer: Frame; errors: string[] }> {
  const context = await browser.newContext({ locale: 'en-US', reducedMotion: 'reduce', ...look });
  context.setDefaultTimeout(240_000);
  const page = await context.newPage();
  const errors = collectErrors(page);
  await page.goto(`${service.apiUrl}/docs`);
  await page.frameLocator('iframe').locator('.opblock').first().waitFor();
  return { page, viewer: page.frames()[1]!, errors };
}
