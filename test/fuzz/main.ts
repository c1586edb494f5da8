import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

/**
 * `npm run fuzz -- --runs 20000 --seed 7`: that many malformed requests, the same ones for the same seed, with a table
 * of the responses.
 */
const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '20000' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
  },
});

const root = join(import.meta.dirname, '../..');
console.log(`seed ${values.seed}`);
const run = spawn(
  process.execPath,
  [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--project', 'unit', join(root, 'test/fuzz')],
  { cwd: root, stdio: 'inherit', env: { ...process.env, FUZZ_RUNS: values.runs, FUZZ_SEED: values.seed } },
);
run.on('exit', (code) => {
  process.exitCode = code ?? 1;
});
