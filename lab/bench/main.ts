import { isVideoCodec, videoCodecs } from '../../shared/media/codecs.ts';
import { readProgramOptions, wholeNumber } from '../../test/program-options.ts';
import { benches } from './benches.ts';
import { formatRow, heading, type Row } from './row.ts';

const usage = `npm run bench -- [--json] [--repeats 3] [--only NAME] [--codec h264] [--clip NAME|FILE]…

Prints each measurement, with its baseline of the same run, when it is ready. Exits with 1 when a target is missed.

  --json       one JSON document for each measurement
  --repeats N  how often the benches that repeat measure; 3 without it
  --codec C    of the ladders of the benches ladder and memory: ${videoCodecs.join(', ')}; h264 without it
  --clip NAME  a clip of the bench ladder, or the path of a file, whose beginning is a clip; repeat it for more
  --only NAME  one bench:
${benches.map(({ name, about }) => `               ${name.padEnd(12)} ${about}`).join('\n')}
`;

const stillEveryMs = 30_000;

const options = {
  json: { type: 'boolean', default: false },
  repeats: { type: 'string', default: '3' },
  only: { type: 'string' },
  codec: { type: 'string', default: 'h264' },
  clip: { type: 'string', multiple: true },
} as const;
const { json, repeats, wanted, ladder } = readProgramOptions(usage, options, ({ json, repeats, only, codec, clip }) => {
  const wanted = benches.filter(({ name }) => only === undefined || only === name);
  if (wanted.length === 0) throw new Error(`There is no bench ${only}`);
  if (!isVideoCodec(codec)) throw new Error(`There is no codec ${codec}`);
  return { json, repeats: wholeNumber('repeats', repeats), wanted, ladder: { codec, wanted: clip ?? [] } };
});

const rows: Row[] = [];
if (!json) console.log(heading);
for (const [index, { name, about, measure }] of wanted.entries()) {
  const startMs = Date.now();
  console.error(`${index + 1} of ${wanted.length}, ${name}: ${about} …`);
  const still = setInterval(() => {
    console.error(`  ${name}: ${Math.round((Date.now() - startMs) / 1000)} s so far …`);
  }, stillEveryMs);
  try {
    for (const row of await measure(repeats, ladder)) {
      rows.push(row);
      console.log(json ? JSON.stringify(row) : formatRow(row));
    }
  } finally {
    clearInterval(still);
  }
}
const missed = rows.filter(({ ok }) => !ok);
if (!json) {
  console.log(missed.length === 0 ? '\nAll targets are met.' : '\nMissed:');
  for (const row of missed) console.log(formatRow(row));
}
process.exitCode = missed.length === 0 ? 0 : 1;
