import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClient } from '../../journey/support/client.ts';
import { runOrThrow } from '../../journey/support/ffmpeg.ts';
import { streamsOf } from '../../journey/support/templates.ts';
import { answerWith, type Dashboard, faultsOf, looks, type Person, startDashboard } from './support/dashboard.ts';

const template = { ...streamsOf([144]), outputs: [{ format: 'hls', segment_duration: 2 }] };
const chapters = `;FFMETADATA1
[CHAPTER]
TIMEBASE=1/1000
START=0
END=2000
title=The first part
[CHAPTER]
TIMEBASE=1/1000
START=2000
END=4000
title=The second part
`;
const subRip = (text: string): string => `1\n00:00:00,200 --> 00:00:03,800\n${text}\n`;

let dashboard: Dashboard;
let ada: Person;
let ulid: string;
const file = (name: string): string => join(dashboard.dataFolder, name);

beforeAll(async () => {
  dashboard = await startDashboard();
  ada = await dashboard.createUser();
  await writeFile(file('chapters.txt'), chapters);
  await writeFile(file('english.srt'), subRip('Hello <i>world</i>'));
  await writeFile(file('film.de.srt'), subRip('Hallo Welt'));
  await writeFile(file('no-cue.vtt'), 'WEBVTT\n\nno cue\n');
  await runOrThrow('ffmpeg', [
    ...['-y', '-f', 'lavfi', '-i', 'testsrc2=s=256x144:r=25:d=4', '-i', file('english.srt')],
    ...['-i', file('english.srt'), '-i', file('chapters.txt'), '-map', '0', '-map', '1', '-map', '2'],
    ...['-map_chapters', '3', '-c:v', 'libx264', '-preset', 'ultrafast', '-c:s:0', 'srt', '-c:s:1', 'ass'],
    ...[
      '-metadata:s:s:0',
      'language=eng',
      '-metadata:s:s:0',
      'title=English for all',
      '-metadata:s:s:1',
      'language=fra',
    ],
    file('film.mkv'),
  ]);
  const client = createClient(dashboard.apiUrl, ada.token);
  const made = await client.makeTemplate(template);
  ulid = await client.upload({ file: file('film.mkv'), template: made, partBytes: 16 * 2 ** 20 });
  await client.waitUntilDone(ulid);
}, 900_000);
afterAll(() => dashboard.close(), 120_000);

async function openCaptions(look = {}): Promise<Page> {
  const page = await dashboard.open(`/videos/${ulid}`, ada, look);
  await page.getByRole('row', { name: /English for all/ }).waitFor();
  return page;
}

describe.each(looks)('%s', (_, look) => {
  test('the list and its dialogs have no faults', async () => {
    const page = await openCaptions(look);
    expect(await faultsOf(page)).toEqual([]);
    for (const name of ['Add captions', 'Replace: English for all, Subtitles', 'Delete: English for all, Subtitles']) {
      await page.getByRole('button', { name }).click();
      await page.getByRole('dialog').waitFor();
      expect(await faultsOf(page), name).toEqual([]);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await expect
        .poll(() => page.evaluate('document.activeElement.ariaLabel ?? document.activeElement.textContent'))
        .toBe(name);
    }
  });
});

test('captions are made from speech: a service without a model says so, and those that wait are looked at again', async () => {
  const page = await openCaptions();
  const dialog = page.getByRole('dialog');
  const card = page.getByRole('region', { name: 'Captions' });
  await page.getByRole('button', { name: 'Captions from speech' }).press('Enter');
  expect(await faultsOf(page)).toEqual([]);
  await dialog.getByLabel('Spoken language').fill('no language');
  await dialog.getByLabel('Spoken language').press('Enter');
  await expect
    .poll(() => dialog.getByLabel('Spoken language').getAttribute('aria-invalid'), { message: 'the field is marked' })
    .toBe('true');
  await dialog.getByLabel('Spoken language').fill('de');
  await dialog.getByRole('button', { name: 'Make captions' }).click();
  await dialog.getByRole('alert').waitFor();
  expect(await dialog.getByRole('alert').innerText()).toMatch(/model/);
  expect(await faultsOf(page)).toEqual([]);

  const path = `/api/videos/${ulid}/captions`;
  const pending = {
    ulid: '01K9Z3P6M8N9P0Q1R2S3T4V5W6',
    language: 'de',
    kind: 'captions',
    label: 'German (automatic)',
    default: false,
    origin: 'generated',
    status: 'pending',
    error: null,
    url: null,
  };
  await answerWith(page, `${path}/generate`, 202, { data: pending });
  await answerWith(page, path, 200, { data: [pending] });
  await dialog.getByLabel('Replace captions of this language').check();
  await dialog.getByRole('button', { name: 'Make captions' }).click();
  const row = card.getByRole('row', { name: /German \(automatic\)/ });
  await row.getByText('Waiting').waitFor();
  await row.getByText('From speech').waitFor();
  expect(await faultsOf(page)).toEqual([]);
  const sources = page.waitForRequest((request) => request.url().includes(`/api/videos/${ulid}/sources`));
  await answerWith(page, path, 200, {
    data: [{ ...pending, status: 'failed', error: 'SPEECH_FAILED: The engine ended.' }],
  });
  await row.getByText('Failed', { exact: true }).waitFor();
  // The player loads its links again.
  await sources;
  expect(await faultsOf(page)).toEqual([]);
});

