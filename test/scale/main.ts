// npm run scale Fills tables of different sizes, runs the scheduled runs and calls of the API on each, and prints what
// they cost. Exits with 1 when a cost depends on the size of the table or a partition key is too hot.

import { execFile } from 'node:child_process';
import { parseArgs, promisify } from 'node:util';
import { type Compared, exceeded, formatReport, type Measured } from './report.ts';
import type { Population } from './table/population.ts';

const { values } = parseArgs({
  options: {
    ...{ users: { type: 'string' }, videos: { type: 'string' }, waiting: { type: 'string' } },
    ...{ uploads: { type: 'string' }, nodes: { type: 'string' }, only: { type: 'string', default: '' } },
  },
});

const few: Population = { users: 1000, videos: 1000, waiting: 1000, uploads: 1000, nodes: 100 };
const many: Population = { users: 10_000, videos: 10_000, waiting: 10_000, uploads: 10_000, nodes: 10_000 };
const wanted = Object.fromEntries(
  Object.entries(many).map(([kind, count]) => [kind, countOf(kind, count)]),
) as Population;

function countOf(kind: string, count: number): number {
  const given = values[kind as keyof Population];
  const parsed = given === undefined ? count : Number(given);
  if (!Number.isInteger(parsed) || parsed < 0) throw new Error(`--${kind} must be a number of records`);
  return parsed;
}

/** Each table has its own process, so that none uses memory or caches of another. */
async function measure(population: Population): Promise<Measured[]> {
  const program = new URL('measure.ts', import.meta.url).pathname;
  const run = promisify(execFile)(process.execPath, [program, JSON.stringify(population), values.only], {
    maxBuffer: 2 ** 26,
    env: { ...process.env, POWERTOOLS_LOG_LEVEL: 'SILENT' },
  });
  run.child.stderr?.pipe(process.stderr);
  const { stdout } = await run;
  return JSON.parse(stdout.trim().split('\n').at(-1)!) as Measured[];
}

const small = await measure(few);
const manyRecords = await measure({ ...wanted, nodes: few.nodes });
const manyNodes = await measure({ ...few, nodes: wanted.nodes });
const compared: Compared[] = small.map((one, position) => ({
  ...{ small: one, manyRecords: manyRecords[position]!, manyNodes: manyNodes[position]! },
}));
console.log(`\n${formatReport(compared)}`);
process.exitCode = compared.some((one) => exceeded(one).length > 0) ? 1 : 0;
