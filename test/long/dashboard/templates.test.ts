import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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
beforeAll(async () => {
  dashboard = await startDashboard();
}, 600_000);
afterAll(() => dashboard.close(), 120_000);

const adopt = async (person: Person, slug: string, name: string): Promise<string> =>
  (await dashboard.call(person, 'POST', `/api/template-presets/${slug}/adopt`, { name })).json.data.ulid;

const storedQuery = async (person: Person, ulid: string) =>
  (await dashboard.call(person, 'GET', `/api/templates/${ulid}`)).json.data.query;

const json = (page: Page) => page.getByRole('textbox', { name: 'Settings as JSON' });
const saved = (page: Page) => page.locator('[role=status]', { hasText: 'Saved.' }).waitFor();

test('a preset becomes a template that is changed in the form and in JSON, and keeps what the form does not show', async () => {
  const ada = await dashboard.createUser();
  const page = await dashboard.open('/templates', ada);
  await page.getByText('No templates yet').waitFor();
  expect(await faultsOf(page)).toEqual([]);

  await page.getByRole('button', { name: 'Use preset HLS H.264 fixed ladder' }).click();
  const dialog = page.getByRole('dialog');
  expect(await faultsOf(page)).toEqual([]);
  await dialog.getByLabel('Name').fill('<img src=x onerror=alert(1)>');
  await dialog.getByRole('button', { name: 'Create template' }).click();
  await page.getByRole('heading', { level: 1, name: '<img src=x onerror=alert(1)>' }).waitFor();
  const ulid = page.url().split('/').at(-1)!;
  const before = await storedQuery(ada, ulid);
  expect(await page.getByLabel('Bitrate of rendition 2').inputValue()).toBe('2800k');
  expect(await faultsOf(page)).toEqual([]);

  await page.getByLabel('Bitrate of rendition 2').fill('2500k');
  await page.getByLabel('MPEG-DASH').check();
  await page.getByLabel('Frame rate at most').selectOption('30');
  await page.getByRole('button', { name: 'Remove rendition v360' }).click();
  await page.getByRole('tab', { name: 'JSON' }).click();
  expect(await faultsOf(page)).toEqual([]);
  const shown = JSON.parse(await json(page).inputValue());
  expect(shown).toEqual({
    ...before,
    video: before.video.slice(0, 3).map((entry: object, index: number) => ({
      ...entry,
      fps: 30,
      ...(index === 1 && { bitrate: '2500k' }),
    })),
    outputs: [...before.outputs, { name: 'dash', format: 'dash', segment_duration: 6 }],
  });

  await json(page).fill(JSON.stringify({ ...shown, chunk_duration: 20 }));
  await page.getByRole('tab', { name: 'JSON' }).press('ArrowLeft');
  await page.getByLabel('Encoder preset').selectOption('fast');
  await page.getByLabel('Name', { exact: true }).fill('Web');
  await page.getByRole('button', { name: 'Save' }).click();
  await saved(page);
  await page.getByRole('heading', { level: 1, name: 'Web' }).waitFor();
  expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
  const stored = await storedQuery(ada, ulid);
  expect(stored).toMatchObject({ chunk_duration: 20, thumbnails: before.thumbnails });
  expect(stored.video.map(({ preset }: { preset: string }) => preset)).toEqual(['fast', 'fast', 'fast']);
  await page.reload();
  await page.getByRole('button', { name: 'Save' }).waitFor();
  expect(await page.getByLabel('Encoder preset').inputValue()).toBe('fast');
});

test('a new template is made with the form', async () => {
  const ada = await dashboard.createUser();
  const page = await dashboard.open('/templates', ada);
  await page.getByRole('link', { name: 'New template' }).click();
  await page.getByLabel('Largest rendition').selectOption('720');
  await page.getByLabel('Video codec').selectOption('hevc');
  await page.getByLabel('Audio tracks').selectOption({ label: 'Main track (default)' });
  await page.getByRole('button', { name: 'Create template' }).click();
  await page.getByText('This is required.').waitFor();
  expect(await page.getByLabel('Name', { exact: true }).getAttribute('aria-invalid')).toBe('true');
  expect(await faultsOf(page)).toEqual([]);
  await page.getByLabel('Name', { exact: true }).fill('Small');
  await page.getByRole('button', { name: 'Create template' }).click();
  await page.getByRole('heading', { level: 1, name: 'Small' }).waitFor();
  const stored = await storedQuery(ada, page.url().split('/').at(-1)!);
  expect(stored).toMatchObject({ ladder: { codec: 'hevc', max_height: 720 }, outputs: [{ format: 'hls' }] });
  // The default is left out.
  expect(stored.audio).toEqual([{ name: 'stereo', codec: 'aac', bitrate: '128k', channels: 2 }]);
});

