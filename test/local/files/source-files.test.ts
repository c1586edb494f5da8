import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkSourceFiles } from '../../../local/files/source-files.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sources-'));
  await writeFile(join(folder, 'video.mp4'), 'abc');
  await writeFile(join(folder, 'empty.mp4'), '');
});
afterAll(() => rm(folder, { recursive: true }));

test('files that can be read are answered with their size', async () => {
  const path = join(folder, 'video.mp4');
  expect(await checkSourceFiles([path])).toEqual([{ path, name: path, sizeBytes: 3 }]);
});

test.each([
  ['absent.mp4', (path: string) => `There is no file ${path}: check the name.`],
  ['', (path: string) => `${path} is a folder: name the files in it.`],
  ['empty.mp4', (path: string) => `${path} is empty: there is nothing to encode in it.`],
  ['video.mp4/x', (path: string) => `There is no file ${path}: check the name.`],
])('"%s" is refused with one sentence', async (name, message) => {
  const path = join(folder, name);
  await expect(checkSourceFiles([join(folder, 'video.mp4'), path])).rejects.toThrow(message(path));
});

test('what is neither file nor folder is refused', async () => {
  await expect(checkSourceFiles(['/dev/null'])).rejects.toThrow('/dev/null is not a file: name a video file.');
});
