import { execFile } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { makeThumbnails } from '../../../encoder-task/jobs/thumbnails.ts';
import { planPoster } from '../../../functions/planning/thumbnail-plan.ts';
import { videoSource } from '../../../functions/planning/video/video-source.ts';
import { type JobResult, jobResultSchemas, type ThumbnailsSpec } from '../../../shared/protocol/jobs.ts';
import { editMovie } from '../support/clips/edit-movie.ts';
import { numberedVideo, shownFrames } from '../support/clips/numbered.ts';
import { withNoise } from '../support/clips/patch.ts';
import { h264, makeClip, makeResizedClip, useStoreAndFolder } from '../support/clips.ts';
import { contextFor } from '../support/context.ts';
import { ffmpeg, streamsOf } from '../support/ffmpeg.ts';
import { probeFile } from '../support/run-jobs.ts';

const files = useStoreAndFolder();

/** Luma of the first pixel. */
const ffmpegBytes = (file: string) =>
  promisify(execFile)('ffmpeg', ['-v', 'error', '-i', file, '-vf', 'scale=1:1,format=gray', '-f', 'rawvideo', '-'], {
    encoding: 'buffer',
  });
/** The plane, because ffmpeg 9 makes grey from BT.709 up to two levels darker. */
const lumaOf = async (file: string): Promise<Buffer> => {
  const { stdout } = await promisify(execFile)(
    'ffmpeg',
    ['-v', 'error', '-i', file, '-vf', 'extractplanes=y', '-f', 'rawvideo', '-'],
    { encoding: 'buffer' },
  );
  return stdout;
};
/** Red, green and blue of the whole picture. */
const rgbOf = async (file: string): Promise<Buffer> => {
  const { stdout } = await promisify(execFile)(
    'ffmpeg',
    ['-v', 'error', '-i', file, '-vf', 'format=rgb24,scale=1:1', '-f', 'rawvideo', '-'],
    { encoding: 'buffer' },
  );
  return stdout;
};
const sprite: NonNullable<ThumbnailsSpec['sprite']> = {
  intervalSeconds: 1,
  startSeconds: 0,
  tileWidth: 64,
  tileHeight: 36,
  columns: 2,
  rows: 2,
  sheets: 2,
  tiles: 5,
  decodesAll: false,
  format: 'jpg',
};

async function thumbnails(
  file: string,
  requested: Partial<Pick<ThumbnailsSpec, 'poster' | 'sprite' | 'images' | 'preview'>>,
): Promise<JobResult<'thumbnails'>> {
  const probed = await probeFile(files.store, file);
  const spec: ThumbnailsSpec = {
    kind: 'thumbnails',
    source: videoSource(probed.video!, probed),
    durationSeconds: probed.durationSeconds,
    poster: null,
    sprite: null,
    ...requested,
  };
  const outputs = [
    'poster.jpg',
    'poster-7.jpg',
    'poster.webp',
    'sprite-001.jpg',
    'sprite-002.jpg',
    'sprite-001.webp',
    'sprite.vtt',
    'image-001.jpg',
    'image-002.jpg',
    'image-003.jpg',
    'preview.webp',
    'preview.mp4',
  ];
  const context = await contextFor(files.store, spec, { inputs: ['source'], outputs });
  try {
    return jobResultSchemas.thumbnails.parse(await makeThumbnails(context));
  } finally {
    await rm(context.folder, { recursive: true });
  }
}

async function sizeOf(key: string) {
  await writeFile(files.path(key), files.store.objects.get(key)!);
  const [image] = await streamsOf(files.path(key));
  return { width: image?.width, height: image?.height, codec: image?.codec_name };
}