test('the form sets how bitrates are chosen and whether sources are copied, says what that does, and keeps it', async () => {
  const ada = await dashboard.createUser();
  const page = await dashboard.open('/templates/new', ada);
  const bitrates = page.getByLabel('Bitrates of the renditions');
  const copies = page.getByLabel('Sources that already fit');
  const note = page.getByRole('region', { name: 'Preview' }).getByText('for a source that can be copied');
  expect([await bitrates.inputValue(), await copies.inputValue()]).toEqual(['quality', '']);
  await bitrates.selectOption({ label: 'The same for all videos (default)' });
  await page.getByText('the usual bitrate of its size, also if').waitFor();
  await copies.selectOption('auto');
  await page.getByText('becomes the rendition of its size unchanged').waitFor();
  await note.waitFor();
  await page.getByLabel('Video codec').selectOption('hevc');
  await page.getByText('This has no effect here').waitFor();
  expect(await note.count()).toBe(0);
  expect(await faultsOf(page)).toEqual([]);
  await page.getByLabel('Video codec').selectOption('h264');
  await page.getByLabel('Name', { exact: true }).fill('Copies');
  await page.getByRole('button', { name: 'Create template' }).click();
  await page.getByRole('heading', { level: 1, name: 'Copies' }).waitFor();
  await page.getByLabel('Largest rendition').selectOption('720');
  await page.getByRole('button', { name: 'Save' }).click();
  await saved(page);
  expect(await storedQuery(ada, page.url().split('/').at(-1)!)).toMatchObject({
    copy: 'auto',
    ladder: { codec: 'h264', max_height: 720, max_renditions: 5 },
  });
  await page.reload();
  await page.getByRole('button', { name: 'Save' }).waitFor();
  expect([await bitrates.inputValue(), await copies.inputValue()]).toEqual(['', 'auto']);
});

test('the preview shows what the template makes of a source, and finds errors while the query is edited', async () => {
  const ada = await dashboard.createUser();
  const page = await dashboard.open(`/templates/${await adopt(ada, 'hls-h264-fixed', 'Web')}`, ada);
  const preview = page.getByRole('region', { name: 'Preview' });
  const row = (name: string) => preview.getByRole('row', { name: new RegExp(`^${name} `) });
  await row('v1080').getByText('1920 × 1080, 30 fps').waitFor();
  await row('v360').getByText('800 kbit/s').waitFor();
  await preview.getByText(/^\$0\.0/).waitFor();
  expect(await faultsOf(page)).toEqual([]);

  await preview.getByLabel('Source').selectOption({ label: '1280 × 720, 25 fps, 1 hour' });
  await row('v720').getByText('1280 × 720, 25 fps').waitFor();
  expect(await row('v1080').count()).toBe(0);
  await preview.getByLabel('Source').selectOption({ label: 'Other numbers' });
  await preview.getByLabel('Height').fill('x');
  await preview.getByText('Enter a number.').waitFor();
  await preview.getByLabel('Height').fill('360');
  await preview.getByLabel('Width').fill('640');
  await row('v360').getByText('640 × 360, 25 fps').waitFor();
  await preview.getByLabel('Length in seconds').fill('100000000');
  await preview.locator('.field-errors').waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await preview.getByLabel('Length in seconds').fill('60');

  await page.getByLabel('Bitrate of rendition 4').fill('slow');
  await page.getByText('Give a bitrate such as').waitFor();
  await preview.getByText('Correct the errors to see').waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await page.getByLabel('Bitrate of rendition 4').fill('500k');
  await row('v360').getByText('500 kbit/s').waitFor();
});

