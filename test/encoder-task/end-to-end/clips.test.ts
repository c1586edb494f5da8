import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { checkMedia } from '../../../encoder-task/verify/check-media.ts';
import type { Clip } from '../../../functions/contracts/fields/source-options.ts';
import type { Plan } from '../../../functions/planning/encoding-plan.ts';
import { sampled } from '../../fixtures/sampling/sampled.ts';
import { editMovie } from '../support/clips/edit-movie.ts';
import { decodeFrames, numberedVideo, type ShownFrame } from '../support/clips/numbered.ts';
import { useStoreAndFolder } from '../support/clips.ts';
import { ffmpeg } from '../support/ffmpeg.ts';
import { makeOutputs } from '../support/make-outputs.ts';

const exec = promisify(execFile);
const files = useStoreAndFolder();

const query = {
  video: [{ name: 'v', codec: 'h264', width: 160, crf: 24, preset: 'ultrafast', gop: 1 }],
  audio: [{ name: 'a', codec: 'aac', sample_rate: 48_000, bitrate: '128k', channels: 1 }],
  chunk_duration: 4,
  outputs: [
    ...['hls', 'dash'].map((format) => ({ format, name: format, segment_duration: 2 })),
    { format: 'mp4', name: 'mp4' },
  ],
  thumbnails: { poster: { at: '0%' }, sprite: { interval: 1 } },
};

/** Tones whose sum is not like itself at another time. */
const tonesHz = [223, 311, 419, 557, 761, 947, 1187, 1453, 1733, 2053, 2411, 2837, 3301];
const soundAt = (seconds: number): number =>
  tonesHz.reduce((sum, hertz, n) => sum + Math.sin(2 * Math.PI * hertz * seconds + n * n), 0) / tonesHz.length;
const tones = (seconds: number): string[] => {
  const sum = tonesHz.map((hertz, n) => `sin(2*PI*${hertz}*t+${n * n})`).join('+');
  return ['-f', 'lavfi', '-i', `aevalsrc='0.7*(${sum})/${tonesHz.length}':c=mono:s=48000:d=${seconds}`];
};

const x264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-sc_threshold', '0'];
const longGroups = [...x264, '-g', '250', '-bf', '3', '-b_strategy', '0'];
const shortGroups = [...x264, '-g', '25', '-bf', '2', '-b_strategy', '0'];

type Source = {
  args: string[];
  /** the source time at which the sound has its time 0, where that is not 0 */
  soundSeconds?: number;
  /** changes the file */
  change?: (bytes: Buffer) => Buffer | Promise<Buffer>;
  clip: Clip;
  /** of the result, where its frames do not say it */
  seconds?: number;
  hasVideo?: false;
  /** the number on the picture at a source time, where ffmpeg does not show it; by default, that of ffmpeg */
  shownAt?: (sourceSeconds: number) => number;
};

const both = (seconds: number): string[] => [...numberedVideo(seconds), ...tones(seconds)];

