import { parseArgs } from 'node:util';
import { allFaults } from './injected/all-faults.ts';
import { runFaults } from './run-faults.ts';

/**
 * `npm run faults -- --faults 200 --seed 1`: injects that many faults into a separate service, the same ones for the
 * same seed. Exits with 1 if an invariant is violated. `--only 37` runs only the 37th, `--lanes 1` one at a time,
 * `--named 'a video plays'` only faults whose names match. With `--minutes 5` no fault begins after five minutes.
 * `--quick` skips faults that take minutes, `--calm` turns off the chaos of the embedded AWS.
 */
const { values } = parseArgs({
  options: {
    faults: { type: 'string', default: '50' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    lanes: { type: 'string', default: '4' },
    only: { type: 'string' },
    named: { type: 'string' },
    minutes: { type: 'string' },
    quick: { type: 'boolean', default: false },
    calm: { type: 'boolean', default: false },
  },
});

console.log(`seed ${values.seed}`);
const { violations } = await runFaults({
  sets: allFaults,
  count: Number(values.faults),
  seed: Number(values.seed),
  lanes: Number(values.lanes),
  only: values.only === undefined ? undefined : Number(values.only),
  named: values.named === undefined ? undefined : new RegExp(values.named),
  maxMinutes: values.minutes === undefined ? undefined : Number(values.minutes),
  slowToo: !values.quick,
  chaos: !values.calm,
  print: (line) => console.log(line),
  onStarted(stop) {
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.once(signal, () => stop().finally(() => process.exit(1)));
  },
});
for (const violation of violations) console.error(`VIOLATED: ${violation}`);
console.log(violations.length === 0 ? 'every invariant holds' : `${violations.length} violations`);
process.exit(violations.length === 0 ? 0 : 1);