describe('a poster', () => {
  test.each(['jpg', 'webp'] as const)('as %s has the requested size', async (format) => {
    const source = await makeClip(files.path('clip.mp4'), '25', 3, ...h264, '-g', '25');
    const poster = { atSeconds: 1.5, width: 160, height: 90, format };
    const { files: made } = await thumbnails(source, { poster, sprite: null });
    expect(made).toEqual([{ file: `poster.${format}`, bytes: files.store.objects.get(`poster.${format}`)!.length }]);
    expect(await sizeOf(`poster.${format}`)).toEqual({
      width: 160,
      height: 90,
      codec: format === 'jpg' ? 'mjpeg' : 'webp',
    });
  });

  const hevc = ['-c:v', 'libx265', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p10le', '-x265-params'];
  const pq = 'log-level=error:colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc:range=limited';
  test.each([
    ['jpg', 'BT.709', 'bt709', [...h264, '-qp', '4', '-colorspace', 'bt709']],
    ['webp', 'BT.709', 'bt709', [...h264, '-qp', '4', '-colorspace', 'bt709']],
    ['jpg', 'PQ', 'bt2020', [...hevc, pq]],
    ['webp', 'PQ', 'bt2020', [...hevc, pq]],
  ] as const)('as %s has the colours of a video in %s', async (format, _, matrix, encoder) => {
    const green = ['-vf', `format=gbrp,geq=r=0:g=255:b=0,scale=out_color_matrix=${matrix}`];
    const source = await makeClip(files.path('green.mp4'), '25', 0.2, ...green, ...encoder);
    await thumbnails(source, { poster: { atSeconds: 0, width: 160, height: 90, format }, sprite: null });
    await writeFile(files.path('green-poster'), files.store.objects.get(`poster.${format}`)!);
    const [r, g, b] = await rgbOf(files.path('green-poster'));
    expect([r! < 8, g! > 240, b! < 8]).toEqual([true, true, true]);
  });

  test.each([
    ['BT.601', 'small video', 180, 'bt601'],
    ['BT.709', 'HD video', 720, 'bt709'],
  ])('is converted from %s, as players do, for %s without colour tags', async (_, __, height, matrix) => {
    const green = `format=gbrp,geq=r=0:g=255:b=0,scale=-2:${height}:out_color_matrix=${matrix},setparams=colorspace=unknown`;
    const source = await makeClip(files.path('untagged.mp4'), '25', 0.2, '-vf', green, ...h264, '-qp', '4');
    expect((await streamsOf(source))[0]).toMatchObject({ height });
    expect((await streamsOf(source))[0]).not.toHaveProperty('color_space');
    const { files: made } = await thumbnails(source, {
      poster: { atSeconds: 0, width: 160, height: 90, format: 'jpg' },
      sprite: { ...sprite, columns: 1, rows: 1, tiles: 1, sheets: 1 },
    });
    for (const file of made.map((each) => each.file).filter((name) => name.endsWith('.jpg'))) {
      await writeFile(files.path('untagged-image'), files.store.objects.get(file)!);
      const [r, g, b] = await rgbOf(files.path('untagged-image'));
      expect({ file, colors: [r! < 8, g! > 240, b! < 8] }).toEqual({ file, colors: [true, true, true] });
    }
  });

  test.each(['dark-then-light.mp4', 'dark-then-light.ts'])(
    'of %s shows its moment, not the key frame before',
    async (name) => {
      const lightAfterOneSecond = [
        '-vf',
        "drawbox=c=black:t=fill:enable='lt(t,1)',drawbox=c=white:t=fill:enable='gte(t,1)'",
      ];
      const source = await makeClip(files.path(name), '25', 3, ...h264, '-g', '250', ...lightAfterOneSecond);
      const start = name.endsWith('.ts') ? 1.4 : 0;
      const lumaAt = async (atSeconds: number): Promise<number> => {
        const poster = { atSeconds: start + atSeconds, width: 160, height: 90, format: 'jpg' } as const;
        await thumbnails(source, { poster, sprite: null });
        await writeFile(files.path('moment.jpg'), files.store.objects.get('poster.jpg')!);
        const { stdout } = await ffmpegBytes(files.path('moment.jpg'));
        return stdout[0]!;
      };
      expect(await lumaAt(0.5)).toBeLessThan(30);
      expect(await lumaAt(2)).toBeGreaterThan(220);
    },
  );

  test.each(['frames.mp4', 'frames.ts'])('chosen in %s shows exactly that frame', async (name) => {
    const brighter = ['-vf', 'geq=lum=16+N*8:cb=128:cr=128'];
    const source = await makeClip(files.path(name), '25', 1, ...h264, '-g', '250', '-bf', '2', '-qp', '4', ...brighter);
    const probed = await probeFile(files.store, source);
    const index = JSON.parse(gunzipSync(files.store.objects.get('index.json.gz')!).toString());
    const video = probed.video!;
    const first = index.ptsDeltas[0] * (video.timeBase.num / video.timeBase.den);
    for (const frame of [0, 11, 24]) {
      const at = { atSeconds: first + frame / 25, revision: 7, poster: { at: '', width: 160, format: 'jpg' as const } };
      const { poster } = planPoster(at, videoSource(video, probed), video, index);
      expect((await thumbnails(source, { poster, sprite: null })).files[0]?.file).toBe('poster-7.jpg');
      await writeFile(files.path('frame.jpg'), files.store.objects.get('poster-7.jpg')!);
      const { stdout } = await ffmpegBytes(files.path('frame.jpg'));
      // JPEG has full range: 16 to 235 become 0 to 255.
      expect(Math.round((stdout[0]! * 219) / 255 / 8)).toBe(frame);
    }
  });

  test('chosen in an MP4 that plays several parts shows exactly that frame of its part', async () => {
    const whole = files.path('whole.mp4');
    await ffmpeg(...numberedVideo(8), ...h264, '-g', '50', '-bf', '2', '-b_strategy', '0', whole);
    const parts = [
      { fromSeconds: 5.08, seconds: 2 },
      { fromSeconds: 0.44, seconds: 2.4 },
      { fromSeconds: 3.16, seconds: 1.6 },
    ];
    const source = files.path('parts.mp4');
    await writeFile(source, editMovie(await readFile(whole), parts));
    const probed = await probeFile(files.store, source);
    const index = JSON.parse(gunzipSync(files.store.objects.get('index.json.gz')!).toString());
    const video = probed.video!;
    for (const [frame, number] of [
      [0, 127],
      [49, 176],
      [50, 11],
      [109, 70],
      [110, 79],
      [149, 118],
    ] as const) {
      const at = { atSeconds: frame / 25, revision: 7, poster: { at: '', width: 160, format: 'jpg' as const } };
      await thumbnails(source, {
        poster: planPoster(at, videoSource(video, probed), video, index).poster,
        sprite: null,
      });
      await writeFile(files.path('part.jpg'), files.store.objects.get('poster-7.jpg')!);
      expect((await shownFrames(files.path('part.jpg'))).map((shown) => shown.number)).toEqual([number]);
    }
  });

  test('of interlaced video has no combing', async () => {
    const stripe = ['-vf', "geq=lum='if(lt(mod(X+300-N*20,300),20),235,16)':cb=128:cr=128,interlace"];
    const fields = [...h264, '-flags', '+ilme+ildct', '-g', '25'];
    const source = await makeClip(files.path('comb.ts'), '50', 1, ...stripe, ...fields);
    await thumbnails(source, { poster: { atSeconds: 1.9, width: 320, height: 180, format: 'jpg' }, sprite: null });
    await writeFile(files.path('comb.jpg'), files.store.objects.get('poster.jpg')!);
    const luma = await lumaOf(files.path('comb.jpg'));
    // a line of one field between lines of the other
    const step = (x: number, y: number) => luma[(y + 1) * 320 + x]! - luma[y * 320 + x]!;
    const teeth = Array.from({ length: 320 * 178 }, (_, n) => [n % 320, Math.floor(n / 320)] as const).filter(
      ([x, y]) => Math.abs(step(x, y)) > 100 && Math.abs(step(x, y + 1)) > 100,
    );
    expect(teeth.length).toBeLessThan(200);
  });

  test('after the end of the video is the first key frame', async () => {
    const source = await makeClip(files.path('short.ts'), '25', 1, ...h264);
    const poster = { atSeconds: 99, width: 160, height: 90, format: 'jpg' } as const;
    expect((await thumbnails(source, { poster, sprite: null })).files).toHaveLength(1);
  });
});

describe('sprites', () => {
  const four = { ...sprite, tiles: 4, sheets: 1 };
  /** A pixel of each tile of a sheet of two by two. */
  const tileLuma = async (): Promise<number[]> => {
    await writeFile(files.path('four.jpg'), files.store.objects.get('sprite-001.jpg')!);
    const luma = await lumaOf(files.path('four.jpg'));
    return [0, 64, 36 * 128, 36 * 128 + 64].map((corner) => luma[corner + 10 * 128 + 10]!);
  };

  test('are full sheets and a VTT file with the tile of each time', async () => {
    const source = await makeClip(files.path('five.mp4'), '25', 4.6, ...h264, '-g', '25');
    const { files: made } = await thumbnails(source, { poster: null, sprite });
    expect(made.map(({ file }) => file)).toEqual(['sprite-001.jpg', 'sprite-002.jpg', 'sprite.vtt']);
    expect(await sizeOf('sprite-001.jpg')).toEqual({ width: 128, height: 72, codec: 'mjpeg' });
    expect(files.store.objects.get('sprite.vtt')!.toString()).toBe(
      [
        'WEBVTT',
        '00:00:00.000 --> 00:00:01.000\nsprite-001.jpg#xywh=0,0,64,36',
        '00:00:01.000 --> 00:00:02.000\nsprite-001.jpg#xywh=64,0,64,36',
        '00:00:02.000 --> 00:00:03.000\nsprite-001.jpg#xywh=0,36,64,36',
        '00:00:03.000 --> 00:00:04.000\nsprite-001.jpg#xywh=64,36,64,36',
        '00:00:04.000 --> 00:00:04.600\nsprite-002.jpg#xywh=0,0,64,36\n',
      ].join('\n\n'),
    );
  });

  test('of a clip with one key frame are made from all frames when the plan requires it', async () => {
    const grey = ['-vf', "geq=lum='16+N*2':cb=128:cr=128"];
    const source = await makeClip(files.path('lighter.mp4'), '25', 4, ...grey, ...h264, '-g', '999');
    const lumaOfTiles = async (decodesAll: boolean): Promise<number[]> => {
      await thumbnails(source, { poster: null, sprite: { ...four, decodesAll } });
      return tileLuma();
    };
    expect(new Set(await lumaOfTiles(false)).size).toBe(1);
    const [first, second, third, fourth] = await lumaOfTiles(true);
    expect(second! - first!).toBeGreaterThan(30);
    expect(third! - second!).toBeGreaterThan(30);
    expect(fourth! - third!).toBeGreaterThan(20);
  });

  test('show the frame of each time when the frame size changes', async () => {
    const lightWhenLarge = ['-vf', "geq=lum='if(gt(W,320),235,16)':cb=128:cr=128", ...h264, '-bf', '0', '-g', '25'];
    const sizes = ['320x180', '640x360'];
    const source = await makeResizedClip(files.path('changing.ts'), { seconds: 2, sizes }, ...lightWhenLarge);
    await thumbnails(source, { poster: null, sprite: { ...four, startSeconds: 1.4 } });
    expect((await tileLuma()).map((luma) => (luma > 128 ? 'light' : 'dark'))).toEqual([
      'dark',
      'dark',
      'light',
      'light',
    ]);
  });

  test('of a clip with one key frame repeat it', async () => {
    const source = await makeClip(files.path('one-key.mp4'), '25', 2, ...h264, '-g', '999');
    const two = { ...sprite, tiles: 2, sheets: 1, format: 'webp' as const };
    expect((await thumbnails(source, { poster: null, sprite: two })).files).toHaveLength(2);
    expect(await sizeOf('sprite-001.webp')).toMatchObject({ width: 128, height: 72 });
  });
});

describe('images', () => {
  const images = { firstSeconds: 0, stepSeconds: 1, width: 160, height: 90, format: 'jpg' } as const;

  test('show the frames of their times, also between key frames', async () => {
    const brighter = ['-vf', 'geq=lum=16+N*2:cb=128:cr=128'];
    const source = await makeClip(files.path('brighter.mp4'), '25', 4, ...h264, '-g', '250', '-qp', '4', ...brighter);
    const made = await thumbnails(source, { images: { ...images, atSeconds: [0, 1.4, 3] } });
    expect(made.files.map(({ file }) => file)).toEqual(['image-001.jpg', 'image-002.jpg', 'image-003.jpg']);
    const shown: number[] = [];
    for (const { file } of made.files) {
      expect(await sizeOf(file)).toEqual({ width: 160, height: 90, codec: 'mjpeg' });
      shown.push(((await ffmpegBytes(files.path(file))).stdout[0]! * 219) / 255 / 2);
    }
    expect(shown.map(Math.round)).toEqual([0, 35, 75]);
  });

  test('after the last frame repeat the image before', async () => {
    const source = await makeClip(files.path('ends.ts'), '25', 1, ...h264);
    await thumbnails(source, { images: { ...images, atSeconds: [1.4, 99] } });
    const [first, second] = ['image-001.jpg', 'image-002.jpg'].map((file) => files.store.objects.get(file)!);
    expect(second!.equals(first!)).toBe(true);
  });
});

describe('a preview', () => {
  const preview: NonNullable<ThumbnailsSpec['preview']> = {
    startSeconds: [0, 2, 4],
    partSeconds: 1,
    framesPerSecond: 10,
    width: 160,
    height: 90,
    format: 'webp',
    maxBytes: 100_000,
  };
  /** Luma of each frame of 25 fps is its number. */
  const counting = async (name: string) =>
    makeClip(files.path(name), '25', 5, ...h264, '-g', '250', '-qp', '4', '-vf', 'geq=lum=16+N:cb=128:cr=128');

  test('as WebP is an animation of its parts that repeats for ever', async () => {
    const { files: made } = await thumbnails(await counting('parts.mp4'), { preview });
    const webp = files.store.objects.get('preview.webp')!;
    expect(made).toEqual([{ file: 'preview.webp', bytes: webp.length }]);
    const { loops, durations } = animationOf(webp);
    // Frames that are almost the same are one with a longer duration.
    expect({ loops, milliseconds: durations.reduce((sum, each) => sum + each, 0) }).toEqual({
      loops: 0,
      milliseconds: 3000,
    });
    expect(durations.length).toBeGreaterThan(8);
  });

  test('as MP4 is a silent video of its parts', async () => {
    const mp4 = { ...preview, format: 'mp4', framesPerSecond: 20 } as const;
    await thumbnails(await counting('video.ts'), { preview: { ...mp4, startSeconds: [1.4, 3.4, 5.4] } });
    await writeFile(files.path('preview.mp4'), files.store.objects.get('preview.mp4')!);
    expect(await streamsOf(files.path('preview.mp4'))).toMatchObject([
      { codec_name: 'h264', width: 160, height: 90, pix_fmt: 'yuv420p', nb_frames: '60', color_space: 'bt709' },
    ]);
    const luma = await lumaOf(files.path('preview.mp4'));
    const shown = Array.from({ length: 60 }, (_, frame) => luma[frame * 160 * 90]!);
    // The second part begins at second 2, frame 50.
    for (const [frame, number] of [
      [0, 0],
      [20, 50],
      [40, 100],
    ] as const) {
      // x264 makes it up to three levels darker, and from part to part it changes by 50.
      expect(Math.abs(shown[frame]! - 16 - number)).toBeLessThan(4);
    }
  });

  test.each(['webp', 'mp4'] as const)('of noise as %s has less quality, but not more bytes', async (format) => {
    const noise = ['-vf', 'geq=lum=random(1)*255:cb=128:cr=128', ...h264, '-qp', '10'];
    const source = await makeClip(files.path('noisy.mp4'), '10', 3, ...noise);
    const startSeconds = [0, 1, 2];
    const bytesWith = async (maxBytes: number) =>
      (await thumbnails(source, { preview: { ...preview, format, startSeconds, maxBytes } })).files[0]?.bytes;
    const unlimited = (await bytesWith(10_000_000))!;
    const limited = (await bytesWith(unlimited / 3))!;
    expect(limited).toBeLessThanOrEqual(unlimited / 3);
    expect(limited).toBeGreaterThan(0);
    // Below the lowest quality there is none.
    expect(await bytesWith(500)).toBeUndefined();
  });

  test('leaves out parts without a frame', async () => {
    await thumbnails(await counting('five-seconds.mp4'), { preview: { ...preview, startSeconds: [0, 99] } });
    const { durations } = animationOf(files.store.objects.get('preview.webp')!);
    expect(durations.reduce((sum, each) => sum + each, 0)).toBe(1000);
  });
});

/** How often an animated WebP repeats, 0 for ever, and how long each of its frames is shown. */
function animationOf(webp: Buffer): { loops: number | undefined; durations: number[] } {
  let loops: number | undefined;
  const durations: number[] = [];
  for (let at = 12; at + 8 <= webp.length; ) {
    const name = webp.toString('latin1', at, at + 4);
    const bytes = webp.readUInt32LE(at + 4);
    if (name === 'ANIM') loops = webp.readUInt16LE(at + 12);
    if (name === 'ANMF') durations.push(webp.readUIntLE(at + 20, 3));
    at += 8 + bytes + (bytes % 2);
  }
  return { loops, durations };
}

test.each<[string, Partial<ThumbnailsSpec>]>([
  ['a poster', { poster: { atSeconds: 0.1, width: 64, height: 36, format: 'jpg' }, sprite: null }],
  ['sprites', { poster: null, sprite: { ...sprite, sheets: 1, tiles: 1 } }],
])('%s of a video that cannot be decoded is an input error on every worker', async (_, requested) => {
  const hevc = ['-c:v', 'libx265', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-x265-params', 'log-level=none'];
  const source = await makeClip(files.path('noise.mp4'), '25', 0.4, ...hevc);
  await writeFile(source, withNoise(await readFile(source)));
  await expect(thumbnails(source, requested)).rejects.toMatchObject({ code: 'INPUT_DAMAGED', fatal: true });
});
