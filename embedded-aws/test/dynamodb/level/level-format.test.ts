import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DamagedData } from '../../../src/durable/damaged-data.ts';
import { recordsOf } from '../../../src/dynamodb/level/level-format.ts';

/** More than a sector, so that one begins in each record. */
const valueBytes = 600;
const sectorBytes = 512;
const count = 200;
let folder: string;
let log: Buffer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'level-format-'));
  const database = new ClassicLevel(folder);
  for (let n = 0; n < count; n++) await database.put(`key ${n}`, 'x'.repeat(valueBytes));
  const name = (await readdir(folder)).find((one) => one.endsWith('.log'))!;
  log = await readFile(join(folder, name));
  await database.close();
});
afterAll(() => rm(folder, { recursive: true }));

test('the records of a log are what was written, over the bounds of its blocks', () => {
  expect(recordsOf(log, 'log')).toHaveLength(count);
});

/** Without the bytes from the last sector on. */
const before = (): Buffer => log.subarray(0, Math.floor((log.length - 1) / sectorBytes) * sectorBytes);

test.each([
  ['cut off', before],
  ['of which the end is zeros', () => Buffer.concat([before(), Buffer.alloc(log.length - before().length)])],
  ['of which the end is zeros, with more behind it', () => Buffer.concat([before(), Buffer.alloc(50_000)])],
])('a last record %s was being written', (_, interrupted) => {
  expect(recordsOf(interrupted(), 'log')).toHaveLength(count - 1);
});

test('zeros behind the last record are no records', () => {
  expect(recordsOf(Buffer.concat([log, Buffer.alloc(50_000)]), 'log')).toHaveLength(count);
});

test.each([
  ['a flipped byte', (bytes: Buffer) => bytes.fill(bytes[5_000]! ^ 1, 5_000, 5_001)],
  ['zeros before other records', (bytes: Buffer) => bytes.fill(0, 5_000, 6_000)],
  ['a flipped byte of the last record', (bytes: Buffer) => bytes.fill(0x21, bytes.length - 10, bytes.length - 9)],
  ['a last byte that is zero', (bytes: Buffer) => bytes.fill(0, bytes.length - 1)],
])('%s is damage', (_, damage) => {
  const damaged = Buffer.from(log);
  damage(damaged);
  expect(() => recordsOf(damaged, 'log')).toThrow(DamagedData);
});
