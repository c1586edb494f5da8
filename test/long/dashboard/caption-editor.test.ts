import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, createClient } from '../../journey/support/client.ts';
import { makeSourceClip } from '../../journey/support/source-clip.ts';
import { streamsOf } from '../../journey/support/templates.ts';
import { answerWith, type Dashboard, faultsOf, hold, looks, type Person, startDashboard } from './support/dashboard.ts';

const partBytes = 16 * 2 ** 20;
const template = { ...streamsOf([144]), outputs: [{ format: 'hls', segment_duration: 2 }] };
const german = `WEBVTT

00:00:00.500 --> 00:00:02.000 line:0
<v Anna>Guten Morgen, Tom &amp; Jerry

00:00:02.500 --> 00:00:04.000
Zweiter <i>kursiver Satz</i>

00:00:05.000 --> 00:00:07.000
Dritter Satz
`;

let dashboard: Dashboard;
let ada: Person;
let client: Client;
let madeTemplate: string;
let ulid: string;
beforeAll(async () => {
  dashboard = await startDashboard({ TRANSCRIPT_SEARCH: 'on' });
  ada = await dashboard.createUser();
  client = createClient(dashboard.apiUrl, ada.token);
  madeTemplate = await client.makeTemplate(template);
  ulid = await makeVideo();
}, 900_000);
afterAll(() => dashboard.close(), 120_000);

async function makeVideo(): Promise<string> {
  const { file } = await makeSourceClip(join(dashboard.dataFolder, 'clip.mp4'), {
    durationSeconds: 8,
    width: 256,
    height: 144,
  });
  const made = await client.upload({ file, template: madeTemplate, partBytes });
  await client.waitUntilDone(made);
  return made;
}

async function putCaptions(video: string, body: string, language = 'de', query = ''): Promise<void> {
  const response = await fetch(`${dashboard.apiUrl}/api/videos/${video}/captions/${language}${query}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${ada.token}`, 'content-type': 'text/vtt' },
    body,
  });
  expect(response.status).toBeLessThan(300);
}

const storedText = async (language = 'de'): Promise<string> => {
  const { json } = await dashboard.call(ada, 'GET', `/api/videos/${ulid}/captions`);
  const { url } = json.data.find((one: { language: string }) => one.language === language);
  return (await fetch(url)).text();
};

async function openEditor(look = {}, video = ulid, language = 'de'): Promise<Page> {
  const page = await dashboard.open(`/videos/${video}/captions/${language}?kind=captions`, ada, look);
  await page.locator('.cue-list').waitFor();
  return page;
}

const textHasFocus = (page: Page) => page.evaluate<boolean>("document.activeElement.name === 'text'");
/** A property of the video element, or what a statement about it returns. */
const ofVideo = <Value>(page: Page, script: string) =>
  page.evaluate<Value>(`document.querySelector('video').${script}`);

const rowsOf = (page: Page) => page.getByRole('option').allInnerTexts();
const screenshot = async (page: Page, name: string): Promise<void> => {
  if (process.env.SCREENSHOTS) await page.screenshot({ path: join(process.env.SCREENSHOTS, `${name}.png`) });
};

