import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { prepareCli, temporaryFolder } from '../../support/run-cli.ts';

test('files of a folder are uploaded once', async () => {
  const { cli, parts } = prepareCli();
  const folder = temporaryFolder();
  await writeFile(join(folder, 'a.mp4'), '0123456789');
  const command = ['watch', folder, '-t', 'Web', '--once', '--settle', '1', '--json'];
  const ended = await cli(command);
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  expect(ended.json()).toEqual([{ type: 'uploaded', file: 'a.mp4', ulid: 'V' }]);
  expect(Object.fromEntries(parts)).toEqual({ 1: '0123', 2: '4567', 3: '89' });
  const state = JSON.parse(await readFile(join(folder, '.open-video-service.json'), 'utf8'));
  expect(state).toMatchObject({ version: 1, files: { 'a.mp4': { status: 'uploaded', ulid: 'V' } } });
  expect((await cli(command)).stdout).toBe('');
});

test.each([
  [['/nowhere'], "There is no folder '/nowhere'."],
  [['/dev/null'], "'/dev/null' is not a folder."],
  [['.', '--settle', '0'], '--settle is a whole number from 1'],
  [['.', '--move-to', '.'], '--move-to is the watched folder.'],
  [['.', '--move-to', '/proc'], '--move-to must be on the same disk'],
  [['.', '--move-to', '/', '--delete-after'], 'Pass --move-to or --delete-after, not both.'],
])('%j is wrong usage', async (argv, message) => {
  const { cli, service } = prepareCli();
  const folder = temporaryFolder();
  await mkdir(folder, { recursive: true });
  const ended = await cli(['watch', ...argv.map((word) => (word === '.' ? folder : word)), '-t', 'Web']);
  expect(ended.code).toBe(2);
  expect(ended.stderr).toContain(message);
  expect(service.requests).toEqual([]);
});
