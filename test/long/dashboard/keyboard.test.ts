import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, createClient } from '../../journey/support/client.ts';
import { makeSourceClip } from '../../journey/support/source-clip.ts';
import { streamsOf } from '../../journey/support/templates.ts';
import { type Dashboard, faultsOf, hold, type Person, startDashboard } from './support/dashboard.ts';

const partBytes = 16 * 2 ** 20;

let dashboard: Dashboard;
let ada: Person;
let client: Client;
let template: string;
beforeAll(async () => {
  dashboard = await startDashboard();
  ada = await dashboard.createUser();
  client = createClient(dashboard.apiUrl, ada.token);
  template = await client.makeTemplate({ ...streamsOf([144, 108]), outputs: [{ format: 'hls', segment_duration: 2 }] });
}, 600_000);
afterAll(() => dashboard.close(), 120_000);

const inFocus = "document.activeElement.matches('body') ? 'body' : document.activeElement.textContent.trim()";

/**
 * Whether the control that has the focus is wholly behind another element, such as a header that stays in view. A link
 * may have several boxes, one in each line.
 */
const isHidden = `(() => {
  const points = [...document.activeElement.getClientRects()].flatMap(({ left, right, top, bottom }) =>
    [[left + 2, top + 2], [(left + right) / 2, (top + bottom) / 2], [right - 2, bottom - 2]]);
  return !points.some(([x, y]) => document.activeElement.contains(document.elementFromPoint(x, y)));
})()`;

describe.each([
  ['1440 × 900', { width: 1440, height: 900 }],
  ['1100 × 800', { width: 1100, height: 800 }],
  ['1440 × 900 at 200 %', { width: 720, height: 450 }],
])('at %s', (_, viewport) => {
  test('the header is in the way of no control that has the focus, and has the account beside the brand', async () => {
    const page = await dashboard.open('/templates/new', ada, { viewport });
    await page.getByRole('textbox', { name: 'Name' }).waitFor();
    await page.evaluate('scrollTo(0, document.body.scrollHeight)');
    await page.getByRole('button', { name: 'Create template' }).focus();
    const behind: string[] = [];
    for (let stop = 0; stop < 25; stop++) {
      await page.keyboard.press('Shift+Tab');
      if (await page.evaluate<boolean>("document.activeElement.closest('header') !== null")) break;
      if (await page.evaluate<boolean>(isHidden)) behind.push(await page.evaluate<string>(inFocus));
    }
    expect(behind).toEqual([]);
    const brand = await page.locator('.brand').boundingBox();
    const account = await page.locator('header .menu summary').boundingBox();
    // In one line, with the account at its end.
    expect(Math.abs(brand!.y + brand!.height / 2 - (account!.y + account!.height / 2))).toBeLessThan(10);
    expect(account!.x + account!.width).toBeGreaterThan(viewport.width - 60);
    expect(await faultsOf(page)).toEqual([]);
  });
});

test.each([320, 390, 1100, 1440])('at %i px the filters of the list stay in their columns', async (width) => {
  const page = await dashboard.open('/', ada, { viewport: { width, height: 800 } });
  await page.getByLabel('To', { exact: true }).waitFor();
  const wide = `[...document.querySelectorAll('.filters :is(input, select)')].filter((control) =>
    control.getBoundingClientRect().right > control.closest('.field').getBoundingClientRect().right + 1).length`;
  expect(await page.evaluate(wide)).toBe(0);
});

test('Escape closes the account menu, which has the focus again, and API calls are shown by choice', async () => {
  const page = await dashboard.open('/webhooks', ada);
  const menu = page.locator('header .menu');
  await menu.locator('summary').press('Enter');
  expect(await page.getByText('The same call with the API').count()).toBe(0);
  await menu.getByLabel('Show API calls').press('Space');
  await page.getByText('The same call with the API').waitFor();
  await page.keyboard.press('Escape');
  expect(await menu.getAttribute('open')).toBeNull();
  expect(await page.evaluate(inFocus)).toContain('Ada Example');
  await page.reload();
  await page.getByText('The same call with the API').waitFor();
});

test('on a narrow screen the navigation opens by its button, and a navigation closes it', async () => {
  const page = await dashboard.open('/', ada, { viewport: { width: 390, height: 800 } });
  const links = page.getByRole('navigation', { name: 'Main' });
  const button = page.getByRole('button', { name: 'Menu' });
  await button.waitFor();
  expect(await links.isVisible()).toBe(false);
  await button.press('Enter');
  expect(await button.getAttribute('aria-expanded')).toBe('true');
  expect(await faultsOf(page)).toEqual([]);
  await links.getByRole('link', { name: 'Templates' }).press('Enter');
  await page.getByRole('heading', { name: 'Templates', level: 1 }).waitFor();
  expect(await links.isVisible()).toBe(false);
});

test('the list says that it is loading, not that it is empty', async () => {
  const page = await dashboard.open('/webhooks', ada);
  const release = await hold(page, '/api/videos');
  await page.getByRole('link', { name: 'Videos' }).click();
  await page.getByText('Loading …').waitFor();
  expect(await page.getByText('0 videos').count()).toBe(0);
  expect(await page.getByText('Select all').count()).toBe(0);
  release();
  await page.getByText('Loading …').waitFor({ state: 'detached' });
});

test('after a deletion the focus is on the heading of the section, and Cancel has it before', async () => {
  const clip = await makeSourceClip(`${dashboard.dataFolder}/clip.mp4`, {
    durationSeconds: 2,
    width: 256,
    height: 144,
  });
  const ulid = await client.upload({ file: clip.file, template, partBytes });
  await client.waitUntilDone(ulid);
  const page = await dashboard.open(`/videos/${ulid}`, ada);
  await page.getByRole('button', { name: /^Delete: .*108/ }).press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  expect(await page.evaluate(inFocus)).toBe('Cancel');
  await dialog.getByRole('button', { name: 'Delete' }).press('Enter');
  await dialog.waitFor({ state: 'detached' });
  await expect.poll(() => page.evaluate(inFocus)).toBe('Renditions');
});

test('a file that is no video has a reason in the upload list, and advice that can be followed', async () => {
  const page = await dashboard.open('/upload', ada);
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Choose files' }).click(),
  ]);
  const buffer = Buffer.from('Dear Ada, this is no video.\n'.repeat(99));
  await chooser.setFiles({ name: 'letter.mp4', mimeType: 'video/mp4', buffer });
  await page.getByText('The file is not a video or audio file').waitFor();
  await page.getByRole('link', { name: 'letter.mp4' }).click();
  const notice = page.getByRole('alert');
  await notice.getByRole('link', { name: 'Upload another file' }).waitFor();
  expect(await notice.innerText()).toContain('It becomes another video.');
  expect(await page.getByRole('button', { name: 'Process again' }).count()).toBe(0);
  expect(await page.getByRole('button', { name: 'Add captions' }).count()).toBe(0);
  expect(await page.getByText('INPUT_NOT_MEDIA').count()).toBe(1);
  expect(await faultsOf(page)).toEqual([]);
});