describe.each(looks)('%s', (name, look) => {
  test('the editor, its faults and the transcript have no faults of accessibility', async () => {
    await putCaptions(ulid, german);
    const page = await openEditor(look);
    await page.getByRole('option', { name: /Guten Morgen, Tom & Jerry/ }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await screenshot(page, `editor ${name}`);
    await page.getByLabel('Text').fill('');
    await page.getByLabel('End', { exact: true }).fill('0');
    await page.keyboard.press('Control+S');
    await page.getByText('One cue has a fault.').waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await screenshot(page, `editor with faults ${name}`);

    page.on('dialog', (dialog) => dialog.accept());
    await page.getByRole('link', { name: 'Back to the video' }).click();
    await page.getByText('Transcript', { exact: true }).click();
    await page.getByText('Dritter Satz').waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByText('Transcript', { exact: true }).scrollIntoViewIfNeeded();
    await screenshot(page, `transcript ${name}`);
  });
});

test('captions are edited with the keyboard beside the player, and stored with what nobody touched', async () => {
  await putCaptions(ulid, german, 'de', '?label=Deutsch&default=true');
  const page = await dashboard.open(`/videos/${ulid}`, ada);
  await page.getByRole('link', { name: 'Edit: Deutsch, Captions' }).press('Enter');
  await page.getByRole('heading', { name: 'Edit Deutsch', level: 1 }).waitFor();
  const list = page.getByRole('listbox', { name: 'Cues' });
  await list.focus();
  await page.keyboard.press('ArrowDown');
  const field = page.getByLabel('Text');
  expect(await field.inputValue()).toBe('Zweiter <i>kursiver Satz</i>');

  // Split behind the second word.
  await page.keyboard.press('Enter');
  await expect.poll(() => textHasFocus(page)).toBe(true);
  await page.evaluate('document.activeElement.setSelectionRange(19, 19)');
  await page.keyboard.press('Alt+S');
  expect(await field.inputValue()).toBe('Zweiter <i>kursiver</i>');
  await page.keyboard.press('Alt+ArrowDown');
  expect(await field.inputValue()).toBe('<i>Satz</i>');
  await page.keyboard.press('Alt+M');
  expect(await field.inputValue()).toBe('<i>Satz</i>\nDritter Satz');
  await page.keyboard.press('Alt+Z');
  expect(await field.inputValue()).toBe('<i>Satz</i>');

  // The player goes to the cue, its time becomes an end, and the list says what is shown.
  await page.keyboard.press('Alt+ArrowDown');
  await page.keyboard.press('Alt+J');
  await expect.poll(() => ofVideo(page, 'readyState')).toBeGreaterThan(1);
  await expect.poll(() => ofVideo(page, 'currentTime')).toBeGreaterThan(4.9);
  await page.locator('[aria-current=time]').getByText('Dritter Satz').waitFor();
  await expect.poll(() => textHasFocus(page)).toBe(true);
  await ofVideo(page, 'pause()');
  await ofVideo(page, 'currentTime = 6.25');
  await page.keyboard.press('Alt+O');
  expect(await page.getByLabel('End', { exact: true }).inputValue()).toBe('00:00:06.250');

  // A new cue at the time of the player, without a text at first.
  await page.keyboard.press('Alt+N');
  await expect.poll(() => field.inputValue()).toBe('');
  expect(await page.getByLabel('Start', { exact: true }).inputValue()).toBe('00:00:06.250');
  await page.keyboard.press('Control+S');
  await page.getByText('One cue has a fault.').waitFor();
  await field.fill('<script>alert(1)</script> & <b>Ende</b> <img src=x onerror=alert(1)>');
  await page.getByLabel('Start', { exact: true }).press('ArrowUp');
  await page.getByLabel('Start', { exact: true }).press('Shift+ArrowUp');
  expect(await page.getByLabel('Start', { exact: true }).inputValue()).toBe('00:00:07.350');
  await page.keyboard.press('Control+S');
  await page.getByText('· Saved').waitFor();
  await expect
    .poll(() => storedText())
    .toBe(`WEBVTT

00:00:00.500 --> 00:00:02.000 line:0
<v Anna>Guten Morgen, Tom &amp; Jerry

00:00:02.500 --> 00:00:03.518
Zweiter <i>kursiver</i>

00:00:03.518 --> 00:00:04.000
<i>Satz</i>

00:00:05.000 --> 00:00:06.250
Dritter Satz

00:00:07.350 --> 00:00:08.250
alert(1) &amp; <b>Ende</b>
`);
  expect(await faultsOf(page)).toEqual([]);
  await page.getByRole('link', { name: 'Back to the video' }).press('Enter');
  // Its name and that it is the default stay.
  await page.getByRole('row', { name: /Deutsch Default/ }).waitFor();
});

test('who leaves with changes is asked, by links and by the back button', async () => {
  await putCaptions(ulid, german);
  const page = await dashboard.open(`/videos/${ulid}`, ada);
  await page.getByRole('link', { name: /^Edit: / }).click();
  await page.getByLabel('Text').fill('Neu');
  const questions: string[] = [];
  let stays = true;
  page.on('dialog', (dialog) => {
    questions.push(dialog.message());
    return stays ? dialog.dismiss() : dialog.accept();
  });
  await page.getByRole('link', { name: 'Back to the video' }).click();
  await page.evaluate('history.back()');
  await expect.poll(() => questions.length).toBe(2);
  expect(await page.getByLabel('Text').inputValue()).toBe('Neu');
  expect(page.url()).toContain('/captions/de');
  await page.getByRole('button', { name: 'Undo' }).click();
  stays = false;
  await page.getByRole('link', { name: 'Back to the video' }).click();
  await page.getByRole('region', { name: 'Captions' }).waitFor();
  expect(questions.length).toBe(2);
});

test('captions that somebody else has stored meanwhile are not lost without a question', async () => {
  await putCaptions(ulid, german);
  const page = await openEditor();
  await page.getByLabel('Text').fill('Von mir');
  await putCaptions(ulid, german.replace('Dritter', 'Fremder'));
  await page.keyboard.press('Control+S');
  const dialog = page.getByRole('dialog', { name: 'The captions were changed meanwhile' });
  await dialog.waitFor();
  expect(await faultsOf(page)).toEqual([]);
  expect(await storedText()).toContain('Fremder');
  await dialog.getByRole('button', { name: 'Discard mine and load the others' }).click();
  await page.getByRole('option', { name: /Fremder/ }).waitFor();
  await page.getByLabel('Text').fill('Von mir');
  await page.keyboard.press('Control+S');
  // A file that is stored may still be waiting for its response, and one save runs at a time.
  await page.getByText('· Saved').waitFor();
  expect(await storedText()).toContain('Von mir');

  await dashboard.call(ada, 'DELETE', `/api/videos/${ulid}/captions/de?kind=captions`);
  await page.getByLabel('Text').fill('Wieder da');
  await page.keyboard.press('Control+S');
  await dialog.getByText('Somebody has deleted these captions').waitFor();
  await dialog.getByRole('button', { name: 'Save mine' }).click();
  await expect.poll(() => storedText()).toContain('Wieder da');
});

test('what is written while a save runs is stored when save is chosen again', async () => {
  await putCaptions(ulid, german);
  const page = await openEditor();
  const release = await hold(page, `/api/videos/${ulid}/captions/de`);
  await page.getByLabel('Text').fill('Erst');
  await page.keyboard.press('Control+S');
  await page.locator('[aria-busy=true]').waitFor();
  await page.getByLabel('Text').fill('Dann');
  await page.keyboard.press('Control+S');
  release();
  await page.getByText('· Saved').waitFor();
  expect(await storedText()).toContain('Dann');
});

test('of a video that is deleted, the edited captions can be kept', async () => {
  const other = await makeVideo();
  await putCaptions(other, german);
  const page = await openEditor({}, other);
  await page.getByLabel('Text').fill('Meine Arbeit');
  await dashboard.call(ada, 'DELETE', `/api/videos/${other}`);
  await page.keyboard.press('Control+S');
  await page.getByText('The video does not exist any more.').waitFor();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download' }).click(),
  ]);
  expect(await readFile(await download.path(), 'utf8')).toContain('Meine Arbeit');
  expect(await faultsOf(page)).toEqual([]);
});