const cases: [string, Source][] = [
  [
    'the middle of long groups with B-frames in an MP4',
    {
      args: [...both(20), ...longGroups, '-c:a', 'aac', 'long.mp4'],
      clip: { startSeconds: 7.3, endSeconds: 13.1 },
    },
  ],
  [
    'the beginning of an MP4',
    {
      args: [...both(20), ...longGroups, '-c:a', 'aac', 'beginning.mp4'],
      clip: { endSeconds: 2.5 },
    },
  ],
  [
    'the end of an MP4',
    {
      args: [...both(20), ...shortGroups, '-c:a', 'aac', 'end.mp4'],
      clip: { startSeconds: 16.9 },
    },
  ],
  [
    'an MP4, from a key frame on',
    {
      args: [...both(20), ...shortGroups, '-c:a', 'aac', 'keys.mp4'],
      clip: { startSeconds: 4, endSeconds: 8 },
    },
  ],
  [
    'a fragmented MP4',
    {
      args: [...both(12), ...shortGroups, '-c:a', 'aac', '-movflags', 'frag_keyframe+empty_moov', 'fragments.mp4'],
      // pictures and sound begin after the encoder's delay
      soundSeconds: 0.08,
      clip: { startSeconds: 5.5, endSeconds: 9.02 },
    },
  ],
  [
    'an MP4 with an edit list that begins late',
    {
      args: [...both(12), ...shortGroups, '-c:a', 'aac', 'edited.mp4'],
      change: (bytes) => editMovie(bytes, [{ fromSeconds: 3, seconds: 8 }]),
      soundSeconds: -3,
      clip: { startSeconds: 2.2, endSeconds: 6 },
    },
  ],
  [
    'an MP4 whose edits meet between key frames',
    {
      args: [...both(12), ...shortGroups, '-c:a', 'pcm_s16le', 'edits.mov'],
      change: (bytes) =>
        editMovie(bytes, [
          { fromSeconds: 1.08, seconds: 2 },
          { fromSeconds: 5.44, seconds: 6 },
        ]),
      soundSeconds: -3.44,
      shownAt: (at) => Math.floor((at < 2 ? 1.08 + at : 3.44 + at) * 25 + 0.01),
      clip: { startSeconds: 2.6, endSeconds: 6.4 },
    },
  ],
  [
    'a Matroska file of 29.97 frames a second',
    {
      args: [...numberedVideo(12, { rate: '30000/1001' }), ...tones(12), ...longGroups, '-c:a', 'libopus', 'ntsc.mkv'],
      clip: { startSeconds: 3.14, endSeconds: 8.81 },
    },
  ],
  [
    'a WebM of VP9',
    {
      args: [
        ...both(8),
        '-c:v',
        'libvpx-vp9',
        '-deadline',
        'realtime',
        '-cpu-used',
        '8',
        '-g',
        '50',
        '-c:a',
        'libopus',
        'vp9.webm',
      ],
      clip: { startSeconds: 3.3, endSeconds: 6 },
    },
  ],
  [
    'an MPEG-TS, whose times do not start at 0',
    {
      args: [...both(20), ...shortGroups, '-c:a', 'aac', 'stream.ts'],
      soundSeconds: 1.48,
      clip: { startSeconds: 12.3, endSeconds: 17 },
    },
  ],
  [
    'an MPEG-TS of two recordings, across the joint',
    {
      args: [...both(6), ...shortGroups, '-c:a', 'mp2', '-b:a', '192k', 'joined.ts'],
      change: async (bytes) => Buffer.concat([bytes, bytes]),
      shownAt: (at) => Math.floor((at - 1.48) * 25 + 0.01) % 150,
      clip: { startSeconds: 4.2, endSeconds: 8 },
      soundSeconds: Number.NaN,
    },
  ],
  [
    'an MPEG program stream',
    {
      args: [
        ...both(14),
        '-c:v',
        'mpeg2video',
        '-q:v',
        '3',
        '-bf',
        '2',
        '-g',
        '12',
        '-c:a',
        'mp2',
        '-b:a',
        '192k',
        'program.mpg',
      ],
      clip: { startSeconds: 6.4, endSeconds: 11 },
      soundSeconds: 0.54,
    },
  ],
  [
    'an AVI',
    {
      args: [...both(10), '-c:v', 'mpeg4', '-q:v', '3', '-g', '25', '-c:a', 'pcm_s16le', 'old.avi'],
      clip: { startSeconds: 4.4, endSeconds: 7 },
    },
  ],
  [
    'an FLV',
    {
      args: [...both(10), ...shortGroups, '-c:a', 'aac', 'live.flv'],
      soundSeconds: 0.08,
      clip: { startSeconds: 4.4, endSeconds: 7 },
    },
  ],
  [
    'a variable frame rate',
    {
      args: [
        ...both(16),
        ...['-vf', "select='not(between(n,100,170))*(1-between(mod(n,9),3,4))'", '-fps_mode', 'passthrough'],
        ...[...shortGroups, '-c:a', 'aac', 'variable.mp4'],
      ],
      clip: { startSeconds: 5, endSeconds: 10.7 },
      seconds: 5.7,
    },
  ],
  [
    'sound that begins late, from before it on',
    {
      args: [...numberedVideo(12), '-itsoffset', '4.25', ...tones(8), ...shortGroups, '-c:a', 'aac', 'late.mp4'],
      soundSeconds: 4.25,
      clip: { startSeconds: 3.4, endSeconds: 8 },
    },
  ],
  [
    'pictures that begin late, from before them on',
    {
      args: [
        '-itsoffset',
        '3',
        ...numberedVideo(9),
        '-itsoffset',
        '0',
        ...tones(12),
        ...shortGroups,
        '-c:a',
        'pcm_s16le',
        'pictures-late.mkv',
      ],
      clip: { startSeconds: 1.7, endSeconds: 6 },
      seconds: 4.3,
    },
  ],
  [
    'sound after the last picture',
    {
      args: [...numberedVideo(3), ...tones(12), ...shortGroups, '-c:a', 'aac', 'held.mp4'],
      clip: { startSeconds: 5.1, endSeconds: 8.3 },
      seconds: 3.2,
    },
  ],
  [
    'one picture with sound',
    {
      args: [...numberedVideo(1 / 25, { first: 5 }), ...tones(12), ...x264, '-c:a', 'aac', 'still.mp4'],
      clip: { startSeconds: 5.1, endSeconds: 8.3 },
      seconds: 3.2,
    },
  ],
  [
    'pictures without sound',
    {
      args: [...numberedVideo(10), ...longGroups, 'silent.mp4'],
      clip: { startSeconds: 2.2, endSeconds: 6.6 },
      soundSeconds: Number.NaN,
    },
  ],
  [
    'sound alone, of an M4A',
    {
      args: [...tones(20), '-c:a', 'aac', 'alone.m4a'],
      clip: { startSeconds: 7.0101, endSeconds: 13.00205 },
      seconds: 5.99195,
      hasVideo: false,
    },
  ],
  [
    'sound alone, of an MP3',
    {
      args: [...tones(20), '-c:a', 'libmp3lame', 'alone.mp3'],
      // the encoder's priming
      soundSeconds: 1105 / 48_000,
      clip: { startSeconds: 7.0101, endSeconds: 13.00205 },
      seconds: 5.99195,
      hasVideo: false,
    },
  ],
  [
    'sound alone, of a WAV and a FLAC',
    {
      args: [...tones(20), '-c:a', 'flac', 'alone.flac'],
      clip: { startSeconds: 7.0101, endSeconds: 13.00205 },
      seconds: 5.99195,
      hasVideo: false,
    },
  ],
];

