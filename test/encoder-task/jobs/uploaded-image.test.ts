import { execFile } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { makeThumbnails } from '../../../encoder-task/jobs/thumbnails.ts';
import { type ImageHeader, readImageHeader } from '../../../shared/media/image-header.ts';
import type { UploadedPosterSpec } from '../../../shared/protocol/jobs.ts';
import { imageHeaders, jpegSegment, orientedJpeg } from '../../fixtures/image-files.ts';
import { useStoreAndFolder } from '../support/clips.ts';
import { contextFor } from '../support/context.ts';
import { ffmpeg } from '../support/ffmpeg.ts';

const files = useStoreAndFolder();

/** An image that ffmpeg makes. */
async function image(name: string, picture: string, ...args: string[]): Promise<Buffer> {
  await ffmpeg('-f', 'lavfi', '-i', picture, ...args, files.path(name));
  return readFile(files.path(name));
}

type Changes = { image?: Partial<ImageHeader>; backgroundRgb?: number; size?: [width: number, height: number] };

/** The poster that the worker makes of an uploaded image. */
async function posterOf(upload: Buffer, { image = {}, backgroundRgb = 0, size = [160, 96] }: Changes = {}) {
  const { isComplete: _, ...header } = { ...readImageHeader(upload)!, ...image };
  const [width, height] = size;
  const spec: UploadedPosterSpec = {
    kind: 'thumbnails',
    image: header,
    backgroundRgb,
    poster: { width, height, format: 'jpg', revision: 2 },
  };
  files.store.objects.set('image', upload);
  const context = await contextFor(files.store, spec, { inputs: ['image'], outputs: ['poster-2.jpg'] });
  try {
    const made = await makeThumbnails(context);
    const poster = files.store.objects.get('poster-2.jpg')!;
    expect(made.files).toEqual([{ file: 'poster-2.jpg', bytes: poster.length }]);
    expect(readImageHeader(poster)).toMatchObject({ type: 'jpeg', width, height, orientation: 1 });
    return poster;
  } finally {
    await rm(context.folder, { recursive: true });
  }
}

/** The colours of an image that is scaled to 2 by 2 pixels, each as `[r, g, b]`. */
async function colors(poster: Buffer): Promise<number[][]> {
  await writeFile(files.path('shown.jpg'), poster);
  const args = ['-v', 'error', '-i', files.path('shown.jpg'), '-vf', 'format=rgb24,scale=2:2:flags=area'];
  const { stdout } = await promisify(execFile)('ffmpeg', [...args, '-f', 'rawvideo', '-'], { encoding: 'buffer' });
  return [0, 1, 2, 3].map((pixel) => [...stdout.subarray(3 * pixel, 3 * pixel + 3)]);
}

const isNear = (shown: number[] | undefined, expected: number[]): boolean =>
  expected.every((value, n) => Math.abs(shown![n]! - value) < 24);

const green = 'color=0x00c000:s=320x192:d=1';

test.each([
  ['JPEG', 'green.jpg', []],
  ['a 16-bit PNG', 'green.png', ['-pix_fmt', 'rgb48be']],
  ['a PNG with a palette', 'palette.png', ['-pix_fmt', 'pal8']],
  ['WebP', 'green.webp', []],
  ['lossless WebP', 'lossless.webp', ['-lossless', '1']],
])('%s is made smaller and keeps its colours', async (_, name, args) => {
  const poster = await posterOf(await image(name, green, '-frames:v', '1', ...args));
  for (const shown of await colors(poster)) expect(isNear(shown, [0, 192, 0])).toBe(true);
});

test('the orientation of EXIF is applied', async () => {
  // The top left quarter is white.
  const corner = 'color=black:s=320x192:d=1,drawbox=w=160:h=96:c=white:t=fill';
  const stored = await image('corner.jpg', corner, '-frames:v', '1');
  // The quarter that it becomes, counted from the top left in lines.
  const quarters = [0, 1, 3, 2, 0, 1, 3, 2];
  for (const [n, quarter] of quarters.entries()) {
    const isTurned = n + 1 > 4;
    const poster = await posterOf(orientedJpeg(stored, n + 1), { size: isTurned ? [96, 160] : [160, 96] });
    const bright = (await colors(poster)).map(([r]) => r! > 128);
    expect([n + 1, bright.indexOf(true), bright.filter(Boolean).length]).toEqual([n + 1, quarter, 1]);
  }
});

describe('of an animation, the first frame is used', () => {
  const redThenBlue = 'color=red:s=320x192:r=5:d=1,drawbox=c=blue:t=fill:enable=gte(n\\,1)';
  test.each([
    ['PNG', 'moving.png', ['-f', 'apng', '-plays', '0']],
    ['WebP', 'moving.webp', ['-c:v', 'libwebp_anim', '-loop', '0']],
    ['lossless WebP', 'moving-lossless.webp', ['-c:v', 'libwebp_anim', '-lossless', '1']],
  ])('%s', async (_, name, args) => {
    const poster = await posterOf(await image(name, redThenBlue, ...args));
    for (const shown of await colors(poster)) expect(isNear(shown, [254, 0, 0])).toBe(true);
  });
});

