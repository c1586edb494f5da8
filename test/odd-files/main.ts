import { parseArgs } from 'node:util';
import { runOddFiles } from './run-odd-files.ts';

/**
 * `npm run odd-files -- --count 200 --seed 1` sends damaged, inconsistent, extreme and wrong files to a new service,
 * with valid files between them. The same seed gives the same files. The exit code is 1 when a file ends without a
 * clear reason, needs a second attempt, or delays a valid file. `--only 37` sends only the 37th file.
 */
const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '200' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    only: { type: 'string' },
  },
});

console.log(`seed ${values.seed}`);
const problems = await runOddFiles({
  count: Number(values.count),
  seed: Number(values.seed),
  only: values.only === undefined ? undefined : Number(values.only),
  print: (line) => console.log(line),
  onStarted(stop) {
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.once(signal, () => stop().finally(() => process.exit(1)));
  },
});
for (const line of problems) console.error(`PROBLEM: ${line}`);
console.log(problems.length === 0 ? 'every file ended as expected' : `${problems.length} problems`);
process.exit(problems.length === 0 ? 0 : 1);
