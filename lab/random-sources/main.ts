import { readProgramOptions, wholeNumber } from '../../test/program-options.ts';
import { runRandomSources } from './run-random-sources.ts';

const usage = `npm run random-sources -- [--count 500] [--first 1] [--seed N] [--only N]

Makes random sources of all containers, with tracks that differ in number, kind, length, start, rate, size, rotation,
flags and colours, uploads them to a new service, and compares what viewers get with what each source contains. Exits
with 1 when something differs.

  --count N  how many sources; 500 without it
  --first N  the number of the first one; 1 without it
  --seed N   the same seed gives the same sources; without it, a new one
  --only N   only the source of this number, from 1
`;

const options = {
  count: { type: 'string', default: '500' },
  first: { type: 'string', default: '1' },
  seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
  only: { type: 'string' },
} as const;
const { count, first, seed, only } = readProgramOptions(usage, options, (values) => ({
  count: wholeNumber('count', values.count),
  first: wholeNumber('first', values.first),
  seed: wholeNumber('seed', values.seed, 0),
  only: values.only === undefined ? undefined : wholeNumber('only', values.only),
}));

console.log(`seed ${seed}`);
const wrong = await runRandomSources({
  first,
  count,
  seed,
  only,
  print: (line) => console.log(line),
  onStarted(stop) {
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.once(signal, () => stop().finally(() => process.exit(1)));
  },
});
for (const { source, problems } of wrong)
  console.error(`PROBLEM: --seed ${seed} --only ${source.number}: ${problems.join('; ')}`);
console.log(
  wrong.length === 0 ? 'every source became what it contains' : `${wrong.length} sources became something wrong`,
);
process.exit(wrong.length === 0 ? 0 : 1);
