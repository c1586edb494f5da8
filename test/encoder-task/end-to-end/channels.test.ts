import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { useStoreAndFolder } from '../support/clips.ts';
import { ffmpeg } from '../support/ffmpeg.ts';
import { joinTrack } from '../support/run-jobs.ts';
import { runPlan } from '../support/run-plan.ts';

const files = useStoreAndFolder();

/** Speaker bits of WAVE_FORMAT_EXTENSIBLE. */
const masks = { none: 0, '5.1': 0x3f, '7.1': 0x63f, '7.1.4': 0x2d63f };
const silent = Number.NEGATIVE_INFINITY;

/** Half a second of 60 Hz, which an LFE channel can carry, with a level per channel in `decibels`. */
function toneWav(decibels: number[], mask: number): Buffer {
  const [channels, rate, frames] = [decibels.length, 48_000, 24_000];
  const media = Buffer.alloc(frames * channels * 2);
  for (let frame = 0; frame < frames; frame++) {
    const wave = Math.SQRT2 * Math.sin((2 * Math.PI * 60 * frame) / rate);
    for (const [channel, level] of decibels.entries()) {
      media.writeInt16LE(Math.round(32_767 * wave * 10 ** (level / 20)), (frame * channels + channel) * 2);
    }
  }
  const format = Buffer.alloc(40);
  for (const [at, value] of [
    [0, 0xfffe],
    [2, channels],
    [12, channels * 2],
    [14, 16],
    [16, 22],
    [18, 16],
  ] as const) {
    format.writeUInt16LE(value, at);
  }
  for (const [at, value] of [
    [4, rate],
    [8, rate * channels * 2],
    [20, mask],
  ] as const)
    format.writeUInt32LE(value, at);
  Buffer.from('0100000000001000800000aa00389b71', 'hex').copy(format, 24);
  const chunk = (type: string, content: Buffer): Buffer => {
    const head = Buffer.from(`${type}\0\0\0\0`, 'latin1');
    head.writeUInt32LE(content.length, 4);
    return Buffer.concat([head, content]);
  };
  return chunk('RIFF', Buffer.concat([Buffer.from('WAVE'), chunk('fmt ', format), chunk('data', media)]));
}

/** The level of each channel of the rendition in decibels. */
async function levelsOf(
  decibels: number[],
  mask: number,
  rendition: object,
): Promise<{ levels: number[]; warnings: string[] }> {
  const source = files.path('source.wav');
  await writeFile(source, toneWav(decibels, mask));
  return measured(source, rendition);
}

async function measured(source: string, rendition: object): Promise<{ levels: number[]; warnings: string[] }> {
  const query = { audio: [{ name: 'a', bitrate: '768k', ...rendition }], outputs: [{ format: 'hls' }] };
  const { audio, plan } = await runPlan(files.store, source, query);
  const made = files.path('made.mp4');
  await joinTrack(files.store, audio.get('a')!, made);
  const measure = 'astats=measure_overall=none:measure_perchannel=RMS_level';
  const report = await ffmpeg('-v', 'info', '-ss', '0.1', '-t', '0.3', '-i', made, '-af', measure, '-f', 'null', '-');
  const levels = [...report.matchAll(/RMS level dB: (\S+)/g)].map(([, level]) =>
    Math.max(-99, Number(level?.replace('inf', 'Infinity'))),
  );
  return { levels, warnings: plan.warnings };
}

const steps = (count: number, decibels = 2): number[] =>
  Array.from({ length: count }, (_, channel) => -12 - decibels * channel);
const only = (count: number, loud: number): number[] =>
  Array.from({ length: count }, (_, channel) => (channel === loud ? -12 : silent));

function expectLevels(levels: number[], expected: number[], tolerance = 1): void {
  expect(levels).toHaveLength(expected.length);
  for (const [channel, level] of expected.entries()) {
    if (level === silent) expect(levels[channel]).toBeLessThan(-60);
    else expect(Math.abs(levels[channel]! - level)).toBeLessThan(tolerance);
  }
}

const unnamed = /^The audio has 16 channels without a channel layout/;

test.each([
  ['aac', 1],
  // libopus 1.6 makes a low tone up to 1.6 dB quieter. The steps are far enough apart to tell the channels.
  ['opus', 1.9],
])('%s keeps the eight channels of 7.1 with the LFE channel', async (codec, tolerance) => {
  const wide = steps(8, 4);
  const { levels, warnings } = await levelsOf(wide, masks['7.1'], { codec, channels: 8 });
  expectLevels(levels, wide, tolerance);
  expect(warnings).toEqual([]);
});

