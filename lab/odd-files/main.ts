import { readProgramOptions, wholeNumber } from '../../test/program-options.ts';
import { runOddFiles } from './run-odd-files.ts';

const usage = `npm run odd-files -- [--count 200] [--seed N] [--only N]

Sends damaged, inconsistent, extreme and wrong files to a new service, with valid files between them. Exits with 1 when
a file ends without a clear reason, needs a second attempt, or delays a valid file.

  --count N  how many files; 200 without it
  --seed N   the same seed gives the same files; without it, a new one
  --only N   only the file of this number, from 0
`;

const options = {
  count: { type: 'string', default: '200' },
  seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
  only: { type: 'string' },
} as const;
const { count, seed, only } = readProgramOptions(usage, options, (values) => ({
  count: wholeNumber('count', values.count),
  seed: wholeNumber('seed', values.seed, 0),
  only: values.only === undefined ? undefined : wholeNumber('only', values.only, 0),
}));

console.log(`seed ${seed}`);
const problems = await runOddFiles({
  count,
  seed,
  only,
  print: (line) => console.log(line),
  onStarted(stop) {
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.once(signal, () => stop().finally(() => process.exit(1)));
  },
});
for (const line of problems) console.error(`PROBLEM: ${line}`);
console.log(problems.length === 0 ? 'every file ended as expected' : `${problems.length} problems`);
process.exit(problems.length === 0 ? 0 : 1);