describe('a clip has every frame and every sample between its ends: of', () => {
  test.each(sampled(cases, ['the middle of long groups with B-frames in an MP4', 'a variable frame rate']))(
    '%s',
    async (_, source) => {
      const { args, change, clip, hasVideo, soundSeconds = 0 } = source;
      const file = files.path(args.at(-1)!);
      await ffmpeg(...args.slice(0, -1), file);
      if (change) await writeFile(file, await change(await readFile(file)));
      const folder = `${file}.outputs`;
      const { plan, probe } = await makeOutputs(files.store, file, query, folder, clip);
      expect((await checkMedia(folder)).problems).toEqual([]);
      const starts = probe.audio.map(({ startSeconds }) => startSeconds);
      if (probe.video) starts.push((probe.video.startPts * probe.video.timeBase.num) / probe.video.timeBase.den);
      const fileSeconds = Math.min(...starts);
      const endSeconds = Math.min(clip.endSeconds ?? Number.POSITIVE_INFINITY, probe.durationSeconds);
      const asked = { startSeconds: fileSeconds + (clip.startSeconds ?? 0), endSeconds: fileSeconds + endSeconds };
      if (hasVideo !== false) {
        await expectFrames(source.shownAt ?? shownIn(await decodeFrames(file, '-copyts')), folder, { plan, asked });
      }
      const exactSeconds = hasVideo === false ? 0.0001 : 0.041;
      if (source.seconds !== undefined) {
        expect(Math.abs(plan.durationSeconds - source.seconds)).toBeLessThan(exactSeconds);
      }
      if (Number.isNaN(soundSeconds)) return;
      const segments = (await readdir(join(folder, 'audio/a'))).sort();
      const joined = await Promise.all(segments.map((name) => readFile(join(folder, 'audio/a', name))));
      await writeFile(`${file}.joined.mp4`, Buffer.concat([joined.at(-1)!, ...joined.slice(0, -1)]));
      // ffmpeg 9 leaves out the packet before the first sample where a file has fragments, earlier versions do not.
      const joinedSound = { soundSeconds, earlierSamples: 1024, inputArgs: ['-ignore_editlist', '1'] };
      await expectSound(`${file}.joined.mp4`, plan, joinedSound);
      if (hasVideo === false) return;
      await expectSound(join(folder, 'outputs/mp4/video.mp4'), plan, { soundSeconds, earlierSamples: 0 });
    },
  );
});

test('of a long MP4, a clip reads its index and what is near it', async () => {
  const [part, file] = [files.path('part.mp4'), files.path('long-film.mp4')];
  const noise = 'testsrc2=s=320x180:r=25:d=12,noise=alls=20:allf=t';
  const input = ['-f', 'lavfi', '-i', noise, '-f', 'lavfi', '-i', 'sine=d=12'];
  await ffmpeg(...input, ...x264, '-g', '50', '-b:v', '2M', '-c:a', 'aac', part);
  await ffmpeg('-stream_loop', '39', '-i', part, '-c', 'copy', file);
  const clip = { startSeconds: 300, endSeconds: 305 };
  // of the sources of other cases
  const sentBefore = files.store.sentBytes('source');
  await makeOutputs(files.store, file, { ...query, outputs: query.outputs.slice(0, 1) }, `${file}.outputs`, clip);
  const { length } = files.store.objects.get('source')!;
  expect(length).toBeGreaterThan(80_000_000);
  // Each job reads some seconds before and after the five that it needs.
  expect((files.store.sentBytes('source') - sentBefore) / length).toBeLessThan(0.25);
});

