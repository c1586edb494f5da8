import { readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  entryOf,
  readWatchState,
  type WatchState,
  withoutOldEntries,
  writeWatchState,
} from '../../../../client/cli/watch/watch-state.ts';
import { temporaryFolder } from '../../support/run-cli.ts';

const url = 'https://service.test';
const entry = { sizeBytes: 5, mtimeMs: 1, ino: 1, status: 'uploaded', ulid: 'V', at: '2026-11-01T00:00:00Z' } as const;
const state: WatchState = { version: 1, url, files: { 'a.mp4': entry } };
const file = { name: 'a.mp4', sizeBytes: 5, mtimeMs: 1, ino: 1 };

test('a version of a file is known by its name, size and time, or by its number after it was renamed', () => {
  expect(entryOf(state, file, new Set(['a.mp4']))).toBe(entry);
  expect(entryOf(state, { ...file, mtimeMs: 2 }, new Set(['a.mp4']))).toBeUndefined();
  expect(entryOf(state, { ...file, name: 'b.mp4' }, new Set(['b.mp4']))).toBe(entry);
  // a hard link or a copy with the times of the original
  expect(entryOf(state, { ...file, name: 'b.mp4' }, new Set(['a.mp4', 'b.mp4']))).toBeUndefined();
});

test('removed files are forgotten after a month', () => {
  const day = (date: string) => Date.parse(date);
  expect(withoutOldEntries(state, new Set(), day('2026-11-20'))).toBe(state);
  expect(withoutOldEntries(state, new Set(['a.mp4']), day('2027-11-20'))).toBe(state);
  expect(withoutOldEntries(state, new Set(), day('2026-12-20')).files).toEqual({});
});

test('a state is written and read again, and leaves no other files', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'state.json');
  expect(await readWatchState(path, url)).toBeUndefined();
  await writeWatchState(path, state);
  expect(await readWatchState(path, url)).toEqual(state);
  expect(await readdir(folder)).toEqual(['state.json']);
});

test('a link in place of the state is replaced, not followed', async () => {
  const folder = temporaryFolder();
  const victim = join(temporaryFolder(), 'victim');
  await symlink(victim, join(folder, 'state.json'));
  await writeWatchState(join(folder, 'state.json'), state);
  await expect(readWatchState(victim, url)).resolves.toBeUndefined();
});

test('a state of another service and a damaged one are refused, with what to do', async () => {
  const path = join(temporaryFolder(), 'state.json');
  await writeWatchState(path, state);
  await expect(readWatchState(path, 'https://other.test')).rejects.toThrow('For another service pass another file');
  await writeFile(path, '{');
  await expect(readWatchState(path, url)).rejects.toThrow('is damaged. Remove it, or pass another file with --state.');
  await expect(writeWatchState('/dev/null/state.json', state)).rejects.toThrow('Pass a file that can be written');
});
