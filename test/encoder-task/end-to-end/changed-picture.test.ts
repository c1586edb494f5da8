import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { addSpherical } from '../../../encoder-task/isobmff/add-metadata.ts';
import type { Picture } from '../../../functions/templates/query-structure.ts';
import { sampled } from '../../fixtures/sampling/sampled.ts';
import { type Color, colorDistance, colorsAt } from '../support/clips/colors.ts';
import { turnVideo } from '../support/clips/mp4.ts';
import { numberedVideo } from '../support/clips/numbered.ts';
import { h264, useStoreAndFolder } from '../support/clips.ts';
import { ffmpeg } from '../support/ffmpeg.ts';
import { makeOutputs } from '../support/make-outputs.ts';
import { joinTrack } from '../support/run-jobs.ts';
import { runPlan } from '../support/run-plan.ts';

const files = useStoreAndFolder();

type Point = [x: number, y: number];
type Settings = Partial<Omit<Picture, 'crop'>> & { crop?: Partial<NonNullable<Picture['crop']>> };

const [white, red, green, blue, yellow]: Color[] = [
  [255, 255, 255],
  [255, 0, 0],
  [0, 255, 0],
  [0, 0, 255],
  [255, 255, 0],
];

/** The colour of the upright picture at a point from 0 to 1: four quarters, with a white edge at the left. */
function colorOf([x, y]: Point): Color {
  if (x < 0.1) return white!;
  return y < 0.5 ? (x < 0.5 ? red! : green!) : x < 0.5 ? blue! : yellow!;
}

const picture = (size: string, seconds: number): string =>
  [
    `color=red:s=${size}:r=25:d=${seconds},format=gbrp`,
    'drawbox=x=iw/2:y=0:w=iw/2:h=ih/2:color=0x00ff00:t=fill',
    'drawbox=x=0:y=ih/2:w=iw/2:h=ih/2:color=blue:t=fill',
    'drawbox=x=iw/2:y=ih/2:w=iw/2:h=ih/2:color=yellow:t=fill',
    'drawbox=x=0:y=0:w=iw/10:h=ih:color=white:t=fill',
  ].join(',');

const input = (size: string, seconds = 0.4): string[] => ['-f', 'lavfi', '-i', picture(size, seconds)];
const bt709 = ['-vf', 'scale=out_color_matrix=bt709,format=yuv420p', '-colorspace', 'bt709', '-color_range', 'tv'];
const encoder = [...h264, ...bt709, '-qp', '6', '-g', '5'];

/** A phone stores its frames turned, and the container says how they are shown. */
async function phoneVideo(file: string, size: string, degrees: 90 | 180 | 270, transposed: string): Promise<void> {
  const stored = `${transposed},scale=out_color_matrix=bt709,format=yuv420p`;
  await ffmpeg(...input(size), ...h264, '-vf', stored, '-colorspace', 'bt709', '-qp', '6', file);
  const bytes = await readFile(file);
  turnVideo(bytes, degrees);
  await writeFile(file, bytes);
}

type Source = {
  name: string;
  file: string;
  /** as displayed */
  size: [width: number, height: number];
  make: (file: string) => Promise<unknown>;
};

