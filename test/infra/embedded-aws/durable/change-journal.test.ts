import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openJournaledMap } from './journaled-map.ts';

async function path(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'journal-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return join(folder, 'journal');
}

test('records are replayed in order', async () => {
  const file = await path();
  const first = await openJournaledMap(file);
  await Promise.all([first.set(1, 1), first.set(2, 2), first.set(1, 3)]);
  await first.journal.close();
  const second = await openJournaledMap(file);
  expect([...second.state]).toEqual([
    [1, 3],
    [2, 2],
  ]);
  await second.journal.close();
});

test('a journal with many superseded records is rewritten without losses', async () => {
  const file = await path();
  const first = await openJournaledMap(file);
  for (let round = 0; round < 50; round++) {
    await Promise.all(Array.from({ length: 1000 }, (_, i) => first.set(i % 10, round * 1000 + i)));
  }
  const lines = (await readFile(file, 'latin1')).split('\n').length;
  expect(lines).toBeLessThan(25_000);
  await first.journal.close();
  const second = await openJournaledMap(file);
  expect([...second.state].sort(([a], [b]) => a - b)).toEqual(
    Array.from({ length: 10 }, (_, key) => [key, 49_990 + key]),
  );
  await second.journal.close();
});

test('a closed journal accepts no records', async () => {
  const { journal, set } = await openJournaledMap(await path());
  const last = set(1, 1);
  await journal.close();
  await last;
  expect(journal.isWritable()).toBe(false);
  await expect(set(2, 2)).rejects.toThrow('closed');
});
