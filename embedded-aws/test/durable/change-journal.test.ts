import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
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

test('a batch that a power failure cut is as far complete as its lines are', async () => {
  const file = await path();
  const first = await openJournaledMap(file);
  await first.set(0, 0);
  const before = (await readFile(file)).length;
  await Promise.all([first.set(1, 1), first.set(2, 2), first.set(3, 3)]);
  // The proof of an open journal holds for its beginning only.
  const proof = await readFile(`${file}.proof`);
  const content = await readFile(file);
  await first.journal.close();
  for (let length = before; length < content.length; length += 1) {
    for (const zeros of [0, 512]) {
      const rest = content.subarray(0, length);
      await writeFile(file, Buffer.concat([rest, Buffer.alloc(zeros)]));
      await writeFile(`${file}.proof`, proof);
      const { state, journal } = await openJournaledMap(file);
      expect(state.size).toBe(rest.filter((byte) => byte === 10).length);
      await journal.close();
      expect((await readFile(file)).length).toBe(rest.lastIndexOf(10) + 1);
    }
  }
  const flipped = Buffer.from(content);
  flipped[before + 12]! ^= 0x15;
  await writeFile(file, flipped);
  await writeFile(`${file}.proof`, proof);
  await expect(openJournaledMap(file)).rejects.toThrow(`is damaged after byte ${before}.`);
});

test('zeros before complete lines are damage: later lines may have been confirmed', async () => {
  const file = await path();
  const first = await openJournaledMap(file);
  await first.set(0, 0);
  const before = (await readFile(file)).length;
  for (const key of [1, 2, 3]) await first.set(key, key);
  const proof = await readFile(`${file}.proof`);
  const content = await readFile(file);
  await first.journal.close();
  await writeFile(file, content.fill(0, before, content.indexOf(10, before) + 1));
  await writeFile(`${file}.proof`, proof);
  await expect(openJournaledMap(file)).rejects.toThrow(`is damaged after byte ${before}.`);
  expect(await readFile(file)).toEqual(content);
});

test('a closed journal accepts no records', async () => {
  const { journal, set } = await openJournaledMap(await path());
  const last = set(1, 1);
  await journal.close();
  await last;
  expect(journal.isWritable()).toBe(false);
  await expect(set(2, 2)).rejects.toThrow('closed');
});