const sources: Source[] = [
  { name: 'square pixels', file: 'a.mp4', size: [320, 180], make: (to) => ffmpeg(...input('320x180'), ...encoder, to) },
  {
    name: 'a phone held upright',
    file: 'b.mp4',
    size: [180, 320],
    make: (to) => phoneVideo(to, '180x320', 90, 'transpose=cclock'),
  },
  {
    name: 'a phone held upside down',
    file: 'c.mp4',
    size: [320, 180],
    make: (to) => phoneVideo(to, '320x180', 180, 'hflip,vflip'),
  },
  {
    name: 'anamorphic',
    file: 'd.mp4',
    size: [256, 144],
    make: (to) => ffmpeg(...input('180x144'), ...encoder, '-aspect', '16:9', to),
  },
  {
    name: 'anamorphic and turned',
    file: 'e.mp4',
    size: [144, 256],
    make: async (to) => {
      const stored = 'transpose=cclock,scale=out_color_matrix=bt709,format=yuv420p,setsar=64/45';
      await ffmpeg(...input('144x180'), ...h264, '-vf', stored, '-colorspace', 'bt709', '-qp', '6', to);
      const bytes = await readFile(to);
      turnVideo(bytes, 90);
      await writeFile(to, bytes);
    },
  },
  {
    name: 'interlaced',
    file: 'f.ts',
    size: [320, 192],
    make: (to) => ffmpeg(...input('320x192'), ...encoder, '-flags', '+ilme+ildct', '-x264-params', 'tff=1', to),
  },
  {
    name: 'odd sides',
    file: 'g.mkv',
    size: [321, 181],
    make: (to) => ffmpeg(...input('321x181'), '-c:v', 'ffv1', '-pix_fmt', 'yuv420p', to),
  },
  { name: 'RGB', file: 'h.mov', size: [320, 180], make: (to) => ffmpeg(...input('320x180'), '-c:v', 'qtrle', to) },
  {
    name: 'changing sizes',
    file: 'i.ts',
    size: [320, 180],
    make: async (to) => {
      const parts: Buffer[] = [];
      for (const [n, size] of ['320x180', '160x90'].entries()) {
        await ffmpeg(...input(size, 1), ...encoder, '-output_ts_offset', String(n), to);
        parts.push(await readFile(to));
      }
      await writeFile(to, Buffer.concat(parts));
    },
  },
  {
    name: 'ten bits',
    file: 'j.mkv',
    size: [320, 180],
    make: (to) =>
      ffmpeg(
        ...input('320x180'),
        ...['-vf', 'scale=out_color_matrix=bt709,format=yuv422p10le', '-c:v', 'libx264', '-qp', '6'],
        ...['-colorspace', 'bt709', to],
      ),
  },
];

const settings: [name: string, Settings][] = [
  ['a quarter turn', { rotate: 90 }],
  ['a half turn', { rotate: 180 }],
  ['three quarters of a turn', { rotate: 270 }],
  ['a horizontal flip', { flip: 'horizontal' }],
  ['a vertical flip', { flip: 'vertical' }],
  ['a crop of shares', { crop: { left: '10%', top: '20%' } }],
  ['a crop of pixels', { crop: { right: 100, bottom: 20 } }],
  ['a crop that is turned and flipped', { crop: { right: '25%', top: '60%' }, rotate: 90, flip: 'horizontal' }],
  ['a crop that is turned back and flipped', { crop: { left: 40, bottom: '10%' }, rotate: 270, flip: 'vertical' }],
];

/** What is cut off each side of the upright picture, as a share of it. */
const sharesOf = ({ crop = {} }: Settings, [width, height]: Source['size']) =>
  Object.fromEntries(
    (['left', 'right', 'top', 'bottom'] as const).map((side) => {
      const cut = crop[side] ?? 0;
      const length = side === 'left' || side === 'right' ? width : height;
      return [side, typeof cut === 'string' ? Number.parseFloat(cut) / 100 : cut / length];
    }),
  ) as Record<'left' | 'right' | 'top' | 'bottom', number>;

/** The point of the upright picture that is shown at a point of the result. */
function origin([x, y]: Point, given: Settings, size: Source['size']): Point {
  const [a, b]: Point = given.flip === 'horizontal' ? [1 - x, y] : given.flip === 'vertical' ? [x, 1 - y] : [x, y];
  const turned: Record<number, Point> = { 0: [a, b], 90: [b, 1 - a], 180: [1 - a, 1 - b], 270: [1 - b, a] };
  const [u, v] = turned[given.rotate ?? 0]!;
  const { left, right, top, bottom } = sharesOf(given, size);
  return [left + u * (1 - left - right), top + v * (1 - top - bottom)];
}

function sizeOf(given: Settings, [width, height]: Source['size']): [number, number] {
  const { left, right, top, bottom } = sharesOf(given, [width, height]);
  const part: [number, number] = [width * (1 - left - right), height * (1 - top - bottom)];
  return (given.rotate ?? 0) % 180 === 0 ? part : [part[1], part[0]];
}

const points: Point[] = [
  [0.05, 0.05],
  [0.95, 0.05],
  [0.05, 0.95],
  [0.95, 0.95],
];

