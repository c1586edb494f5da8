import { readFile, rm, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { useStoreAndFolder } from '../clips.ts';
import { cachedClip } from './clip-cache.ts';

const files = useStoreAndFolder();
let made = 0;
const make = (args: string[], complaints = '') =>
  cachedClip(
    args,
    async () => {
      made++;
      await writeFile(args.at(-1)!, 'a clip');
      return complaints;
    },
    files.path('kept'),
  );
let recipes = 0;
const recipe = (more: string[] = []) => ['-f', 'lavfi', '-i', `color=${++recipes}`, ...more];

async function timesMade(args: string[], complaints?: string): Promise<number> {
  made = 0;
  for (const name of ['one.mp4', 'two.mp4']) {
    await make([...args, files.path(name)], complaints);
    expect(await readFile(files.path(name), 'utf8')).toBe('a clip');
    await rm(files.path(name));
  }
  return made;
}

test('a generated clip is made once', async () => {
  expect(await timesMade(recipe())).toBe(1);
});

test('the same arguments with another format are another clip', async () => {
  const args = recipe();
  made = 0;
  for (const name of ['one.mp4', 'one.mkv']) await make([...args, files.path(name)]);
  expect(made).toBe(2);
});

test('a clip that is made from a file, or with messages, is not cached', async () => {
  expect(await timesMade(['-i', files.path('other.mp4'), ...recipe()])).toBe(2);
  expect(await timesMade(recipe(['-attach', 'note.txt']))).toBe(2);
  expect(await timesMade(recipe(), 'a complaint')).toBe(2);
});