test('captions that are being made, or have no file, are not edited', async () => {
  await putCaptions(ulid, german);
  const page = await dashboard.open('/', ada);
  const path = `/api/videos/${ulid}/captions`;
  const { json } = await dashboard.call(ada, 'GET', path);
  const release = await hold(page, `/api/videos/${ulid}`);
  await answerWith(page, path, 200, { data: [{ ...json.data[0], status: 'pending', url: null }] });
  await page.goto(`/videos/${ulid}/captions/de`);
  await page.getByText('Loading').waitFor();
  release();
  await page.getByText('These captions are being made from speech.').waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await answerWith(page, path, 200, { data: [{ ...json.data[0], status: 'failed', url: null }] });
  await page.reload();
  await page.getByText('These captions have no file').waitFor();
  await page.goto(`/videos/${ulid}/captions/fr`);
  await page.getByRole('heading', { name: 'This page does not exist' }).waitFor();
});

test('2,000 cues are edited with few rows in the document', async () => {
  const time = (ms: number): string => new Date(ms).toISOString().slice(11, 23);
  const cues = Array.from(
    { length: 2000 },
    (_, index) => `${time(index * 3000)} --> ${time(index * 3000 + 2500)}\nSatz ${index + 1}\n`,
  );
  await putCaptions(ulid, `WEBVTT\n\n${cues.join('\n')}`, 'en');
  const page = await openEditor({}, ulid, 'en');
  expect((await rowsOf(page)).length).toBeLessThan(60);
  await page.getByRole('listbox').focus();
  await page.keyboard.press('End');
  await page.getByRole('option', { name: /Satz 2000/, selected: true }).waitFor();
  expect((await rowsOf(page)).length).toBeLessThan(60);
  await page.keyboard.press('PageUp');
  await page.keyboard.press('Enter');
  await page.keyboard.type(' und mehr');
  await page.keyboard.press('Control+S');
  await expect.poll(() => storedText('en')).toContain(' und mehr');
  expect(await faultsOf(page)).toEqual([]);
  await dashboard.call(ada, 'DELETE', `/api/videos/${ulid}/captions/en?kind=captions`);
});

