import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadSettings } from '../../../../client/cli/arguments/load-settings.ts';
import { temporaryFolder } from '../../support/run-cli.ts';

const url = 'https://video.test';

test('the configuration file is found in the home folder, and its token file beside it', async () => {
  const home = temporaryFolder();
  const folder = join(home, '.config/open-video-service');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'config.json'), JSON.stringify({ url, token_file: 'token', template: 'Web' }));
  await writeFile(join(folder, 'token'), '1|secret\n', { mode: 0o600 });
  expect(await loadSettings({}, { HOME: home })).toEqual({ url, token: '1|secret', template: 'Web', warnings: [] });
});

test('a token that other users can read is used with a warning', async () => {
  const home = temporaryFolder();
  const file = join(home, 'token');
  await writeFile(file, '1|secret', { mode: 0o644 });
  const config = join(home, 'config.json');
  await writeFile(config, JSON.stringify({ url, token: '1|secret' }), { mode: 0o640 });
  const advice = (path: string) => `Other users can read the token in ${path}: chmod 600 '${path}'`;
  expect(await loadSettings({ url, 'token-file': file }, { HOME: home })).toMatchObject({ warnings: [advice(file)] });
  expect(await loadSettings({ config }, {})).toMatchObject({ token: '1|secret', warnings: [advice(config)] });
});

test('a token over a network without encryption has a warning', async () => {
  const { warnings } = await loadSettings({ url: 'http://video.test', token: 't' }, { HOME: temporaryFolder() });
  expect(warnings).toEqual(['The token is sent to http://video.test without encryption. Use https.']);
});

test('a named file must exist, and a token has no spaces', async () => {
  const home = temporaryFolder();
  const path = join(home, 'none');
  await expect(loadSettings({ config: path }, {})).rejects.toThrow(`There is no file ${path}.`);
  await expect(loadSettings({ url, 'token-file': path }, { HOME: home })).rejects.toThrow(`There is no file ${path}.`);
  await expect(loadSettings({ url, token: 'a b' }, { HOME: home })).rejects.toThrow('characters of no token');
});
