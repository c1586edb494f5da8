import { readdir, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createUploadStates } from '../../../../client/cli/uploads/upload-state.ts';
import { temporaryFolder } from '../../support/run-cli.ts';

const now = new Date('2026-11-22T10:00:00Z');

test('states of a month ago are removed, also when another process has removed one that was listed', async () => {
  const folder = temporaryFolder();
  for (const [name, time] of [
    ['old.json', '2026-10-22T10:00:00Z'],
    ['young.json', '2026-10-24T10:00:00Z'],
  ] as const) {
    await writeFile(join(folder, name), '{}');
    await utimes(join(folder, name), new Date(time), new Date(time));
  }
  // It is listed, and there is no file.
  await symlink(join(folder, 'absent'), join(folder, 'gone.json'));
  createUploadStates(folder).removeOld(now.getTime());
  expect((await readdir(folder)).toSorted()).toEqual(['gone.json', 'young.json']);
});

test('without a folder of states there is nothing to remove', () => {
  const states = createUploadStates(join(temporaryFolder(), 'absent'));
  expect(() => states.removeOld(now.getTime())).not.toThrow();
});
