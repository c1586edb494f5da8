import { execFile } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { makeThumbnails } from '../../../encoder-task/jobs/thumbnails.ts';
import { videoSource } from '../../../functions/planning/video/video-source.ts';
import { readImageHeader } from '../../../shared/media/image-header.ts';
import { type Watermark, watermarkArea } from '../../../shared/media/watermark.ts';
import type { Rung } from '../../../shared/protocol/encode-spec.ts';
import type { ThumbnailsSpec } from '../../../shared/protocol/jobs.ts';
import { orientedJpeg } from '../../fixtures/image-files.ts';
import { useStoreAndFolder } from '../support/clips.ts';
import { contextFor } from '../support/context.ts';
import { ffmpeg } from '../support/ffmpeg.ts';
import { smallRung } from '../support/plan.ts';
import { encodeInChunks, joinRung, probeFile } from '../support/run-jobs.ts';

const files = useStoreAndFolder();

/** The luma of black and of white in limited range, and of the grey background. */
const [black, white, grey] = [16, 235, 126];

/** A grey clip of 320 × 180 pixels with 25 frames per second. */
const greyClip = (name: string, ...args: string[]): Promise<string> =>
  clip(name, 'color=0x808080:s=320x180:r=25', ...args);

async function clip(name: string, picture: string, ...args: string[]): Promise<string> {
  const tagged = ['-color_range', 'tv', '-colorspace', 'bt709', '-color_primaries', 'bt709', '-color_trc', 'bt709'];
  const encoder = ['-c:v', 'libx264', '-qp', '0', '-preset', 'ultrafast', '-g', '25', '-pix_fmt', 'yuv420p'];
  await ffmpeg('-f', 'lavfi', '-t', '2.4', '-i', picture, ...encoder, ...tagged, ...args, files.path(name));
  return files.path(name);
}

/** An image, half of it black and half white, from left to right, on which `more` filters work. */
async function logo(name: string, more = 'null', size = '64x32'): Promise<Buffer> {
  const halves = `color=black:s=${size},drawbox=x=iw/2:w=iw/2:h=ih:c=white:t=fill,format=rgba,${more}`;
  await ffmpeg('-f', 'lavfi', '-i', halves, '-frames:v', '1', files.path(name));
  return readFile(files.path(name));
}

/** The watermark of an image, which jobs read from the store. */
function watermarkOf(image: Buffer, changes: Partial<Watermark> = {}): Watermark {
  files.store.objects.set('watermark', image);
  const { isComplete: _, ...header } = readImageHeader(image)!;
  return {
    imageUlid: '01J00000000000000000000000',
    image: header,
    position: 'top-left',
    widthShare: 0.2,
    marginShare: 0.05,
    opacity: 1,
    ...changes,
  };
}

const rung = (more: Partial<Rung> = {}): Rung =>
  smallRung('v0', {
    width: 320,
    height: 180,
    rate: { mode: 'crf', crf: 2, maxBitrateBps: null, bufferBits: null },
    ...more,
  });

/** The frames of the encoded source: samples of a plane, row after row. */
async function frames(
  source: string,
  watermark: Watermark | undefined,
  asked: Rung,
  plane = 'y',
): Promise<Uint16Array[]> {
  const probed = await probeFile(files.store, source);
  const encoded = await encodeInChunks(files.store, probed, [asked], watermark && { watermark });
  const joined = files.path('joined.mp4');
  await joinRung(files.store, encoded, 'v0', joined);
  const { width, height } = asked.pad ?? asked;
  return samplesOf(joined, asked.pixelFormat, plane, plane === 'y' ? width * height : (width * height) / 4);
}

