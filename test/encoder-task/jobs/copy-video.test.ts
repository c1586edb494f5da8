import { execFile } from 'node:child_process';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { checkMedia } from '../../../encoder-task/verify/check-media.ts';
import type { Plan } from '../../../functions/planning/encoding-plan.ts';
import type { CopyObstacle } from '../../../shared/protocol/copy-facts.ts';
import { useStoreAndFolder } from '../support/clips.ts';
import { decodedHashes, decodeErrors, ffmpeg } from '../support/ffmpeg.ts';
import { makeOutputs } from '../support/make-outputs.ts';
import { probeFile } from '../support/run-jobs.ts';

const files = useStoreAndFolder();

const x264 = ['-c:v', 'libx264', '-preset', 'veryfast', '-pix_fmt', 'yuv420p', '-crf', '30'];
const regular = ['-g', '25', '-keyint_min', '25', '-sc_threshold', '0', '-flags', '+cgop'];

/** A clip of 25 fps with stereo. */
async function makeSource(name: string, seconds: number, ...args: string[]): Promise<string> {
  const file = files.path(name);
  await ffmpeg(
    ...['-f', 'lavfi', '-i', `testsrc2=s=320x180:r=25:d=${seconds}`],
    ...['-f', 'lavfi', '-i', `sine=f=440:r=48000:d=${seconds}`, '-ac', '2'],
    ...[...x264, ...regular, '-c:a', 'aac', ...args, file],
  );
  return file;
}

const v180 = { name: 'v180', codec: 'h264', height: 180, bitrate: '2M', gop: 1, preset: 'ultrafast' };
const v90 = { name: 'v90', codec: 'h264', height: 90, bitrate: '300k', gop: 1, preset: 'ultrafast' };
const query = {
  copy: 'auto',
  video: [v180, v90],
  audio: [{ name: 'stereo', codec: 'aac' }],
  outputs: [{ format: 'hls', segment_duration: 2 }],
};

type Made = { folder: string; plan: Plan; track: string };

/** Makes the outputs of a source, checks them with the independent reader, and joins the track v180. */
async function make(source: string, asked: object = query): Promise<Made> {
  const folder = `${source}.out`;
  await rm(folder, { recursive: true, force: true });
  const { plan } = await makeOutputs(files.store, source, asked, folder);
  const { problems, entries } = await checkMedia(folder);
  expect(problems).toEqual([]);
  expect(entries).toBeGreaterThan(0);
  const segments = (await readdir(join(folder, 'video/v180'))).filter((name) => name.endsWith('.m4s')).sort();
  const isSecond = segments.some((name) => name.startsWith('r2-'));
  const names = [
    isSecond ? 'r2-init.mp4' : 'init.mp4',
    ...segments.filter((name) => name.startsWith('r2-') === isSecond),
  ];
  const track = `${source}.track.mp4`;
  await writeFile(
    track,
    Buffer.concat(await Promise.all(names.map((name) => readFile(join(folder, 'video/v180', name))))),
  );
  return { folder, plan, track };
}

/** Size and hash of every sample of the video track, as stored. */
async function sampleHashes(file: string): Promise<string[]> {
  const args = [
    '-nostdin',
    '-v',
    'error',
    '-i',
    file,
    '-map',
    '0:v:0',
    '-c',
    'copy',
    '-f',
    'framehash',
    '-hash',
    'md5',
  ];
  const { stdout } = await promisify(execFile)('ffmpeg', [...args, '-'], { maxBuffer: 1e8 });
  return stdout.split('\n').flatMap((line) => (line && !line.startsWith('#') ? line.split(',').slice(4).join() : []));
}

const pictureHashes = async (file: string): Promise<string[]> =>
  (await decodedHashes(file, '-map', '0:v:0')).map((line) => line.split(',').at(-1)!);

const copiedRungs = (plan: Plan): string[] =>
  plan.groups.flatMap(({ rungs }) => rungs.filter(({ copied }) => copied).map(({ name }) => name));

async function expectCopied(source: string, { plan, track }: Made): Promise<void> {
  expect(copiedRungs(plan)).toEqual(['v180']);
  expect(await sampleHashes(track)).toEqual(await sampleHashes(source));
  expect(await pictureHashes(track)).toEqual(await pictureHashes(source));
  expect(await decodeErrors(track)).toBe('');
}

