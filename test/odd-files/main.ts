import { parseArgs } from 'node:util';
import { runOddFiles } from './run-odd-files.ts';

/**
 * `npm run odd-files -- --count 200 --seed 1`: that many damaged, lying, extreme and wrong files to a service of its own, the same ones for the same
 * seed, with good files among them. Ends with 1 when one ends without a clear reason, takes a second attempt, or makes a good file wait. `--only 37`
 * sends the 37th alone.
 */
const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '200' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    only: { type: 'string' },
  },
});

console.log(`seed ${values.seed}`);
const wrong = await runOddFiles({
  count: Number(values.count),
  seed: Number(values.seed),
  only: values.only === undefined ? undefined : Number(values.only),
  print: (line) => console.log(line),
  onStarted(stop) {
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.once(signal, () => stop().finally(() => process.exit(1)));
  },
});
for (const line of wrong) console.error(`WRONG: ${line}`);
console.log(wrong.length === 0 ? 'every file ended as it should' : `${wrong.length} things are wrong`);
process.exit(wrong.length === 0 ? 0 : 1);