const query = {
  video: [{ name: 'v', codec: 'h264', preset: 'ultrafast', crf: 10 }],
  outputs: [{ format: 'hls' }],
  thumbnails: { poster: { at: '0s' }, sprite: { interval: 1, columns: 1, rows: 1, width: 160 } },
};

const cases = sources.flatMap((source) =>
  settings.map(([name, given]): [string, Source, Settings] => [`${source.name}: ${name}`, source, given]),
);

async function expectCorners(file: string, source: Source, given: Settings): Promise<void> {
  for (const [n, color] of (await colorsAt(file, points)).entries()) {
    const expected = colorOf(origin(points[n]!, given, source.size));
    expect(colorDistance(color, expected), `${file} at ${points[n]}: ${color}, not ${expected}`).toBeLessThan(40);
  }
}

test.each(
  sampled(cases, [
    'square pixels: a crop of pixels',
    'a phone held upright: a crop that is turned and flipped',
    'anamorphic and turned: a crop that is turned back and flipped',
    'interlaced: a quarter turn',
    'odd sides: a crop of shares',
    'changing sizes: a crop that is turned and flipped',
  ]),
)('%s, in the video, the poster and the sprite', async (_, source, given) => {
  const file = files.path(source.file);
  await source.make(file);
  const made = await runPlan(files.store, file, { ...query, picture: given });
  const { width, height } = made.plan.streams[0]!;
  const [expectedWidth, expectedHeight] = sizeOf(given, source.size);
  expect(Math.abs(width! - expectedWidth)).toBeLessThanOrEqual(3);
  expect(Math.abs(height! - expectedHeight)).toBeLessThanOrEqual(3);
  expect([width! % 2, height! % 2]).toEqual([0, 0]);
  const joined = files.path('joined.mp4');
  await joinTrack(files.store, made.video.get('v')!, joined);
  await expectCorners(joined, source, given);
  for (const image of ['poster.jpg', 'sprite-001.jpg']) {
    await writeFile(files.path(image), files.store.objects.get(image)!);
    await expectCorners(files.path(image), source, given);
  }
});

test('HLS in both containers, DASH and MP4 show the changed picture', async () => {
  const source = sources[0]!;
  const given: Settings = { crop: { left: '10%', bottom: '60%' }, rotate: 90 };
  const file = files.path(source.file);
  await source.make(file);
  const outputs = [
    { name: 'hls', format: 'hls' },
    { name: 'ts', format: 'hls', container: 'ts' },
    { name: 'dash', format: 'dash' },
    { name: 'mp4', format: 'mp4' },
  ];
  const { folder } = await makeOutputs(files.store, file, { ...query, outputs, picture: given }, files.path('made'));
  for (const path of ['hls/master.m3u8', 'ts/master.m3u8', 'dash/manifest.mpd', 'mp4/video.mp4']) {
    await expectCorners(`${folder}/outputs/${path}`, source, given);
  }
});

test('a panorama keeps its picture, with a decision and a warning', async () => {
  const [flat, file] = [files.path('flat.mp4'), files.path('panorama.mp4')];
  await ffmpeg(...input('320x160'), ...encoder, flat);
  await writeFile(file, addSpherical(await readFile(flat), { projection: 'equirectangular', stereo: 'mono' }));
  const { plan } = await runPlan(files.store, file, { ...query, picture: { rotate: 90, crop: { top: '10%' } } });
  const message = 'The source is a 360° video: its picture is neither cropped nor rotated nor flipped.';
  expect(plan.decisions).toContainEqual({
    code: 'picture_unchanged',
    message,
    facts: { projection: 'equirectangular' },
  });
  expect(plan.warnings).toContain(message);
  expect(plan.streams).toMatchObject([{ width: 320, height: 160 }]);
});

/** Fields in the order of `scan`, each of which shows its number. */
const fields = (scan: 'tff' | 'bff', seconds: number, rate: string): string[] => [
  ...numberedVideo(seconds, { rate }),
  ...['-vf', `interlace=scan=${scan}:lowpass=off`, '-flags', '+ilme+ildct', '-g', '12', '-threads', '1'],
];

