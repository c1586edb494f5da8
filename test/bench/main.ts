// npm run bench -- [--json] [--repeats 3] [--only NAME]
// Prints each measurement with its baseline of the same run when it is ready. Exits with 1 when a target is missed.

import { parseArgs } from 'node:util';
import { benches } from './benches.ts';
import { formatRow, heading, type Row } from './row.ts';

const stillEveryMs = 30_000;

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    repeats: { type: 'string', default: '3' },
    only: { type: 'string' },
  },
});
const repeats = Number(values.repeats);
if (!(Number.isInteger(repeats) && repeats >= 1)) throw new Error(`--repeats is a whole number, not ${values.repeats}`);

const wanted = benches.filter(({ name }) => values.only === undefined || values.only === name);
if (wanted.length === 0) throw new Error(`--only is one of ${benches.map(({ name }) => name).join(', ')}`);

const rows: Row[] = [];
if (!values.json) console.log(heading);
for (const [index, { name, about, measure }] of wanted.entries()) {
  const startMs = Date.now();
  console.error(`${index + 1} of ${wanted.length}, ${name}: ${about} …`);
  const still = setInterval(() => {
    console.error(`  ${name}: ${Math.round((Date.now() - startMs) / 1000)} s so far …`);
  }, stillEveryMs);
  try {
    for (const row of await measure(repeats)) {
      rows.push(row);
      console.log(values.json ? JSON.stringify(row) : formatRow(row));
    }
  } finally {
    clearInterval(still);
  }
}
const missed = rows.filter(({ ok }) => !ok);
if (!values.json) {
  console.log(missed.length === 0 ? '\nAll targets are met.' : '\nMissed:');
  for (const row of missed) console.log(formatRow(row));
}
process.exitCode = missed.length === 0 ? 0 : 1;