async function samplesOf(file: string, pixelFormat: string, plane: string, perFrame: number): Promise<Uint16Array[]> {
  const isDeep = pixelFormat === 'yuv420p10le';
  const args = ['-v', 'error', '-i', file, '-vf', `format=${pixelFormat},extractplanes=${plane}`];
  const raw = ['-fps_mode', 'passthrough', '-f', 'rawvideo', '-'];
  const { stdout } = await promisify(execFile)('ffmpeg', [...args, ...raw], { encoding: 'buffer', maxBuffer: 2 ** 28 });
  const samples = isDeep
    ? new Uint16Array(stdout.buffer, stdout.byteOffset, stdout.length / 2)
    : Uint16Array.from(stdout);
  return Array.from({ length: samples.length / perFrame }, (_, n) =>
    samples.subarray(n * perFrame, (n + 1) * perFrame),
  );
}

type Point = { x: number; y: number };
const at = (frame: Uint16Array, width: number, { x, y }: Point): number => frame[y * width + x]!;

/** The luma in the middle of both halves of the image, and in the pixels left of it and above it. */
function seen(
  frame: Uint16Array,
  watermark: Watermark,
  { width, height }: { width: number; height: number },
  bars = { left: 0, top: 0 },
) {
  const whole = { width: width + 2 * bars.left };
  const area = watermarkArea(watermark, { ...bars, width, height });
  const y = area.top + Math.floor(area.height / 2);
  const x = area.left + Math.floor(area.width / 2);
  return {
    left: at(frame, whole.width, { x: area.left + Math.floor(area.width / 4), y }),
    right: at(frame, whole.width, { x: area.left + Math.floor((3 * area.width) / 4), y }),
    outside: [
      at(frame, whole.width, { x: area.left - 2, y }),
      at(frame, whole.width, { x, y: area.top - 2 }),
      at(frame, whole.width, { x: area.left + area.width + 1, y }),
    ],
  };
}

const near = (expected: number) =>
  expect.toSatisfy((value: number) => Math.abs(value - expected) <= 3, `about ${expected}`);

