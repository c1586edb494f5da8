import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { chownFolder, unprivilegedUser } from '../../../encoder-task/runtime/unprivileged-user.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chown-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('a job folder gets the user of its processes, while other processes remove folders in it', async () => {
  const inner = join(folder, 'segments');
  let isDone = false;
  const others = (async () => {
    while (!isDone) {
      await mkdir(join(inner, 'one', 'two'), { recursive: true });
      await writeFile(join(inner, 'one', 'file'), '');
      await rm(inner, { recursive: true });
    }
  })();
  try {
    for (let n = 0; n < 200; n++) await chownFolder(folder);
  } finally {
    isDone = true;
    await others;
  }
  await mkdir(inner);
  await chownFolder(folder);
  const expected = unprivilegedUser?.uid ?? process.getuid!();
  for (const path of [folder, inner]) expect((await stat(path)).uid).toBe(expected);
});
