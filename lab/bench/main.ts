import { isVideoCodec, videoCodecs } from '../../shared/media/codecs.ts';
import { readProgramOptions, wholeNumber } from '../../test/program-options.ts';
import { type BenchChoice, benches } from './benches.ts';
import { isPreset } from './encoders/encoders.ts';
import { formatRow, heading, type Row } from './row.ts';

const usage = `npm run bench -- [--json] [--repeats 3] [--only NAME] [--codec h264] [--clip NAME|FILE]…
                  [--clips N] [--ffmpeg PATH]… [--suite NAME]… [--preset NAME|NUMBER]…

Prints each measurement, with its baseline of the same run, when it is ready. Exits with 1 when a target is missed.

  --json       one JSON document for each measurement
  --repeats N  how often the benches that repeat measure; 3 without it
  --codec C    of the ladders of the benches ladder and memory: ${videoCodecs.join(', ')}; h264 without it.
               Of the bench encoders: all without it
  --clip NAME  a clip of the bench ladder, or the path of a file, whose beginning is a clip; repeat it for more
  --clips N    so many of all clips, evenly spread, for the bench encoders; all 16 without it
  --ffmpeg P   a program ffmpeg, or a folder with one, for the bench encoders; repeat it for more. The first is the
               baseline. Without it and --suite, the one on the PATH
  --suite NAME ffmpeg of a suite of Debian, such as trixie, which is downloaded; repeat it for more
  --preset P   a preset of templates, or a number of the encoder's own; repeat it for more. All presets without it
  --only NAME  one bench:
${benches.map(({ name, about }) => `               ${name.padEnd(12)} ${about}`).join('\n')}
`;

const stillEveryMs = 30_000;

const options = {
  json: { type: 'boolean', default: false },
  repeats: { type: 'string', default: '3' },
  only: { type: 'string' },
  codec: { type: 'string' },
  clip: { type: 'string', multiple: true },
  clips: { type: 'string' },
  ffmpeg: { type: 'string', multiple: true },
  suite: { type: 'string', multiple: true },
  preset: { type: 'string', multiple: true },
} as const;
const { json, repeats, wanted, choice } = readProgramOptions(usage, options, ({ json, repeats, only, ...values }) => {
  const { codec = 'h264', clip = [], clips, ffmpeg = [], suite = [], preset = [] } = values;
  const wanted = benches.filter(({ name }) => only === undefined || only === name);
  if (wanted.length === 0) throw new Error(`There is no bench ${only}`);
  if (!isVideoCodec(codec)) throw new Error(`There is no codec ${codec}`);
  const wrong = preset.find((name) => !isPreset(name) && !/^\d{1,2}$/.test(name));
  if (wrong !== undefined) throw new Error(`There is no preset ${wrong}`);
  const wrongSuite = suite.find((name) => !/^[a-z][a-z-]*$/.test(name));
  if (wrongSuite !== undefined) throw new Error(`There is no suite ${wrongSuite}`);
  const choice: BenchChoice = {
    codec,
    wanted: clip,
    ffmpeg,
    suites: suite,
    presets: preset,
    codecs: values.codec === undefined ? [] : [codec],
    ...(clips !== undefined && { clipCount: wholeNumber('clips', clips) }),
  };
  return { json, repeats: wholeNumber('repeats', repeats), wanted, choice };
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
    for (const row of await measure(repeats, choice)) {
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