describe('renditions', () => {
  test('every frame has the image where it is declared, across chunks', async () => {
    const source = await greyClip('grey.mp4');
    const watermark = watermarkOf(await logo('logo.png'));
    const shown = await frames(source, watermark, rung());
    expect(shown).toHaveLength(60);
    for (const frame of shown) {
      expect(seen(frame, watermark, rung())).toEqual({
        left: near(black),
        right: near(white),
        outside: [near(grey), near(grey), near(grey)],
      });
    }
  });

  test.each([
    ['160 × 90', { width: 160, height: 90 }],
    ['10 bits', { pixelFormat: 'yuv420p10le' }],
    [
      'AV1',
      { codec: 'av1', preset: 'superfast', rate: { mode: 'crf', crf: 20, maxBitrateBps: null, bufferBits: null } },
    ],
  ] as const)('a rung of %s', async (_, more) => {
    const asked = rung(more as Partial<Rung>);
    const watermark = watermarkOf(await logo('logo.png'), { position: 'bottom-right' });
    const [frame] = await frames(await greyClip('grey.mp4'), watermark, asked);
    const scale = asked.pixelFormat === 'yuv420p10le' ? 4 : 1;
    const { left, right } = seen(frame!, watermark, asked);
    expect([left / scale, right / scale]).toEqual([near(black), near(white)]);
  });

  test('with bars, the image is inside of the picture', async () => {
    const asked = rung({ width: 240, height: 134, pad: { width: 320, height: 180 } });
    const watermark = watermarkOf(await logo('logo.png'));
    const [frame] = await frames(await greyClip('grey.mp4'), watermark, asked);
    const { left, right, outside } = seen(frame!, watermark, asked, { left: 40, top: 22 });
    expect([left, right, ...outside]).toEqual([near(black), near(white), near(grey), near(grey), near(grey)]);
  });

  test('it is shown between two times of the video, also when the source does not start at 0', async () => {
    const source = await greyClip('late.mkv', '-output_ts_offset', '7.3');
    const watermark = watermarkOf(await logo('logo.png'), { fromSeconds: 0.8, toSeconds: 1.6 });
    const shown = (await frames(source, watermark, rung())).map((frame) => seen(frame, watermark, rung()).right > 200);
    expect(shown.flatMap((isShown, n) => (isShown ? [n] : []))).toEqual(Array.from({ length: 20 }, (_, n) => 20 + n));
  });

  test('transparent pixels show the picture, also at the edges of others', async () => {
    // the right half is transparent, and its hidden colour is green
    const image = await logo(
      'half.png',
      "geq=r='if(lt(X,32),255,0)':g=255:b='if(lt(X,32),255,0)':a='if(lt(X,32),255,0)'",
      '64x32',
    );
    const watermark = watermarkOf(image, { widthShare: 0.1 });
    const source = await greyClip('grey.mp4');
    const [luma] = await frames(source, watermark, rung());
    const { left, right } = seen(luma!, watermark, rung());
    expect([left, right]).toEqual([near(white), near(grey)]);
    for (const plane of ['u', 'v']) {
      const [chroma] = await frames(source, watermark, rung(), plane);
      expect(Math.max(...chroma!.map((value) => Math.abs(value - 128)))).toBeLessThanOrEqual(3);
    }
  });

  test('an opacity of a half mixes the image and the picture', async () => {
    const watermark = watermarkOf(await logo('logo.png'), { opacity: 0.5 });
    const [frame] = await frames(await greyClip('grey.mp4'), watermark, rung());
    const { left, right } = seen(frame!, watermark, rung());
    expect([left, right]).toEqual([near((black + grey) / 2), near((white + grey) / 2)]);
  });

  test('JPEG, WebP and an orientation of EXIF', async () => {
    const source = await greyClip('grey.mp4');
    for (const image of [await logo('logo.jpg'), await logo('logo.webp'), orientedJpeg(await logo('logo.jpg'), 3)]) {
      const watermark = watermarkOf(image);
      const [frame] = await frames(source, watermark, rung());
      const { left, right } = seen(frame!, watermark, rung());
      const sides = watermark.image.orientation === 3 ? [right, left] : [left, right];
      expect(sides).toEqual([near(black), near(white)]);
    }
  });

  test('the composition is that of the picture and the image, at least 45 dB', async () => {
    const source = await clip('moving.mp4', 'testsrc2=s=320x180:r=25,gblur=sigma=6');
    // as large as it is shown, so that the reference scales nothing
    const name = 'smooth.png';
    await ffmpeg(
      ...['-f', 'lavfi', '-i', "color=black:s=64x32,format=rgba,geq=r='4*X':g='8*Y':b=90:a='128+X'"],
      ...['-frames:v', '1', files.path(name)],
    );
    const watermark = watermarkOf(await readFile(files.path(name)));
    const { left, top } = watermarkArea(watermark, { left: 0, top: 0, width: 320, height: 180 });
    const [made] = await frames(source, watermark, rung());
    // in planar RGB, without subsampling
    const inRgb = `[0:v]scale=in_color_matrix=bt709,format=gbrp[p];[1:v]format=gbrap[i];[p][i]overlay=x=${left}:y=${top}:format=gbrp`;
    const reference = files.path('reference.mkv');
    await ffmpeg(
      ...['-i', source, '-i', files.path(name), '-filter_complex'],
      ...[
        `${inRgb},scale=out_color_matrix=bt709:out_range=tv,format=yuv420p`,
        '-c:v',
        'ffv1',
        '-frames:v',
        '1',
        reference,
      ],
    );
    const [expected] = await samplesOf(reference, 'yuv420p', 'y', 320 * 180);
    let squares = 0;
    for (let y = top; y < top + 32; y++) {
      for (let x = left; x < left + 64; x++) {
        squares += (at(made!, 320, { x, y }) - at(expected!, 320, { x, y })) ** 2;
      }
    }
    expect(10 * Math.log10(255 ** 2 / (squares / (64 * 32)))).toBeGreaterThanOrEqual(45);
  });

  test.each([
    ['PQ', 'smpte2084', 0.58],
    ['HLG', 'arib-std-b67', 0.75],
  ])('in %s, white has 203 cd/m²', async (_, transfer, signal) => {
    const tags = ['-color_primaries', 'bt2020', '-color_trc', transfer, '-colorspace', 'bt2020nc'];
    const hdr = ['-pix_fmt', 'yuv420p10le', ...tags];
    // Later versions of ffmpeg take the tags from the frames.
    const tagged = `setparams=color_primaries=bt2020:color_trc=${transfer}:colorspace=bt2020nc`;
    const source = await clip('hdr.mp4', `color=black:s=320x180:r=25,format=yuv420p10le,${tagged}`, ...hdr);
    const watermark = watermarkOf(await logo('logo.png'));
    const [frame] = await frames(source, watermark, rung({ codec: 'hevc', pixelFormat: 'yuv420p10le' }));
    const { left, right } = seen(frame!, watermark, rung());
    expect((right - 64) / 876).toBeCloseTo(signal, 1.7);
    expect(left).toBeLessThan(68);
  });
});

