import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { startService } from '../../test/journey/support/service.ts';
import { findChromium } from '../../test/journey/uppy/find-chromium.ts';
import { median, type Row, row } from './row.ts';

const account = { email: 'admin@example.com', password: 'a long password' };
const listedVideos = 1000;
const scrolls = 60;
const emptyList = 'There are no videos yet';

/** Chromium's preset "Fast 4G". */
const fast4g = { offline: false, latency: 165, downloadThroughput: 1_012_500, uploadThroughput: 168_750 };
const cpuSlowdown = 4;

/** The list of videos on a slow device: time until it can be used, bytes, and long tasks while it is scrolled. */
export async function measureDashboard(repeats: number): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-dashboard-'));
  const service = await startService({ dataFolder: join(folder, 'data'), env: { ADMIN_PASSWORD: account.password } });
  const browser = await chromium.launch({ executablePath: await findChromium(), args: ['--no-sandbox'] });
  try {
    const visits = [];
    for (let repeat = 0; repeat < repeats; repeat += 1) visits.push(await visit(browser, service.apiUrl));
    const longestTaskMs = await longestTaskWhileScrolling(browser, service.apiUrl);
    return [
      row({
        name: `dashboard: interactive, ${cpuSlowdown} × slower CPU, Fast 4G`,
        value: median(visits.map(({ interactiveMs }) => interactiveMs)),
        baseline: median(visits.map(({ smallestResponseMs }) => smallestResponseMs)),
        unit: 'ms',
        atMost: 1500,
      }),
      row({
        name: 'dashboard: first view, as transferred',
        value: median(visits.map(({ bytes }) => bytes)) / 1000,
        unit: 'kB',
        atMost: 150,
      }),
      row({
        name: `dashboard: longest task while ${listedVideos} videos are scrolled`,
        value: longestTaskMs,
        unit: 'ms',
        atMost: 50,
      }),
    ];
  } finally {
    await browser.close();
    await service.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** The first frame after the list is in the document. To ask the page from here would slow it down. */
const noteWhenShown = `new MutationObserver((_, observer) => {
  if (!document.body?.innerText.includes('${emptyList}')) return;
  observer.disconnect();
  requestAnimationFrame(() => setTimeout(() => { window.shownMs = performance.now(); }));
}).observe(document, { childList: true, subtree: true });`;

/** A first visit with an empty cache, beside the smallest response that the service has. */
async function visit(browser: Browser, apiUrl: string) {
  const context = await signIn(browser, apiUrl);
  const page = await context.newPage();
  const protocol = await context.newCDPSession(page);
  await protocol.send('Network.enable');
  await protocol.send('Network.emulateNetworkConditions', fast4g);
  await protocol.send('Emulation.setCPUThrottlingRate', { rate: cpuSlowdown });
  await page.goto(`${apiUrl}/health`);
  const smallestResponseMs = await page.evaluate<number>('performance.getEntriesByType("navigation")[0].responseEnd');

  let bytes = 0;
  protocol.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  await page.addInitScript(noteWhenShown);
  await page.goto(apiUrl, { waitUntil: 'commit' });
  await page.getByText(emptyList).waitFor();
  const interactiveMs = await page.evaluate<number>('window.shownMs');
  await context.close();
  return { interactiveMs, smallestResponseMs, bytes };
}

async function signIn(browser: Browser, apiUrl: string): Promise<BrowserContext> {
  const context = await browser.newContext({ locale: 'en', viewport: { width: 1440, height: 900 } });
  const response = await context.request.post(`${apiUrl}/login`, { data: account });
  if (!response.ok()) throw new Error(`the sign-in answered ${response.status()}`);
  return context;
}

async function longestTaskWhileScrolling(browser: Browser, apiUrl: string): Promise<number> {
  const context = await signIn(browser, apiUrl);
  const page = await context.newPage();
  await page.route(/\/api\/videos\?/, (route) => {
    const { searchParams } = new URL(route.request().url());
    return route.fulfill({
      json: videoPage(Number(searchParams.get('page') ?? 1), Number(searchParams.get('per_page'))),
    });
  });
  await page.goto(apiUrl);
  await showAll(page);
  await page.evaluate(`
    window.longest = 0;
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration);
    }).observe({ type: 'longtask' });
  `);
  await page.mouse.move(700, 500);
  for (let scroll = 0; scroll < scrolls; scroll += 1) {
    await page.mouse.wheel(0, 1500);
    await page.waitForTimeout(50);
  }
  const longest = await page.evaluate<number>('window.longest');
  await context.close();
  return longest;
}

async function showAll(page: Page): Promise<void> {
  const rows = page.locator('.video-row');
  await rows.first().waitFor();
  for (let shown = await rows.count(); shown < listedVideos; shown = await rows.count()) {
    await page.getByRole('button', { name: 'Show more' }).click();
    await rows.nth(shown).waitFor();
  }
}

/** A page of a list as the API answers it. */
function videoPage(page: number, perPage: number) {
  const first = (page - 1) * perPage;
  return {
    data: Array.from({ length: perPage }, (_, index) => videoAt(first + index)),
    meta: { current_page: page, last_page: listedVideos / perPage, per_page: perPage, total: listedVideos },
  };
}

const videoAt = (index: number) => ({
  id: index + 1,
  ulid: `01K9Z3P6M8N9P0Q1R2S3T${String(index).padStart(5, '0')}`,
  name: `Recording ${index} of the conference.mp4`,
  status: 'completed',
  duration: 600 + index,
  aspect_ratio: '16:9',
  thumbnail_path: null,
  poster_url: null,
  playback: 'signed',
  template_id: 1,
  streams: [{ type: 'original', size: 1_000_000 * (index + 1) }],
  externalUserId: null,
  externalResourceId: null,
  created_at: '2026-11-20T10:00:00.000000Z',
});