test('six channels stay six when eight are requested', async () => {
  expectLevels((await levelsOf(steps(6), masks['5.1'], { codec: 'aac', channels: 8 })).levels, steps(6));
});

test('the LFE channel of 7.1 is that of 5.1', async () => {
  const { levels } = await levelsOf(only(8, 3), masks['7.1'], { codec: 'aac', channels: 6 });
  expectLevels(levels, [silent, silent, silent, -12, silent, silent]);
});

test('of sixteen channels without a layout the first eight are kept, with a warning', async () => {
  const { levels, warnings } = await levelsOf(steps(16), masks.none, { codec: 'aac', channels: 8 });
  expectLevels(levels, steps(8));
  expect(warnings).toEqual([expect.stringMatching(unnamed)]);
});

test('in stereo all sixteen channels are mixed', async () => {
  const { levels, warnings } = await levelsOf(only(16, 14), masks.none, { codec: 'aac', channels: 2 });
  expectLevels(levels, [-12 + 20 * Math.log10(1 / 8), silent]);
  expect(warnings).toEqual([expect.stringMatching(unnamed)]);
});

test('a height channel is mixed to the channel below it, and LFE is kept', async () => {
  const gain = 20 * Math.log10(Math.SQRT1_2 / (1 + Math.SQRT1_2));
  const above = await levelsOf(only(12, 8), masks['7.1.4'], { codec: 'aac', channels: 8 });
  expectLevels(above.levels, [-12 + gain, ...Array(7).fill(silent)]);
  expect(above.warnings).toEqual([
    expect.stringMatching(/^The 12 channels of the audio \(FL, .*\) are mixed to 7\.1\.$/),
  ]);
  const low = await levelsOf(only(12, 3), masks['7.1.4'], { codec: 'aac', channels: 8 });
  expectLevels(low.levels, [
    silent,
    silent,
    silent,
    -12 + 20 * Math.log10(1 / (1 + Math.SQRT1_2)),
    ...Array(4).fill(silent),
  ]);
});

/** The speakers of a file that has a mono track for each; undefined where it names none. */
type Speaker = 'FL' | 'FR' | 'FC' | 'LFE' | 'BL' | 'BR' | undefined;

/** A QuickTime file with a mono track of PCM for each of the speakers, each with a tone of another level. */
async function makeMonoTracks(speakers: Speaker[]): Promise<string> {
  const file = files.path('mono.mov');
  const inputs = speakers.flatMap((_, n) => ['-f', 'lavfi', '-i', `aevalsrc='${amplitude(n)}*sin(2*PI*60*t)':d=0.5`]);
  const named = speakers.map((speaker, n) => `[${n}]pan=1c|c0=c0,aformat=channel_layouts=${speaker ?? 'mono'}[a${n}]`);
  const maps = speakers.flatMap((_, n) => ['-map', `[a${n}]`]);
  await ffmpeg(...inputs, '-filter_complex', named.join(';'), ...maps, '-c:a', 'pcm_s16le', file);
  return file;
}

const amplitude = (track: number): number => Math.SQRT2 * 10 ** (steps(6)[track]! / 20);

test('two mono tracks of a camera are left and right, and mono where that is asked for', async () => {
  const source = await makeMonoTracks([undefined, undefined]);
  expectLevels((await measured(source, { codec: 'aac', channels: 2 })).levels, steps(2));
  const [left, right] = steps(2).map((level) => 10 ** (level / 20)) as [number, number];
  const mixed = 20 * Math.log10(Math.SQRT1_2 * (left + right));
  expectLevels((await measured(source, { codec: 'aac', channels: 1 })).levels, [mixed]);
});

test('six mono tracks are 5.1 when the file names their speakers', async () => {
  const source = await makeMonoTracks(['FC', 'FL', 'FR', 'BL', 'BR', 'LFE']);
  const [center, left, right, backLeft, backRight, low] = steps(6) as [number, number, number, number, number, number];
  const { levels } = await measured(source, { codec: 'aac', channels: 6 });
  expectLevels(levels, [left, right, center, low, backLeft, backRight]);
});

test('joined tracks are normalised as one', async () => {
  const { levels } = await measured(await makeMonoTracks([undefined, undefined]), { codec: 'aac', loudness: -30 });
  expect(levels).toHaveLength(2);
  expect(levels[0]! - levels[1]!).toBeGreaterThan(1.5);
});
