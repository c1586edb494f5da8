import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, signUp } from '../journey/support/client.ts';
import { type Service, startService } from '../journey/support/service.ts';
import { type OptionRow, optionRows } from '../options/option-rows.ts';
import { makeSource, runRow, sourceOf } from '../options/run-row.ts';

/** Videos at the same time, each of a separate user, because requests are limited by user. */
const lanes = 3;
/** `OPTION_ROWS=3,17` runs only these rows. */
const only = process.env.OPTION_ROWS?.split(',').map(Number);

let folder: string;
let service: Service;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'options-'));
  service = await startService({ dataFolder: join(folder, 'data') });
});
afterAll(async () => {
  await service?.stop();
  await rm(folder, { recursive: true, force: true });
});

const { rows, pairs, refused } = optionRows();
const numbers = [...rows.keys()].filter((number) => only?.includes(number) ?? true);
/** Parts of the rows, each of which ends within the limit of a test also on a busy machine. */
const parts = Object.values(Object.groupBy(numbers, (number) => Math.floor(number / 20))) as number[][];

describe('every pair of values of the options of a template gives outputs that play and are as asked for', () => {
  console.log(`${rows.length} templates with ${pairs} pairs of values; the schema refuses ${refused.length} others`);

  test.each(parts.map((part) => [part[0], part.at(-1), part] as const))('templates %d to %d', async (_, __, part) => {
    const left = [...part];
    const failures: string[] = [];
    const runRest = async (): Promise<void> => {
      const client = await signUp(service.apiUrl);
      for (let number = left.shift(); number !== undefined; number = left.shift()) {
        const problems = await resultOf(client, number, rows[number]!);
        failures.push(...problems.map((problem) => `${number}: ${problem}`));
      }
    };
    await Promise.all(Array.from({ length: lanes }, runRest));
    expect(failures).toEqual([]);
  });
});

const files = new Map<string, Promise<string>>();

/** Rows of one shape and length have the same source. */
function fileOf(row: OptionRow): Promise<string> {
  const source = sourceOf(row);
  const key = JSON.stringify(source);
  const file = files.get(key) ?? makeSource(folder, source);
  files.set(key, file);
  return file;
}

/** Runs a row and prints its line. */
async function resultOf(client: Client, number: number, row: OptionRow): Promise<string[]> {
  const { problems, chunks } = await fileOf(row)
    .then((file) => runRow(client, row, file))
    .catch((error: Error) => ({ problems: [error.message], chunks: 0 }));
  const end = problems.length === 0 ? `ok, ${chunks} chunks` : problems.join('; ');
  console.log(`${number} ${row.shape}: ${end} | ${row.text}`);
  return problems;
}
