import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClient } from '../../journey/support/client.ts';
import { makeSourceClip } from '../../journey/support/source-clip.ts';
import { hlsOf } from '../../journey/support/templates.ts';
import {
  answerWith,
  type Dashboard,
  faultsOf,
  type Json,
  looks,
  type Person,
  startDashboard,
} from './support/dashboard.ts';

let dashboard: Dashboard;
let person: Person;
let ulid: string;

beforeAll(async () => {
  dashboard = await startDashboard();
  person = await dashboard.createUser();
  const clip = await makeSourceClip(`${dashboard.dataFolder}/clip.mp4`, {
    durationSeconds: 3,
    width: 256,
    height: 144,
  });
  const client = createClient(dashboard.apiUrl, person.token);
  const template = await client.makeTemplate(hlsOf([144]));
  ulid = await client.upload({ file: clip.file, template, partBytes: 16 * 2 ** 20 });
  await client.waitUntilDone(ulid);
}, 900_000);
afterAll(() => dashboard.close(), 120_000);

const series = (name: string, values: number[]) =>
  values.map((value, index) => ({ date: `2026-11-0${index + 1}`, [name]: value }));
const distribution = (bounds: number[], counts: number[], median: number | null, p95: number | null) => ({
  count: counts.reduce((sum, count) => sum + count, 0),
  median,
  p95,
  buckets: bounds.map((from, index) => ({ from, to: bounds[index + 1] ?? null, count: counts[index] ?? 0 })),
});
const unknown = distribution([0, 1], [0, 0], null, null);

const analytics: Json = {
  from: '2026-11-01',
  to: '2026-11-03',
  views: { total: 12, series: series('count', [2, 0, 10]) },
  watched: { total_seconds: 600, series: series('seconds', [100, 0, 500]) },
  delivered: { total_bytes: 3e6, series: series('bytes', [1e6, 0, 2e6]) },
  audience: { duration_seconds: 100, reached: Array.from({ length: 100 }, (_, index) => (index < 50 ? 12 : 3)) },
  playback: {
    startup_ms: distribution([0, 500, 1000], [6, 4, 2], 500, 1900),
    rebuffering_share: distribution([0, 0.01], [11, 1], 0.005, 0.02),
    bitrate_kbps: distribution([0, 1000], [2, 10], 1800, 3000),
    errors: distribution([0, 1, 2], [11, 1, 0], 0.5, 1),
  },
};
const withAnalytics = async (page: Page, data: Json): Promise<void> => {
  await answerWith(page, /^\/api\/videos\/\w+\/analytics$/, 200, { data });
  await page.goto(`/videos/${ulid}`);
};
const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

test('a video that nobody has watched says what to do', async () => {
  const page = await dashboard.open(`/videos/${ulid}`, person);
  await page.getByText('No views in this time').waitFor();
  await page.getByText('Share a link to the video or embed it.').waitFor();
  expect(await faultsOf(page)).toEqual([]);
});

test('a video has its views by day, its audience and the quality of playback, each also as text', async () => {
  const page = await dashboard.open('/usage', person);
  await withAnalytics(page, analytics);
  const views = region(page, 'Views');
  expect(await views.getByRole('img').getAttribute('aria-label')).toBe(
    'Views per day: 12 in total, at most 10, on Nov 3, 2026.',
  );
  await region(page, 'Watch time').getByText('10 min', { exact: true }).first().waitFor();

  const audience = region(page, 'Where viewers stopped');
  expect(await audience.getByRole('img').getAttribute('aria-label')).toBe(
    'Playbacks along the video: 12 at its beginning, 3 in the middle, 3 at its end.',
  );
  // With the keyboard.
  await audience.getByText('As a table').press('Enter');
  const rows = await audience.getByRole('row').allInnerTexts();
  expect(rows).toHaveLength(11);
  expect(rows[1]).toMatch(/^0:00 to 0:10\s+12\s+100%$/);
  expect(rows[10]).toMatch(/^1:30 to 1:40\s+3\s+25%$/);

  const quality = region(page, 'Quality of playback');
  expect((await quality.getByRole('row').allInnerTexts()).slice(1, 4)).toEqual([
    expect.stringMatching(/^Time until the first picture\s+0.5 sec\s+1.9 sec\s+12$/),
    expect.stringMatching(/^Share of time spent waiting\s+0.5%\s+2%\s+12$/),
    expect.stringMatching(/^Bitrate\s+1.8 Mbit\/s\s+3 Mbit\/s\s+12$/),
  ]);
  await quality.getByText('1 of 12 playbacks reported an error.').waitFor();
  await quality.getByText('Distributions').press('Enter');
  await quality.getByText('1 sec and more').waitFor();
  expect(await faultsOf(page)).toEqual([]);

  const asked = page.waitForRequest(/analytics\?from=.*&to=/);
  await page.getByLabel('7 days').press('ArrowLeft');
  await asked;
});

test('without a report of a player, the quality says so', async () => {
  const page = await dashboard.open('/usage', person);
  const playback = { startup_ms: unknown, rebuffering_share: unknown, bitrate_kbps: unknown, errors: unknown };
  await withAnalytics(page, { ...analytics, playback });
  await page.getByText('No player has reported how playback was.').waitFor();
  expect(await faultsOf(page)).toEqual([]);
});

test.each([...looks, ['German, 390 px', { locale: 'de-DE', viewport: { width: 390, height: 800 } }] as const])(
  '%s',
  async (_, look) => {
    const page = await dashboard.open('/usage', person, look);
    await withAnalytics(page, analytics);
    await page.getByRole('img').locator('canvas').first().waitFor();
    expect(await faultsOf(page)).toEqual([]);
  },
);
