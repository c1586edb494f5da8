import { readFile } from 'node:fs/promises';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { keys } from '../../../functions/table/items/keys.ts';
import { type Account, openAccount } from '../../journey/support/account.ts';
import {
  administrator,
  answerWith,
  type Dashboard,
  faultsOf,
  hold,
  looks,
  type Person,
  startDashboard,
} from './support/dashboard.ts';

let dashboard: Dashboard;
let account: Account;
beforeAll(async () => {
  dashboard = await startDashboard();
  account = await openAccount(dashboard.dataFolder);
}, 600_000);
afterAll(async () => {
  account.close();
  await dashboard.close();
}, 120_000);

const rows = [
  ['2024-02-28', 'upload_bytes', null, 2_000_000],
  ['2024-02-29', 'upload_bytes', 'ada, "the first"', 3_000_000],
  ['2024-02-29', 'encoding_cpu', 'ada, "the first"', 90_000],
  ['2026-03-01', 'encoding_cpu', '=1+1', 30_000],
] as const;

/** Writes sums as uploads, encoding and viewers would have on these days. */
async function storeUsage(person: Person): Promise<void> {
  const { ulid } = (await dashboard.call(person, 'GET', '/api/me')).json;
  for (const [date, metric, externalUserId, value] of rows) {
    const key = keys.usage(ulid, date, metric, externalUserId, { number: 0 });
    const Item = { ...key, kind: 'usage', date, metric, externalUserId, value };
    await account.table.send(new PutCommand({ TableName: account.bucket, Item }));
  }
  const [date, externalUserId] = ['2024-02-29', 'ada, "the first"'];
  const key = keys.usage(ulid, date, 'viewing', externalUserId, { number: 0 });
  const Item = { ...key, kind: 'viewing', date, externalUserId, views: 7 };
  await account.table.send(new PutCommand({ TableName: account.bucket, Item }));
}

const figure = (page: Page, title: string) => page.getByRole('region', { name: title, exact: true });
const total = (page: Page, title: string, shown: string) =>
  figure(page, title)
    .locator('.figure-total', { hasText: new RegExp(`^${shown}$`) })
    .waitFor();