const played = ['mp4/video.mp4', 'hls/master.m3u8', 'dash/manifest.mpd'];

type ShownAt = (sourceSeconds: number) => number;

/** The number on the last frame that begins before a time, and on the first frame before all. */
const shownIn =
  ({ frames }: { frames: ShownFrame[] }): ShownAt =>
  (sourceSeconds) =>
    (frames.findLast(({ seconds }) => seconds <= sourceSeconds) ?? frames[0]!).number;

async function expectFrames(
  shownAt: ShownAt,
  folder: string,
  { plan, asked }: { plan: Plan; asked: { startSeconds: number; endSeconds: number } },
): Promise<void> {
  const { originSeconds, durationSeconds, groups } = plan;
  const { num, den } = groups[0]!.grid.frameRate;
  const frameSeconds = den / num;
  const [mp4, ...others] = await Promise.all(played.map((output) => decodeFrames(join(folder, 'outputs', output))));
  const { frames, errors } = mp4!;
  expect(errors).toBe('');
  const expected = frames.map(({ seconds }) => shownAt(originSeconds + seconds + 0.499 * frameSeconds));
  const numbers = frames.map(({ number }) => number);
  expect(numbers).toEqual(expected);
  expect([numbers[0], numbers.at(-1)]).toEqual([
    shownAt(asked.startSeconds + 0.0005),
    shownAt(asked.endSeconds - 0.0006),
  ]);
  expect(Math.abs(frames.at(-1)!.seconds + frameSeconds - durationSeconds)).toBeLessThan(frameSeconds);
  expect(originSeconds).toBeGreaterThan(asked.startSeconds - frameSeconds - 0.001);
  expect(originSeconds).toBeLessThan(asked.startSeconds + 0.001);
  for (const other of others) {
    // From DASH, ffmpeg 9 can return the last packet of a track twice.
    const once = other.frames.filter(({ seconds }, n) => seconds !== other.frames[n - 1]?.seconds);
    expect(once.map(({ number }) => number)).toEqual(numbers);
  }
}

const rateHz = 48_000;
const windowSamples = 0.15 * rateHz;
const mostLag = 0.02 * rateHz;

/** The sound is that of the source, to within a millisecond, from its first sample to its last. */
async function expectSound(
  file: string,
  { originSeconds, durationSeconds }: Plan,
  {
    soundSeconds,
    earlierSamples,
    inputArgs = [],
  }: { soundSeconds: number; earlierSamples: number; inputArgs?: string[] },
): Promise<void> {
  const { stdout } = await exec(
    'ffmpeg',
    [
      ...['-nostdin', '-v', 'error', ...inputArgs, '-i', file, '-map', '0:a:0'],
      ...['-af', `aresample=${rateHz}:async=1:first_pts=0`, '-ac', '1', '-f', 's16le', '-'],
    ],
    { encoding: 'buffer', maxBuffer: 1e8 },
  );
  const end = Math.round(durationSeconds * rateHz);
  expect(stdout.length / 2 - earlierSamples).toBeGreaterThanOrEqual(end - 1);
  const start = Math.max(0, Math.round((soundSeconds - originSeconds) * rateHz));
  for (const from of [start, end - windowSamples]) {
    const samples = Array.from({ length: windowSamples }, (_, n) =>
      stdout.readInt16LE(2 * (earlierSamples + from + n)),
    );
    const lags = Array.from({ length: 2 * mostLag + 1 }, (_, n) => n - mostLag);
    const likeness = lags.map((lag) =>
      correlation(samples, (n) => soundAt(originSeconds - soundSeconds + (from + n + lag) / rateHz)),
    );
    const best = Math.max(...likeness);
    expect(best).toBeGreaterThan(0.9);
    expect(Math.abs(lags[likeness.indexOf(best)]!)).toBeLessThanOrEqual(rateHz / 1000);
  }
}

function correlation(samples: number[], expectedAt: (n: number) => number): number {
  let [product, power, expectedPower] = [0, 0, 0];
  for (let n = 0; n < samples.length; n += 7) {
    const expected = expectedAt(n);
    product += samples[n]! * expected;
    power += samples[n]! ** 2;
    expectedPower += expected ** 2;
  }
  return product / Math.sqrt(power * expectedPower || 1);
}
