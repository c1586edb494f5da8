import { execFile } from 'node:child_process';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { encodeVideo } from '../../../encoder-task/jobs/encode-video.ts';
import { checkMedia } from '../../../encoder-task/verify/check-media.ts';
import type { Plan } from '../../../functions/planning/encoding-plan.ts';
import { planVideo } from '../../../functions/planning/plan-video.ts';
import { templateQuerySchema } from '../../../functions/templates/template-query.ts';
import { type CopyObstacle, copyObstacles } from '../../../shared/protocol/copy-properties.ts';
import { sampled } from '../../fixtures/sampling/sampled.ts';
import { renamed } from '../support/clips/patch.ts';
import { useStoreAndFolder } from '../support/clips.ts';
import { contextFor } from '../support/context.ts';
import { decodedHashes, decodeErrors, ffmpeg } from '../support/ffmpeg.ts';
import { makeOutputs } from '../support/make-outputs.ts';
import { readIndex } from '../support/plan.ts';
import { joinTrack, probeFile } from '../support/run-jobs.ts';
import { runPlan } from '../support/run-plan.ts';

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
    const ts = { format: 'hls', container: 'ts', segment_duration: 2 };
    made = await make(source, { ...query, outputs: [...query.outputs, ts] });
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
  const structures: [what: string, name: string, args: string[]][] = [
    [
      'B-pyramids and negative composition offsets',
      'pyramid.mp4',
      ['-bf', '3', '-x264-params', 'b-pyramid=normal', '-movflags', '+negative_cts_offsets'],
    ],
    ['a movie in fragments', 'fragments.mp4', ['-bf', '2', '-movflags', '+frag_keyframe+empty_moov+default_base_moof']],
    ['parameter sets that are repeated in the samples', 'repeated.mp4', ['-bsf:v', 'dump_extra=freq=keyframe']],
    ['several slices in a frame', 'slices.mov', ['-bf', '2', '-x264-params', 'slices=4']],
  ];
  const sample = ['B-pyramids and negative composition offsets', 'a movie in fragments'];
  test.each(sampled(structures, sample))('with %s', async (_, name, args) => {
    const source = await makeSource(name, 2.2, ...args);
    await expectCopied(source, await make(source, { ...query, video: [v180] }));
  });

  test('into HLS with MPEG-TS, DASH and MP4, beside an encode and with a video that starts late', async () => {
    const plain = await makeSource('plain.mp4', 3.4, '-bf', '2');
    const source = files.path('late.mp4');
    await ffmpeg(
      '-itsoffset',
      '0.06',
      '-i',
      plain,
      '-i',
      plain,
      ...['-map', '0:v', '-map', '1:a', '-c', 'copy', source],
    );
    const outputs = [
      { format: 'hls', container: 'ts', segment_duration: 2 },
      { format: 'dash', segment_duration: 2 },
      { format: 'mp4', video: ['v180'] },
    ];
    const made = await make(source, { ...query, outputs });
    await expectCopied(source, made);
    expect(made.plan.groups[0]?.grid.startTicks).toBe(0);
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

  test('frames in an edit list that cuts within a GOP', async () => {
    const source = files.path('cut.mp4');
    await ffmpeg('-ss', '0.5', '-i', await makeSource('uncut.mp4', 1.2), '-c', 'copy', source);
    expect(await obstacleOf(source)).toBe('frames');
  });

  test('sample-entry in a movie that may have parameter sets in its samples', async () => {
    const source = files.path('avc3.mp4');
    await writeFile(source, renamed(await readFile(await makeSource('avc1.mp4', 1.2)), { avc1: 'avc3' }));
    expect(await obstacleOf(source)).toBe('sample-entry');
  });
});

const noSegments = 'the key frames of the source are not where segments of about the requested length could start';

test.each<[what: string, reason: string, name: string, args: string[]]>([
  [
    'open GOPs',
    copyObstacles['key-frames'],
    'open.mp4',
    ['-bf', '3', '-flags', '-cgop', '-x264-params', 'open-gop=1:keyint=25:b-adapt=0'],
  ],
  [
    'irregular key frames',
    noSegments,
    'irregular.mp4',
    ['-g', '250', '-force_key_frames', '0,0.7,1.9,2.6,3.9,4.5,5.3,6.6'],
  ],
  ['one key frame', noSegments, 'huge.mp4', ['-g', '999', '-keyint_min', '999']],
])('a source with %s is encoded', async (_, reason, name, args) => {
  const source = await makeSource(name, 7, '-an', ...args);
  const probe = await probeFile(files.store, source);
  const frames = readIndex(files.store.objects.get('index.json.gz')!);
  const plan = planVideo({ probe, frames, query: templateQuerySchema.parse({ ...query, audio: [] }), capacity: 1 });
  expect(copiedRungs(plan)).toEqual([]);
  expect(plan.warnings).toEqual([`v180 is encoded, not copied: ${reason}.`]);
});

/** The first box of a type within the video track, which ffmpeg writes first. */
const payloadOf = (movie: Buffer, type: string): number =>
  movie.indexOf(type, movie.indexOf('moov', 0, 'latin1'), 'latin1') + 4;

/** Position and size of a sample of the video track. */
async function sampleAt(file: string, sample: number): Promise<{ position: number; bytes: number }> {
  const args = ['-v', 'error', '-select_streams', 'v:0', '-show_entries', 'packet=pos,size', '-of', 'csv=p=0', file];
  const { stdout } = await promisify(execFile)('ffprobe', args, { maxBuffer: 1e8 });
  const [bytes, position] = stdout.split('\n')[sample]!.split(',').map(Number);
  return { position: position!, bytes: bytes! };
}