test('any range has totals, charts, tables, sums per external user and a CSV file', async () => {
  const ada = await dashboard.createUser();
  await storeUsage(ada);
  const page = await dashboard.open('/usage', ada);
  await page.getByText('No usage in this time').waitFor();
  expect(await faultsOf(page)).toEqual([]);

  // More than two years are several requests.
  await page.getByLabel('From', { exact: true }).fill('2024-02-01');
  await page.getByLabel('To', { exact: true }).fill('2026-03-31');
  await page.waitForURL(/from=2024-02-01&to=2026-03-31/);
  const uploads = figure(page, 'Uploaded');
  await total(page, 'Uploaded', '5 MB');
  await total(page, 'CPU time of results', '2 min');
  const chart = uploads.getByRole('img');
  expect(await chart.getAttribute('aria-label')).toBe(
    'Uploaded per day: 5 MB in total, at most 3 MB, on Feb 29, 2024.',
  );
  await chart.locator('canvas').waitFor();
  // The chart follows a window that becomes narrower.
  await page.setViewportSize({ width: 844, height: 800 });
  await page.setViewportSize({ width: 390, height: 800 });
  await expect.poll(() => page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  await page.setViewportSize({ width: 1280, height: 720 });
  await uploads.getByText('As a table').click();
  await uploads
    .getByRole('row', { name: /Feb 29, 2024/ })
    .getByText('3 MB')
    .waitFor();
  expect(await faultsOf(page)).toEqual([]);

  const users = figure(page, 'By external user');
  expect(await users.getByRole('row').allInnerTexts()).toEqual([
    expect.stringContaining('External user'),
    expect.stringMatching(/^ada, "the first"\s+7\s+0 sec\s+0 bytes\s+0 bytes\s+3 MB\s+1.5 min$/),
    expect.stringMatching(/^=1\+1\s+0\s+0 sec\s+0 bytes\s+0 bytes\s+0 bytes\s+30 sec$/),
    expect.stringMatching(/^without external user\s+0\s+0 sec\s+0 bytes\s+0 bytes\s+2 MB\s+0 sec$/),
  ]);

  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download CSV' }).click();
  const file = await download;
  expect(file.suggestedFilename()).toBe('usage-2024-02-01-2026-03-31.csv');
  expect(await readFile(await file.path(), 'utf8')).toBe(
    [
      '\uFEFFdate,metric,external_user_id,value',
      '2024-02-28,upload_bytes,,2000000',
      '2024-02-29,encoding_cpu,"ada, ""the first""",90',
      '2024-02-29,upload_bytes,"ada, ""the first""",3000000',
      '2024-02-29,views,"ada, ""the first""",7',
      "2026-03-01,encoding_cpu,'=1+1,30",
      '',
    ].join('\r\n'),
  );
});

test('the range is in the address, and dates that are no range are kept with a message', async () => {
  const ada = await dashboard.createUser();
  await storeUsage(ada);
  const page = await dashboard.open('/usage?from=2024-02-29&to=2024-02-29', ada);
  await total(page, 'Uploaded', '3 MB');
  await page.getByLabel('To', { exact: true }).fill('2024-02-01');
  await page.getByText('The first date must not be after the last.').waitFor();
  expect(await page.getByLabel('From', { exact: true }).getAttribute('aria-invalid')).toBe('true');
  expect(page.url()).toContain('to=2024-02-29');
  expect(await faultsOf(page)).toEqual([]);
  await page.getByLabel('7 days').check();
  await page.waitForURL(/range=7$/);
  await page.getByText('No usage in this time').waitFor();
  expect(await page.getByText('must not be after').count()).toBe(0);
  // The arrow keys choose, as among all radio buttons.
  await page.getByLabel('7 days').press('ArrowRight');
  await page.waitForURL(/range=30$/);
});

test('an administrator chooses a user or the whole service', async () => {
  const ada = await dashboard.createUser('Grace Example');
  await storeUsage(ada);
  const page = await dashboard.open('/usage?from=2024-02-28&to=2024-02-29', administrator);
  await page.getByText('No usage in this time').waitFor();
  await page.getByLabel('User', { exact: true }).selectOption({ label: `Grace Example (${ada.email})` });
  await total(page, 'Uploaded', '5 MB');
  expect(page.url()).toMatch(/user=\d+/);
  await page.reload();
  await total(page, 'Uploaded', '5 MB');
  expect(await faultsOf(page)).toEqual([]);

  const series = ['2024-02-28', '2024-02-29'];
  await answerWith(page, '/api/analytics', 200, {
    data: {
      from: series[0],
      to: series[1],
      bandwidth: { total_bytes: 3e9, series: series.map((date, index) => ({ date, bytes: 1e9 * (index + 1) })) },
      sessions: { total: 41, series: series.map((date, index) => ({ date, count: 20 + index })) },
      views: { total: 31, series: series.map((date, index) => ({ date, count: 15 + index })) },
      watched: { total_seconds: 5400, series: series.map((date) => ({ date, seconds: 2700 })) },
      top_videos: {
        from: series[0],
        videos: [
          { ulid: '01K9Z3Q8V7N4T2M6X5C0R1B2D3', name: 'Tour', views: 30, watched_seconds: 5000, delivered_bytes: 2e9 },
          { ulid: '01K9Z3Q8V7N4T2M6X5C0R1B2D4', name: null, views: 1, watched_seconds: 400, delivered_bytes: 1e9 },
        ],
      },
      encoding: {
        videos_completed: 2,
        videos_failed: 0,
        cpu_seconds: 7200,
        series: series.map((date) => ({ date, cpu_seconds: 3600, completed: 1, failed: 0 })),
      },
    },
  });
  await page.getByLabel('User', { exact: true }).selectOption({ label: 'The whole service' });
  await total(page, 'Traffic of playback', '3 GB');
  await total(page, 'Sessions of links', '41');
  await total(page, 'Views', '31');
  await total(page, 'Watch time', '1.5 hr');
  expect(await figure(page, 'Most watched videos').getByRole('row').allInnerTexts()).toEqual([
    expect.stringContaining('Video'),
    expect.stringMatching(/^Tour\s+30\s+1.4 hr\s+2 GB$/),
    expect.stringMatching(/^Deleted video 01K9Z3Q8V7N4T2M6X5C0R1B2D4\s+1\s+6.7 min\s+1 GB$/),
  ]);
  await total(page, 'CPU time of all attempts', '2 hr');
  expect(await faultsOf(page)).toEqual([]);
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download CSV' }).click();
  expect(await readFile(await (await download).path(), 'utf8')).toContain(
    '2024-02-29,2000000000,21,1,0,3600,16,2700\r\n',
  );

  await page.unrouteAll();
  await page.goto('/usage?user=all&range=7');
  await figure(page, 'Sessions of links').getByRole('img').locator('canvas').waitFor();
  expect(await faultsOf(page)).toEqual([]);
});

test('other users see their own usage only', async () => {
  const page = await dashboard.open('/usage?user=1', await dashboard.createUser());
  await page.getByText('No usage in this time').waitFor();
  expect(await page.getByLabel('User', { exact: true }).count()).toBe(0);
});

describe('states', () => {
  test('while it loads, when the service fails, and after another attempt', async () => {
    const page = await dashboard.open('/account', await dashboard.createUser());
    const release = await hold(page, '/api/usage');
    await page.getByRole('link', { name: 'Usage', exact: true }).click();
    await page.getByText('Loading …').first().waitFor();
    expect(await faultsOf(page)).toEqual([]);
    release();
    await page.getByText('No usage in this time').waitFor();
    await answerWith(page, '/api/usage', 500);
    await page.getByLabel('7 days').check();
    await page.getByText('The service has a problem.').waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('No usage in this time').waitFor();
  });

  test.each(looks)('%s', async (_, look) => {
    const ada = await dashboard.createUser();
    await storeUsage(ada);
    const page = await dashboard.open('/usage?from=2024-02-01&to=2024-03-31', ada, look);
    await figure(page, 'Uploaded').getByRole('img').locator('canvas').waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });

  test('in German', async () => {
    const ada = await dashboard.createUser();
    await storeUsage(ada);
    const page = await dashboard.open('/usage?from=2024-02-29&to=2024-02-29', ada, { locale: 'de-DE' });
    await total(page, 'Hochgeladen', '3 MB');
    expect(await faultsOf(page)).toEqual([]);
  });
});