test('transparent pixels show the background', async () => {
  const half = 'color=white:s=320x192:d=1,format=rgba,geq=r=255:g=255:b=255:a=255*lt(X\\,160)';
  for (const name of ['half.png', 'half.webp']) {
    const upload = await image(name, half, '-frames:v', '1', '-pix_fmt', name === 'half.png' ? 'rgba' : 'yuva420p');
    for (const [backgroundRgb, expected] of [
      [0, [0, 0, 0]],
      [0x2060c0, [0x20, 0x60, 0xc0]],
    ] as const) {
      const [left, right] = await colors(await posterOf(upload, { backgroundRgb }));
      expect([isNear(left, [255, 255, 255]), isNear(right, [...expected])]).toEqual([true, true]);
    }
  }
});

test('a JPEG in CMYK has its colours', async () => {
  // no cyan, and all of magenta and yellow: red. Adobe stores the components inverted.
  const shown = await colors(await posterOf(cmykJpeg([255, 0, 0, 255])));
  expect(isNear(shown[0], [255, 0, 0])).toBe(true);
});

test('nothing else in the file is delivered', async () => {
  const jpeg = await image('polyglot.jpg', green, '-frames:v', '1');
  const script = '<script>alert(1)</script>';
  const comment = jpegSegment(0xfe, Buffer.from(script));
  const polyglot = Buffer.concat([jpeg.subarray(0, 2), comment, jpeg.subarray(2), Buffer.from(script)]);
  expect((await posterOf(polyglot)).includes('script')).toBe(false);
});

test.each<[string, () => Promise<Buffer> | Buffer, Changes]>([
  ['a bomb of 65,535 × 65,535 pixels', () => imageHeaders.png(65_535, 65_535), {}],
  ['a file without pictures', () => imageHeaders.webp(320, 192), {}],
  ['another size than was checked', () => image('other.png', green, '-frames:v', '1'), { image: { width: 321 } }],
  ['another type than was checked', () => image('other.jpg', green, '-frames:v', '1'), { image: { type: 'png' } }],
])('%s is an error of the input, and no poster', async (_, upload, changes) => {
  await expect(posterOf(await upload(), changes)).rejects.toMatchObject({ code: 'INPUT_DAMAGED', fatal: true });
  expect(files.store.objects.has('poster-2.jpg')).toBe(false);
});

/** A JPEG of 320 × 192 in one colour of four components, with the marker that Adobe writes. */
function cmykJpeg(color: readonly [number, number, number, number]): Buffer {
  const components = [1, 2, 3, 4];
  const frame = [8, 0, 192, 1, 64, 4, ...components.flatMap((id) => [id, 0x11, 0])];
  // Twelve categories of 4 bits each, and the only code of AC: the end of the block.
  const dc = [0x00, 0, 0, 0, 12, ...Array(12).fill(0), ...Array(12).keys()];
  const ac = [0x10, 1, ...Array(15).fill(0), 0];
  const scan = [4, ...components.flatMap((id) => [id, 0]), 0, 63, 0];
  let bits = '';
  const before = [0, 0, 0, 0];
  const blocks = (320 / 8) * (192 / 8);
  for (let block = 0; block < blocks; block++) {
    for (const component of [0, 1, 2, 3]) {
      // With a quantization of 8, the DC coefficient is the level of the block.
      const level = color[component]! - 128;
      const difference = level - before[component]!;
      before[component] = level;
      const length = difference === 0 ? 0 : Math.floor(Math.log2(Math.abs(difference))) + 1;
      const value = difference < 0 ? difference + 2 ** length - 1 : difference;
      const category = length.toString(2).padStart(4, '0');
      bits += `${category}${length > 0 ? value.toString(2).padStart(length, '0') : ''}0`;
    }
  }
  bits = bits.padEnd(Math.ceil(bits.length / 8) * 8, '1');
  const data = bits.match(/.{8}/g)!.flatMap((byte) => {
    const value = Number.parseInt(byte, 2);
    return value === 0xff ? [0xff, 0] : [value];
  });
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    jpegSegment(0xee, Buffer.from([...Buffer.from('Adobe'), 0, 100, 0, 0, 0, 0, 0])),
    jpegSegment(0xdb, Buffer.from([0, ...Array(64).fill(8)])),
    jpegSegment(0xc0, Buffer.from(frame)),
    jpegSegment(0xc4, Buffer.from(dc)),
    jpegSegment(0xc4, Buffer.from(ac)),
    jpegSegment(0xda, Buffer.from(scan)),
    Buffer.from(data),
    Buffer.from([0xff, 0xd9]),
  ]);
}
