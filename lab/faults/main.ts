import { readProgramOptions, wholeNumber } from '../../test/program-options.ts';
import { allFaults } from './injected/all-faults.ts';
import { runFaults } from './run-faults.ts';

const usage = `npm run faults -- [--faults 50] [--seed N]

Injects faults into a separate service. Exits with 1 if an invariant is violated.

  --faults N    how many; 50 without it
  --seed N      the same seed gives the same faults; without it, a new one
  --only N      only the fault of this number, from 0
  --named TEXT  only faults whose names match this regular expression
  --lanes N     how many at a time; 4 without it
  --minutes N   no fault begins after this time
  --quick       without faults that take minutes
  --calm        without the chaos of the embedded AWS
`;

const options = {
  faults: { type: 'string', default: '50' },
  seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
  lanes: { type: 'string', default: '4' },
  only: { type: 'string' },
  named: { type: 'string' },
  minutes: { type: 'string' },
  quick: { type: 'boolean', default: false },
  calm: { type: 'boolean', default: false },
} as const;
const { seed, ...chosen } = readProgramOptions(usage, options, (values) => ({
  count: wholeNumber('faults', values.faults),
  seed: wholeNumber('seed', values.seed, 0),
  lanes: wholeNumber('lanes', values.lanes),
  only: values.only === undefined ? undefined : wholeNumber('only', values.only, 0),
  named: values.named === undefined ? undefined : new RegExp(values.named),
  maxMinutes: values.minutes === undefined ? undefined : wholeNumber('minutes', values.minutes),
  slowToo: !values.quick,
  chaos: !values.calm,
}));

console.log(`seed ${seed}`);
const { violations } = await runFaults({
  ...chosen,
  seed,
  sets: allFaults,
  print: (line) => console.log(line),
  onStarted(stop) {
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.once(signal, () => stop().finally(() => process.exit(1)));
  },
});
for (const violation of violations) console.error(`VIOLATED: ${violation}`);
console.log(violations.length === 0 ? 'every invariant holds' : `${violations.length} violations`);
process.exit(violations.length === 0 ? 0 : 1);
