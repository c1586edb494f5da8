import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { sampled } from '../../fixtures/sampling/sampled.ts';
import { colorDistance, colorsAt } from '../support/clips/colors.ts';
import { h264, useStoreAndFolder } from '../support/clips.ts';
import { ffmpeg } from '../support/ffmpeg.ts';
import { joinTrack } from '../support/run-jobs.ts';
import { runPlan } from '../support/run-plan.ts';

const files = useStoreAndFolder();

/** The tones of eight tracks: a channel for low frequencies keeps that of the sixth. */
const hertz = [300, 400, 500, 600, 700, 60, 900, 1000];
const tone = (hz: number): string[] => ['-f', 'lavfi', '-i', `sine=f=${hz}:d=1:r=48000`];
const picture = (color: string, size = '160x96'): string[] => [
  '-f',
  'lavfi',
  '-i',
  `color=${color}:s=${size}:r=25:d=1`,
];

/** Video, and eight mono tracks of one tone each: tracks 1 to 8. */
async function makeEightTracks(file: string, ...encoders: string[]): Promise<string> {
  const mapped = Array.from({ length: 9 }, (_, n) => ['-map', String(n)]).flat();
  await ffmpeg(...picture('red'), ...hertz.flatMap(tone), ...mapped, ...encoders, file);
  return file;
}

/** The frequency of each channel of a rendition. */
async function frequenciesOf(made: string[]): Promise<number[]> {
  const file = files.path('made.mp4');
  await joinTrack(files.store, made, file);
  const { streams } = JSON.parse(
    (await promisify(execFile)('ffprobe', ['-v', 'error', '-show_streams', '-of', 'json', file])).stdout,
  ) as { streams: { channels: number }[] };
  const { channels } = streams[0]!;
  const { stdout } = await promisify(execFile)(
    'ffmpeg',
    ['-v', 'error', '-ss', '0.25', '-i', file, '-t', '0.5', '-f', 's16le', '-ar', '48000', '-'],
    { encoding: 'buffer', maxBuffer: 1e8 },
  );
  return Array.from({ length: channels }, (_, channel) => {
    const at = (n: number): number => stdout.readInt16LE(2 * (n * channels + channel));
    let rises = 0;
    for (let n = 1; n < 24_000; n++) if (at(n - 1) < 0 && at(n) >= 0) rises++;
    return 2 * rises;
  });
}

const near = (expected: number[]) => expected.map((hz) => expect.closeTo(hz, -1));

const audio = [{ name: 'a', codec: 'aac', languages: 'all', channels: 6, bitrate: '256k' }];

const containers = [
  ['MXF', 'eight.mxf', ['-c:v', 'mpeg2video', '-c:a', 'pcm_s16le']],
  ['QuickTime', 'eight.mov', [...h264, '-c:a', 'pcm_s24le']],
  ['Matroska', 'eight.mkv', [...h264, '-c:a', 'flac']],
] as const;

// FLAC has frames of 96 ms, the last of which is shorter.
test.each(sampled(containers, ['MXF', 'Matroska']))(
  'mono tracks of %s become the channels that are asked for',
  async (_, name, encoders) => {
    const source = await makeEightTracks(files.path(name), ...encoders);
    const tracks = {
      audio: [
        { from: [4, 3], as: 'stereo', language: 'de', name: 'Main mix' },
        { from: [1, 2, 5, 6, 7, 8], as: '5.1', language: 'en' },
        { from: [7], as: 'mono', language: 'fr' },
        { from: [8, 8], as: 'stereo', language: 'es' },
      ],
    };
    const made = await runPlan(files.store, source, { audio, outputs: [{ format: 'hls' }], tracks });
    const names = made.plan.audio.map(({ language, label }) => [language, label]);
    expect(names).toEqual([
      ['de', 'Main mix'],
      ['en', undefined],
      ['fr', undefined],
      ['es', undefined],
    ]);
    const expected = [[600, 500], [300, 400, 700, 60, 900, 1000], [900], [1000, 1000]];
    for (const [n, rendition] of made.plan.audio.entries()) {
      expect(await frequenciesOf(made.audio.get(rendition.name)!), rendition.name).toEqual(near(expected[n]!));
    }
    expect(made.plan.outputs[0]?.audio).toEqual(made.plan.audio.map((rendition) => rendition.name));
    expect(made.plan.decisions?.filter(({ code }) => code.startsWith('audio'))).toEqual([]);
  },
);

