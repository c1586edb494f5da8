import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Client, signUp } from '../journey/support/client.ts';
import { type Service, startService } from '../journey/support/service.ts';
import { type OptionRow, optionRows } from '../options/option-rows.ts';
import { makeSource, runRow } from '../options/run-row.ts';

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

test('every pair of values of the options of a template gives outputs that play and are as asked for', async () => {
  const { rows, pairs, refused } = optionRows();
  console.log(`${rows.length} templates with ${pairs} pairs of values; the schema refuses ${refused.length} others`);
  const files = new Map<string, string>();
  for (const shape of new Set(rows.map((row) => row.shape))) files.set(shape, await makeSource(folder, shape));
  const left = [...rows.entries()].filter(([number]) => only?.includes(number) ?? true);
  const failures: string[] = [];
  const runRest = async (): Promise<void> => {
    const client = await signUp(service.apiUrl);
    for (let next = left.shift(); next; next = left.shift()) {
      const [number, row] = next;
      const problems = await resultOf(client, number, row, files.get(row.shape)!);
      failures.push(...problems.map((problem) => `${number}: ${problem}`));
    }
  };
  await Promise.all(Array.from({ length: lanes }, runRest));
  expect(failures).toEqual([]);
});

/** Runs a row and prints its line. */
async function resultOf(client: Client, number: number, row: OptionRow, file: string): Promise<string[]> {
  const { problems, chunks } = await runRow(client, row, file).catch((error: Error) => ({
    ...{ problems: [error.message], chunks: 0 },
  }));
  const end = problems.length === 0 ? `ok, ${chunks} chunks` : problems.join('; ');
  console.log(`${number} ${row.shape}: ${end} | ${row.text}`);
  return problems;
}