test('the image is in the poster, in every tile of the sprite, in images and in the preview', async () => {
  const source = await greyClip('early.mkv', '-output_ts_offset', '3');
  const probed = await probeFile(files.store, source);
  const watermark = watermarkOf(await logo('logo.png'), { fromSeconds: 1 });
  const spec: ThumbnailsSpec = {
    kind: 'thumbnails',
    source: { ...videoSource(probed.video!, probed), watermark },
    durationSeconds: 2.4,
    poster: { atSeconds: 3, width: 320, height: 180, format: 'jpg' },
    sprite: {
      intervalSeconds: 1,
      startSeconds: 3,
      tileWidth: 160,
      tileHeight: 90,
      columns: 3,
      rows: 1,
      sheets: 1,
      tiles: 3,
      decodesAll: true,
      format: 'webp',
    },
    images: { atSeconds: [4], firstSeconds: 1, stepSeconds: 1, width: 320, height: 180, format: 'webp' },
    preview: {
      startSeconds: [3],
      partSeconds: 1,
      framesPerSecond: 10,
      width: 160,
      height: 90,
      format: 'mp4',
      maxBytes: 1e6,
    },
  };
  const made = ['poster.jpg', 'sprite-001.webp', 'sprite.vtt', 'image-001.webp', 'preview.mp4'];
  const context = await contextFor(files.store, spec, { inputs: ['source', 'watermark'], outputs: made });
  try {
    await makeThumbnails(context);
  } finally {
    await rm(context.folder, { recursive: true });
  }
  const lumaOf = async (name: string, width: number, height: number): Promise<Uint16Array> => {
    await writeFile(files.path(name), files.store.objects.get(name)!);
    return (await samplesOf(files.path(name), 'gray', 'y', width * height))[0]!;
  };
  const large = { width: 320, height: 180 };
  for (const name of ['poster.jpg', 'image-001.webp']) {
    const { left, right } = seen(await lumaOf(name, 320, 180), watermark, large);
    expect([name, left < 40, right > 215]).toEqual([name, true, true]);
  }
  const sheet = await lumaOf('sprite-001.webp', 480, 90);
  const area = watermarkArea(watermark, { left: 0, top: 0, width: 160, height: 90 });
  for (const tile of [0, 1, 2]) {
    const y = area.top + 8;
    const x = 160 * tile + area.left;
    expect(at(sheet, 480, { x: x + 8, y })).toBeLessThan(60);
    expect(at(sheet, 480, { x: x + 24, y })).toBeGreaterThan(200);
  }
  const { left, right } = seen(await lumaOf('preview.mp4', 160, 90), watermark, { width: 160, height: 90 });
  expect([left < 40, right > 215]).toEqual([true, true]);
});

test('an image that cannot be decoded is an error of the upload, and no video is made without it', async () => {
  const image = await logo('logo.png');
  const damaged = Buffer.from(image).fill(0, 60, image.length - 12);
  const watermark = watermarkOf(damaged);
  const probed = await probeFile(files.store, await greyClip('grey.mp4'));
  await expect(encodeInChunks(files.store, probed, [rung()], { watermark })).rejects.toMatchObject({
    name: 'JobError',
    code: 'INPUT_DAMAGED',
  });
});