test('captions are added, shown by the player, replaced and deleted, with the keyboard', async () => {
  const page = await openCaptions();
  const rows = page.getByRole('region', { name: 'Captions' }).getByRole('row');
  expect((await rows.allInnerTexts()).length).toBe(4);

  await page.getByRole('button', { name: 'Add captions' }).press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Upload' }).press('Enter');
  await dialog.getByText('Choose a file.').waitFor();
  await dialog.getByLabel('File').setInputFiles(file('no-cue.vtt'));
  await dialog.getByLabel('Language').fill('de');
  await dialog.getByRole('button', { name: 'Upload' }).press('Enter');
  await dialog.getByText(/has no cue/).waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await dialog.getByLabel('Language').fill('');
  await dialog.getByLabel('File').setInputFiles(file('film.de.srt'));
  expect(await dialog.getByLabel('Language').inputValue()).toBe('de');
  await dialog.getByLabel('Kind').selectOption('Captions');
  await dialog.getByLabel('Name').fill('Deutsch mit Geräuschen');
  await dialog.getByLabel('Show it unless').press('Space');
  await dialog.getByRole('button', { name: 'Upload' }).press('Enter');
  const added = page.getByRole('row', { name: /Deutsch mit Geräuschen Default.*Captions.*Uploaded.*Ready/ });
  await added.waitFor();

  await page.getByRole('button', { name: /^Play/ }).first().press('Enter');
  const labels = () =>
    page.evaluate<string[]>(
      "[...document.querySelector('video').textTracks].map(({ kind, label }) => kind + ' ' + label)",
    );
  await expect
    .poll(async () => (await labels()).filter((label) => !label.startsWith('metadata')).sort(), { timeout: 60_000 })
    .toEqual([
      'captions Deutsch mit Geräuschen',
      'chapters Chapters',
      'subtitles English for all',
      'subtitles Français',
    ]);

  await page.getByRole('button', { name: 'Replace: Deutsch mit Geräuschen, Captions' }).press('Enter');
  expect(await dialog.getByLabel('Language').isDisabled()).toBe(true);
  await dialog.getByLabel('File').setInputFiles(file('english.srt'));
  await dialog.getByLabel('Name').fill('Ersetzt');
  await dialog.getByRole('button', { name: 'Upload' }).press('Enter');
  await page.getByRole('row', { name: /^Ersetzt/ }).waitFor();

  await page.getByRole('button', { name: 'Delete: Ersetzt, Captions' }).press('Enter');
  await dialog.getByRole('button', { name: 'Delete' }).press('Enter');
  await page.getByRole('row', { name: /^Ersetzt/ }).waitFor({ state: 'detached' });
});

test('in German', async () => {
  const page = await dashboard.open(`/videos/${ulid}`, ada, { locale: 'de-DE', colorScheme: 'dark' });
  await page.getByRole('row', { name: /English for all.*Untertitel.*Aus der Videodatei/ }).waitFor();
  await page.getByRole('button', { name: 'Untertitel hinzufügen' }).click();
  await page.getByRole('dialog', { name: 'Untertitel hinzufügen' }).waitFor();
  expect(await faultsOf(page)).toEqual([]);
  if (process.env.SCREENSHOTS) await page.screenshot({ path: join(process.env.SCREENSHOTS, 'captions-dialog.png') });
  await page.keyboard.press('Escape');
  if (process.env.SCREENSHOTS) {
    await page.screenshot({ path: join(process.env.SCREENSHOTS, 'captions.png'), fullPage: true });
  }
});