test('times of the transcript start the player there, which then follows them, and the text is copied', async () => {
  await putCaptions(ulid, german);
  const page = await dashboard.open(`/videos/${ulid}`, ada);
  await page.getByText('Transcript', { exact: true }).press('Enter');
  await page.getByRole('button', { name: 'Play from 00:05' }).press('Enter');
  const time = () => ofVideo<number>(page, 'currentTime');
  await expect.poll(time).toBeGreaterThan(4.9);
  await ofVideo(page, 'pause()');
  await page.getByRole('button', { name: 'Play from 00:02' }).press('Enter');
  await expect.poll(time).toBeLessThan(3);
  await page.getByRole('button', { name: 'Copy the transcript' }).press('Enter');
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
    '[00:00:00.500] Guten Morgen, Tom & Jerry\n[00:00:02.500] Zweiter kursiver Satz\n[00:00:05.000] Dritter Satz\n',
  );
});

test('the list of videos is searched for words of captions, by its address', async () => {
  await putCaptions(ulid, german);
  const page = await dashboard.open('/', ada);
  await page.getByLabel('Search names').fill('Dritter');
  await page.getByText('No video matches').waitFor();
  await page.getByLabel('Search captions too').press('Space');
  await page.locator('.video-row').first().waitFor();
  expect(page.url()).toContain('q=Dritter&in=transcript');
  expect(await faultsOf(page)).toEqual([]);
  await page.reload();
  await page.locator('.video-row').first().waitFor();
  expect(await page.getByLabel('Search captions too').isChecked()).toBe(true);
});

test('in German', async () => {
  await putCaptions(ulid, german);
  const page = await openEditor({ locale: 'de-DE', colorScheme: 'dark', viewport: { width: 1440, height: 900 } });
  await page.getByRole('button', { name: 'Teilen' }).waitFor();
  await page
    .getByRole('button', { name: /^Abspielen/ })
    .first()
    .click();
  await page.locator('[aria-current=time]').waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await screenshot(page, 'editor in German');
});