describe('encoded all the same, because a sample is not as declared', () => {
  const bare = ['-an', '-bf', '0', '-bsf:v', 'dump_extra=freq=keyframe'];
  /** Two recordings in one track, described by the parameter sets of the first. */
  async function joinedSource(name: string, filter: string, ...args: string[]): Promise<string> {
    const parts = [files.path(`${name}-1.h264`), files.path(`${name}-2.h264`)];
    await makeSource(`${name}-1.h264`, 4, ...bare);
    await makeSource(`${name}-2.h264`, 4, ...bare, '-vf', filter, ...args);
    const joined = files.path(`${name}.h264`);
    await writeFile(joined, Buffer.concat(await Promise.all(parts.map((part) => readFile(part)))));
    const source = files.path(`${name}.mp4`);
    await ffmpeg('-r', '25', '-i', joined, '-c', 'copy', source);
    return source;
  }
  async function changed(
    name: string,
    args: string[],
    change: (movie: Buffer, file: string) => void | Promise<void>,
  ): Promise<string> {
    const file = await makeSource(`honest-${name}`, 8, '-an', ...args);
    const movie = await readFile(file);
    await change(movie, file);
    await writeFile(files.path(name), movie);
    return files.path(name);
  }

  const lies: [what: string, reason: CopyObstacle, make: () => Promise<string>][] = [
    [
      'a key frame that is none',
      'key-frames',
      () =>
        changed(
          'no-key.mp4',
          ['-bf', '0', '-force_key_frames', '0,1,2,3,4,5,6.04,7', '-g', '250', '-keyint_min', '1'],
          (movie) => {
            const stss = payloadOf(movie, 'stss');
            expect(movie.readUInt32BE(stss + 8 + 6 * 4)).toBe(152);
            movie.writeUInt32BE(151, stss + 8 + 6 * 4);
          },
        ),
    ],
    [
      'a hole of zeros',
      'damage',
      () =>
        changed('hole.mp4', [], async (movie, file) => {
          const { position, bytes } = await sampleAt(file, 130);
          movie.fill(0, position + Math.floor(bytes / 2), position + bytes - 2);
        }),
    ],
    [
      'wrong sizes',
      'damage',
      () =>
        changed('size.mp4', ['-crf', '31'], (movie) => {
          const at = payloadOf(movie, 'stsz') + 12 + 120 * 4;
          movie.writeUInt32BE(movie.readUInt32BE(at) - 3, at);
          movie.writeUInt32BE(movie.readUInt32BE(at + 4) + 3, at + 4);
        }),
    ],
    [
      'composition offsets of another order',
      'order',
      () =>
        changed('order.mp4', ['-bf', '1', '-x264-params', 'b-adapt=0'], (movie) => {
          const ctts = payloadOf(movie, 'ctts');
          const count = movie.readUInt32BE(ctts + 4);
          for (let n = 0; n < count; n++) movie.writeUInt32BE(512, ctts + 8 + n * 8 + 4);
        }),
    ],
    [
      'other parameter sets in the middle',
      'parameters',
      () => joinedSource('sets', 'null', '-refs', '1', '-profile:v', 'baseline'),
    ],
  ];

  test('another size in the middle, which the probe sees', async () => {
    const source = await joinedSource('sizes', 'scale=640:360');
    const { plan } = await runPlan(files.store, source, { ...query, video: [v180], audio: [] });
    expect(copiedRungs(plan)).toEqual([]);
    expect(plan.warnings).toEqual(['No stream is copied: none has the 640 × 360 pixels of the source.']);
  });

  const liesSample = ['a key frame that is none', 'a hole of zeros', 'other parameter sets in the middle'];

  test.each(sampled(lies, liesSample))('%s: %s', async (_, obstacle, makeLie) => {
    const source = await makeLie();
    const made = await runPlan(files.store, source, { ...query, video: [v180], audio: [] });
    expect(copiedRungs(made.plan)).toEqual(['v180']);
    expect(made.warnings[0]).toBe(`The video is encoded, not copied: ${copyObstacles[obstacle]}.`);
    const track = `${source}.track.mp4`;
    await joinTrack(files.store, made.video.get('v180')!, track);
    expect(await decodeErrors(track)).toBe('');
    expect(await sampleHashes(track)).toHaveLength(200);
  });
});

test('a long video that is not as declared fails with advice, since one job could not encode it', async () => {
  const source = await makeSource('long.mp4', 1.2);
  const probe = await probeFile(files.store, source);
  const frames = readIndex(files.store.objects.get('index.json.gz')!);
  const asked = templateQuerySchema.parse({ ...query, video: [v180], audio: [] });
  const plan = planVideo({ probe, frames, query: asked, capacity: 1 });
  const { grid, rungs, chunks } = plan.groups.find((group) => group.rungs.some(({ copied }) => copied))!;
  const chunk = { ...chunks[0]!, endFrame: 24 * 3600 * 25 };
  const spec = { kind: 'encode-video' as const, source: plan.source!, grid, rungs, chunk };
  const context = await contextFor(files.store, spec, { inputs: ['source'] });
  await expect(encodeVideo(context)).rejects.toMatchObject({
    code: 'INPUT_UNSUPPORTED',
    message: expect.stringContaining('"copy": "off"'),
  });
  await rm(context.folder, { recursive: true });
});