/**
 * The number on the field that each frame is made of: its lines are those of one field, and the lines between them are
 * computed from other fields too.
 */
async function fieldNumbers(file: string, scan: 'tff' | 'bff', first = 0): Promise<number[]> {
  const [bits, lines] = [10, 32];
  const filter = `scale=${bits}:${lines}:flags=area,format=gray`;
  const { stdout } = await promisify(execFile)(
    'ffmpeg',
    ['-v', 'error', '-i', file, '-fps_mode', 'passthrough', '-vf', filter, '-f', 'rawvideo', '-'],
    { encoding: 'buffer', maxBuffer: 1e8 },
  );
  return Array.from({ length: stdout.length / bits / lines }, (_, n) => {
    const line = (lines / 2 + ((((n + first) % 2) + (scan === 'tff' ? 0 : 1)) % 2)) * bits + n * bits * lines;
    return stdout.subarray(line, line + bits).reduce((sum, level, bit) => sum + (level > 128 ? 2 ** bit : 0), 0);
  });
}

const fieldCases = [
  ['H.264 in MPEG-TS, top field first', 'a.ts', 'tff', '50', [...h264, '-x264-params', 'tff=1']],
  ['H.264 in MP4, bottom field first', 'b.mp4', 'bff', '60000/1001', [...h264, '-x264-params', 'bff=1', '-bf', '2']],
  ['MPEG-2 in MXF', 'c.mxf', 'tff', '50', ['-c:v', 'mpeg2video', '-q:v', '2', '-field_order', 'tt']],
  [
    'MPEG-2 in a programme stream',
    'd.mpg',
    'tff',
    '60000/1001',
    ['-c:v', 'mpeg2video', '-q:v', '2', '-field_order', 'tt'],
  ],
] as const;

test.each(sampled(fieldCases, ['H.264 in MPEG-TS, top field first']))(
  'every field of %s is a frame, in order and across chunks',
  async (_, name, scan, rate, args) => {
    const file = files.path(name);
    await ffmpeg(...fields(scan, 9, rate), ...args, file);
    const double = {
      video: [{ name: 'v', codec: 'h264', preset: 'ultrafast', crf: 12, gop: 0.5 }],
      outputs: [{ format: 'hls', segment_duration: 1 }],
      chunk_duration: 4,
      picture: { deinterlace: 'double' },
      thumbnails: { poster: { at: '50%' }, images: { count: 3 }, preview: {} },
    };
    const made = await runPlan(files.store, file, double);
    expect(made.warnings).toEqual([]);
    expect(made.plan.groups.flatMap(({ chunks }) => chunks).length).toBeGreaterThan(1);
    const { grid } = made.plan.groups[0]!;
    const [num, den = 1] = rate.split('/').map(Number);
    expect(grid.frameRate).toEqual({ num, den });
    const joined = files.path('joined.mp4');
    await joinTrack(files.store, made.video.get('v')!, joined);
    const frameCount = 2 * made.probed.video!.frameCount;
    expect(await fieldNumbers(joined, scan)).toEqual(Array.from({ length: frameCount }, (_, n) => n));
    await writeFile(files.path('poster.jpg'), files.store.objects.get('poster.jpg')!);
    // the field at half of the time
    expect(await fieldNumbers(files.path('poster.jpg'), scan, frameCount / 2)).toEqual([frameCount / 2]);
  },
);

test('a clip of fields has those of its frames, and no others', async () => {
  const file = files.path('clipped.ts');
  await ffmpeg(...fields('tff', 9, '50'), ...h264, '-x264-params', 'tff=1', file);
  const query = {
    video: [{ name: 'v', codec: 'h264', preset: 'ultrafast', crf: 12, gop: 0.5 }],
    outputs: [{ name: 'mp4', format: 'mp4' }],
    chunk_duration: 4,
    picture: { deinterlace: 'double' },
  };
  const clip = { startSeconds: 1.2, endSeconds: 7.8 };
  const { folder } = await makeOutputs(files.store, file, query, files.path('clip'), clip);
  const shown = await fieldNumbers(`${folder}/outputs/mp4/video.mp4`, 'tff');
  expect(shown).toEqual(Array.from({ length: 330 }, (_, n) => 60 + n));
});