test('one track is mixed down to what is asked for, and a shorter one is filled with silence', async () => {
  const source = files.path('mixed.mkv');
  const both = '[0][1]join=inputs=2:channel_layout=stereo[s]';
  await ffmpeg(
    ...[...tone(400), ...tone(800), '-f', 'lavfi', '-i', 'sine=f=500:d=0.5:r=48000'],
    ...['-filter_complex', both, '-map', '[s]', '-map', '2', '-c:a', 'flac', source],
  );
  const made = await runPlan(files.store, source, {
    audio,
    outputs: [{ format: 'hls' }],
    tracks: {
      audio: [
        { from: [0], as: 'mono' },
        { from: [1], as: 'stereo', language: 'en' },
      ],
    },
  });
  expect(made.plan.audio.map(({ channels, streamIndex }) => [streamIndex, channels])).toEqual([
    [0, 1],
    [1, 1],
  ]);
  const [mono] = await frequenciesOf(made.audio.get(made.plan.audio[0]!.name)!);
  // a sum of two tones, an octave apart
  expect(mono).toBeGreaterThan(390);
});

/** Tracks 0 and 1 are the first programme, 2 and 3 the second one. */
async function makeTwoPrograms(file: string): Promise<string> {
  await ffmpeg(
    ...[...picture('red', '320x192'), ...picture('blue'), ...tone(400), ...tone(800)],
    ...['-map', '0', '-map', '1', '-map', '2', '-map', '3', ...h264, '-c:a', 'mp2'],
    ...['-program', 'st=0:st=2', '-program', 'st=1:st=3', file],
  );
  return file;
}

const query = {
  video: [{ name: 'v', codec: 'h264', preset: 'ultrafast', crf: 20 }],
  audio,
  outputs: [{ format: 'hls' }],
};

test.each([
  [{ video: 2 }, [0, 0, 255], [800]],
  [{ video: 2, audio: [{ from: [1], as: 'mono' }] }, [0, 0, 255], [400]],
  [{ audio: [{ from: [3], as: 'stereo' }] }, [255, 0, 0], [800]],
] as const)('of two programmes, %j is used', async (tracks, color, tones) => {
  const source = await makeTwoPrograms(files.path('programs.ts'));
  const made = await runPlan(files.store, source, { ...query, tracks });
  const joined = files.path('video.mp4');
  await joinTrack(files.store, made.video.get('v')!, joined);
  const [seen] = await colorsAt(joined, [[0.5, 0.5]]);
  expect(colorDistance(seen!, [...color])).toBeLessThan(20);
  const heard = await frequenciesOf(made.audio.get(made.plan.audio[0]!.name)!);
  expect(heard).toEqual(near([...tones]));
});

test.each([
  [{ video: 1 }, 'The video tracks of the file are 0 and 2, and track 1 is asked for.'],
  [{ audio: [{ from: [1, 7], as: 'stereo' }] }, 'The audio tracks of the file are 1 and 3, and track 7 is asked for.'],
  [{ audio: [{ from: [0], as: 'mono' }] }, 'The audio tracks of the file are 1 and 3, and track 0 is asked for.'],
])('a file without the tracks %j is an error that names those that it has', async (tracks, text) => {
  const source = await makeTwoPrograms(files.path('programs.ts'));
  await expect(runPlan(files.store, source, { ...query, tracks })).rejects.toMatchObject({
    code: 'INPUT_TRACK_MISSING',
    fatal: true,
    message: `${text} Choose another one, or leave it to the service.`,
  });
});
