import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { readProgramOptions, wholeNumber } from '../../test/program-options.ts';

const usage = `npm run fuzz -- [--runs 20000] [--seed N]

Sends malformed requests and prints a table of the responses.

  --runs N  how many requests; 20000 without it
  --seed N  the same seed gives the same requests; without it, a new one
`;

const options = {
  runs: { type: 'string', default: '20000' },
  seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
} as const;
const { runs, seed } = readProgramOptions(usage, options, (values) => ({
  runs: wholeNumber('runs', values.runs),
  seed: wholeNumber('seed', values.seed, 0),
}));

const root = join(import.meta.dirname, '../..');
console.log(`seed ${seed}`);
const run = spawn(
  process.execPath,
  [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--project', 'unit', join(root, 'lab/fuzz')],
  { cwd: root, stdio: 'inherit', env: { ...process.env, FUZZ_RUNS: String(runs), FUZZ_SEED: String(seed) } },
);
run.on('exit', (code) => {
  process.exitCode = code ?? 1;
});