describe('errors', () => {
  test('of the service are at the fields, and in JSON at their lines', async () => {
    const ada = await dashboard.createUser();
    const page = await dashboard.open(`/templates/${await adopt(ada, 'hls-h264-fixed', 'Web')}`, ada);
    const bitrate = page.getByLabel('Bitrate of rendition 1');
    await bitrate.fill('fast');
    await page.getByLabel('Segment length in seconds').fill('5');
    await page.getByRole('tab', { name: 'JSON' }).click();
    const query = JSON.parse(await json(page).inputValue());
    const invalid = { ...query, thumbnails: { poster: { at: 'later' } } };
    await json(page).fill(JSON.stringify(invalid, undefined, 2));
    await page.getByRole('tab', { name: 'Form' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Give a bitrate such as').waitFor();
    expect(await bitrate.getAttribute('aria-invalid')).toBe('true');
    expect(await bitrate.inputValue()).toBe('fast');
    await page.getByText('Correct these settings in the tab JSON:').waitFor();
    await page.getByText('thumbnails.poster.at').waitFor();
    expect(await faultsOf(page)).toEqual([]);

    await page.getByRole('tab', { name: 'JSON' }).click();
    await page.getByRole('listitem').filter({ hasText: 'thumbnails.poster.at' }).getByRole('button').click();
    const selected = await page.evaluate<string>(
      '(({ value, selectionStart, selectionEnd }) => value.slice(selectionStart, selectionEnd))(document.activeElement)',
    );
    expect(selected).toBe('"later"');
    expect(await faultsOf(page)).toEqual([]);

    // The structure is right now, so the service finds what is wrong between the keys.
    await json(page).fill(JSON.stringify({ ...invalid, thumbnails: undefined, video: query.video.slice(1) }));
    await page.getByRole('tab', { name: 'Form' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Give a whole multiple of the gop').waitFor();
    expect(await page.getByLabel('Segment length in seconds').getAttribute('aria-invalid')).toBe('true');
    await page.getByLabel('Segment length in seconds').fill('4');
    await page.getByRole('button', { name: 'Save' }).click();
    await saved(page);
  });

  test('of the JSON text are shown, and the text is kept', async () => {
    const ada = await dashboard.createUser();
    const page = await dashboard.open('/templates/new', ada);
    await page.getByRole('tab', { name: 'JSON' }).click();
    await json(page).fill('{ "outputs": ');
    await page.getByText('This is not a JSON object').waitFor();
    expect(await json(page).getAttribute('aria-invalid')).toBe('true');
    expect(await page.getByRole('button', { name: 'Create template' }).isDisabled()).toBe(true);
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole('tab', { name: 'Form' }).click();
    await page.getByText('The text in the tab JSON is not a JSON object.').waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole('tab', { name: 'JSON' }).click();
    expect(await json(page).inputValue()).toBe('{ "outputs": ');
  });

  test('a template that an upload refers to is not deleted, and the dialog says why', async () => {
    const ada = await dashboard.createUser();
    const ulid = await adopt(ada, 'mp4-720p', 'In use');
    const body = { filename: 'a.mp4', metadata: { template: ulid } };
    const { uploadId } = (await dashboard.call(ada, 'POST', '/api/objstore/multipart', body)).json;
    const page = await dashboard.open('/templates', ada);
    await page.getByRole('button', { name: 'Actions for In use' }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete template In use?' });
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
    await dialog.getByRole('alert').waitFor();
    expect(await dialog.getByRole('alert').innerText()).toMatch(/upload/);
    expect(await faultsOf(page)).toEqual([]);
    await dashboard.call(ada, 'DELETE', `/api/objstore/multipart/${uploadId}`);
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('No templates yet').waitFor();
  });
});

test('a template has completed videos copied to storages', async () => {
  const ada = await dashboard.createUser();
  const page = await dashboard.open('/templates/new', ada);
  const section = page.getByRole('group', { name: 'Copies to storages', exact: true });
  await section.getByText('Add a storage of your own').waitFor();
  expect(await faultsOf(page)).toEqual([]);

  const [archive, partner] = await Promise.all(['Archive', 'Partner'].map((name) => addStorage(ada, name)));
  await page.reload();
  await section.getByRole('button', { name: 'Add a copy' }).press('Enter');
  const copy = section.getByRole('group', { name: 'Copy 1' });
  await copy.getByLabel('Storage').selectOption({ label: 'Archive (archive)' });
  await copy.getByText('Files go to s3://archive/films/{ulid}/{output}/').waitFor();
  await copy.getByLabel('Path').fill('no ulid/');
  await copy.getByText('Give folders such as').waitFor();
  expect(await copy.getByLabel('Path').getAttribute('aria-invalid')).toBe('true');
  expect(await faultsOf(page)).toEqual([]);
  await copy.getByLabel('Path').fill('web/{ulid}/');
  await copy.getByText('Files go to s3://archive/films/web/{ulid}/').waitFor();
  await copy.getByLabel('All outputs').press('Space');
  await copy.getByLabel('hls', { exact: true }).press('Space');
  await copy.getByText('Name outputs, or what else is copied.').waitFor();
  await copy.getByLabel('Captions').check();
  await copy.getByText('Name outputs, or what else is copied.').waitFor({ state: 'detached' });
  await section.getByRole('button', { name: 'Add a copy' }).click();
  await section
    .getByRole('group', { name: 'Copy 2' })
    .getByLabel('Storage')
    .selectOption({ label: 'Partner (partner)' });
  expect(await faultsOf(page)).toEqual([]);
  await page.getByLabel('Name', { exact: true }).fill('Copied');
  await page.getByRole('button', { name: 'Create template' }).click();
  await page.getByRole('heading', { level: 1, name: 'Copied' }).waitFor();
  const ulid = page.url().split('/').at(-1)!;
  expect((await storedQuery(ada, ulid)).deliver).toEqual([
    { storage: archive, path: 'web/{ulid}/', outputs: [], also: ['captions'] },
    { storage: partner },
  ]);

  // A storage that is not there any more is said at its copy; the others stay.
  await answerWith(page, '/api/storages', 200, { data: [] });
  await page.reload();
  await copy.getByText('This storage is deleted, or belongs to somebody else.').waitFor();
  expect(await copy.getByLabel('Storage').getAttribute('aria-invalid')).toBe('true');
  expect(await faultsOf(page)).toEqual([]);
  await page.unrouteAll();
  await section.getByRole('button', { name: 'Remove copy 1' }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await saved(page);
  expect((await storedQuery(ada, ulid)).deliver).toEqual([{ storage: partner }]);
});

const addStorage = async (person: Person, name: string): Promise<string> => {
  const bucket = name.toLowerCase();
  const keys = { access_key_id: 'KEY', secret_access_key: 'SECRET' };
  // Nothing is copied to it.
  const fields = { name, endpoint: 'http://127.0.0.1:9', region: 'us-east-1', bucket, prefix: 'films/', ...keys };
  return (await dashboard.call(person, 'POST', '/api/storages', fields)).json.data.ulid;
};

test('an administrator shares a template, and others can read it only', async () => {
  const ada = await dashboard.createUser();
  const admin = await dashboard.open('/templates/new', administrator);
  await admin.getByLabel('Name', { exact: true }).fill('House style');
  await admin.getByLabel('Share with all users').check();
  await admin.getByRole('button', { name: 'Create template' }).click();
  await admin.getByRole('heading', { level: 1, name: 'House style' }).waitFor();
  const ulid = admin.url().split('/').at(-1)!;

  const page = await dashboard.open('/templates', ada);
  const row = page.getByRole('listitem').filter({ hasText: 'House style' }).first();
  await row.getByText('Shared', { exact: true }).waitFor();
  await row.getByText('Read only').waitFor();
  await row.getByRole('button', { name: 'Actions for House style' }).click();
  await row.getByRole('link', { name: 'Duplicate' }).waitFor();
  expect(await row.getByRole('button', { name: 'Delete' }).count()).toBe(0);
  expect(await faultsOf(page)).toEqual([]);
  await row.getByRole('link', { name: 'House style' }).click();
  await page.getByText('Only administrators can change it.').waitFor();
  expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0);
  expect(await page.getByLabel('Video codec').isDisabled()).toBe(true);
  expect(await faultsOf(page)).toEqual([]);

  await admin.getByLabel('Share with all users').uncheck();
  await admin.getByRole('button', { name: 'Save' }).click();
  await saved(admin);
  await page.goto(`/templates/${ulid}`);
  await page.getByRole('heading', { name: 'This page does not exist' }).waitFor();
  expect(await faultsOf(page)).toEqual([]);
});

describe('states', () => {
  test('while the list loads, and when the service fails', async () => {
    const ada = await dashboard.createUser();
    const page = await dashboard.open('/account', ada);
    const release = await hold(page, '/api/templates');
    await page.getByRole('link', { name: 'Templates' }).click();
    await page.getByText('Loading …').first().waitFor();
    expect(await faultsOf(page)).toEqual([]);
    release();
    await page.getByText('No templates yet').waitFor();

    await answerWith(page, /^\/api\/template/, 500);
    await page.goto('/templates');
    await page.getByText('The service has a problem.').first().waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.goto('/templates/new');
    await page.getByText('The service has a problem.').first().waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByLabel('Largest rendition').waitFor();
  });

  test.each(looks)('%s', async (_, look) => {
    const ada = await dashboard.createUser();
    const ulid = await adopt(ada, 'hls-h264-fixed', 'A template with a long name that needs more than one line');
    const storage = await addStorage(ada, 'A-storage-with-a-long-name-that-needs-more-than-one-line');
    const query = { ...(await storedQuery(ada, ulid)), deliver: [{ storage }] };
    await dashboard.call(ada, 'PUT', `/api/templates/${ulid}`, { query });
    const page = await dashboard.open('/templates', ada, look);
    await page.getByText('needs more than one line').waitFor();
    await page.getByRole('button', { name: 'Use preset Audio only' }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.goto(`/templates/${ulid}`);
    await page.getByLabel('Bitrate of rendition 4').waitFor();
    await page.getByText('Files go to s3://a-storage').waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole('tab', { name: 'JSON' }).click();
    expect(await faultsOf(page)).toEqual([]);
  });

  test('in German', async () => {
    const page = await dashboard.open('/templates/new', await dashboard.createUser(), { locale: 'de-DE' });
    await page.getByLabel('Größte Stufe').waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });
});