describe('a source that already is what the rung asks for', () => {
  let source: string;
  let made: Made;

  beforeAll(async () => {
    source = await makeSource('regular.mp4', 7.2, '-bf', '3');
    made = await make(source);
  });

  test('becomes segments with the same samples, beside an encoded rung with the same bounds', async () => {
    await expectCopied(source, made);
    const encoded = await readdir(join(made.folder, 'video/v90'));
    expect((await readdir(join(made.folder, 'video/v180'))).filter((name) => name.endsWith('.m4s'))).toHaveLength(4);
    expect(encoded.filter((name) => name.endsWith('.m4s'))).toHaveLength(4);
    expect(made.plan.warnings).toEqual([]);
  });

  test('has exact times', async () => {
    const { stdout } = await promisify(execFile)('ffprobe', [
      ...['-v', 'error', '-show_entries', 'packet=pts', '-of', 'csv=p=0', made.track],
    ]);
    const times = stdout
      .trim()
      .split('\n')
      .map(Number)
      .sort((a, b) => a - b);
    expect(times).toEqual(Array.from({ length: 180 }, (_, n) => n * 1000));
  });
});

describe('copied', () => {
  test.each<[what: string, name: string, args: string[]]>([
    [
      'B-pyramids and negative composition offsets',
      'pyramid.mp4',
      ['-bf', '3', '-x264-params', 'b-pyramid=normal', '-movflags', '+negative_cts_offsets'],
    ],
    ['a movie in fragments', 'fragments.mp4', ['-bf', '2', '-movflags', '+frag_keyframe+empty_moov+default_base_moof']],
    ['parameter sets that are repeated in the samples', 'repeated.mp4', ['-bsf:v', 'dump_extra=freq=keyframe']],
    ['several slices in a frame', 'slices.mov', ['-bf', '2', '-x264-params', 'slices=4']],
  ])('with %s', async (_, name, args) => {
    const source = await makeSource(name, 2.2, ...args);
    await expectCopied(source, await make(source, { ...query, video: [v180] }));
  });

  test('into HLS with MPEG-TS, DASH and MP4, with a video that starts after the audio', async () => {
    const plain = await makeSource('plain.mp4', 3.4, '-bf', '2');
    const source = files.path('late.mp4');
    await ffmpeg(
      '-itsoffset',
      '0.48',
      '-i',
      plain,
      '-i',
      plain,
      ...['-map', '0:v', '-map', '1:a', '-c', 'copy', source],
    );
    const outputs = [
      { format: 'hls', container: 'ts', segment_duration: 2 },
      { format: 'dash', segment_duration: 2 },
      { format: 'mp4' },
    ];
    const made = await make(source, { ...query, video: [v180], outputs });
    await expectCopied(source, made);
    expect(made.plan.groups[0]?.grid.startTicks).toBe(12_000);
    const whole = join(made.folder, 'outputs/mp4/video.mp4');
    expect(await sampleHashes(whole)).toEqual(await sampleHashes(source));
  });
});

describe('encoded, because the probe finds', () => {
  const obstacleOf = async (source: string): Promise<CopyObstacle | null> => {
    const { copy } = (await probeFile(files.store, source)).video!;
    if (!copy) throw new Error('no facts about copying');
    return 'obstacle' in copy ? copy.obstacle : null;
  };

  test.each<[obstacle: CopyObstacle, what: string, name: string, args: string[]]>([
    ['container', 'Matroska', 'container.mkv', []],
    ['container', 'MPEG-TS', 'container.ts', []],
    ['container', 'a movie that lists no key frames, since all are', 'intra.mp4', ['-g', '1']],
    ['profile', '4:2:2', 'profile.mp4', ['-pix_fmt', 'yuv422p']],
    ['interlaced', 'fields', 'fields.mp4', ['-flags', '+ilme+ildct+cgop']],
  ])('%s in %s', async (obstacle, _, name, args) => {
    const source = await makeSource(name, 1.2, ...args);
    expect(await obstacleOf(source)).toBe(obstacle);
  });
});
