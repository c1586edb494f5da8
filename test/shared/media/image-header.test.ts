import { expect, test } from 'vitest';
import { readImageHeader } from '../../../shared/media/image-header.ts';
import { exifOf, imageHeaders, jpegSegment, orientedJpeg, pngChunk } from '../../fixtures/image-files.ts';

const { jpeg, png, webp } = imageHeaders;

test.each(['jpeg', 'png', 'webp'] as const)('%s has a size', (type) => {
  expect(readImageHeader(imageHeaders[type](640, 360))).toEqual({
    type,
    width: 640,
    height: 360,
    orientation: 1,
    isComplete: true,
  });
});

test('the orientation of EXIF is found in each of them, in both byte orders', () => {
  const end = png(64, 64).length - 12;
  const inPng = Buffer.concat([
    png(64, 64).subarray(0, end),
    pngChunk('eXIf', exifOf(3, 'II')),
    png(64, 64).subarray(end),
  ]);
  const exif = exifOf(8, 'II');
  const chunk = Buffer.concat([Buffer.from('EXIF'), Buffer.from([exif.length, 0, 0, 0]), exif]);
  const inWebp = Buffer.concat([webp(64, 64), chunk]);
  const found = [orientedJpeg(jpeg(64, 64), 6), inPng, inWebp].map((file) => readImageHeader(file)?.orientation);
  expect(found).toEqual([6, 3, 8]);
});

test.each([0, 9, 65_535])('the orientation %d is none', (orientation) => {
  expect(readImageHeader(orientedJpeg(jpeg(64, 64), orientation))?.orientation).toBe(1);
});

test('EXIF that points outside of itself is none', () => {
  const exif = exifOf(6);
  exif.writeUInt32BE(4_000_000_000, 4);
  const file = Buffer.concat([
    jpeg(64, 64).subarray(0, 2),
    jpegSegment(0xe1, Buffer.concat([Buffer.from('Exif\0\0'), exif])),
    jpeg(64, 64).subarray(2),
  ]);
  expect(readImageHeader(file)).toMatchObject({ orientation: 1, width: 64 });
});

test.each(['jpeg', 'png', 'webp'] as const)(
  '%s is incomplete without its end, and nothing without its size',
  (type) => {
    const file = imageHeaders[type](640, 360);
    expect(readImageHeader(file.subarray(0, -1))?.isComplete).not.toBe(true);
    for (let bytes = 0; bytes < file.length; bytes++) {
      expect(readImageHeader(file.subarray(0, bytes))?.isComplete ?? false).toBe(false);
    }
  },
);

test.each([
  ['SVG', '<svg xmlns="http://www.w3.org/2000/svg" width="640" height="360"/>'],
  ['GIF', 'GIF89a\x80\x02\x68\x01'],
  ['HTML', '<!doctype html><script>alert(1)</script>'],
  ['nothing', ''],
])('%s is no such image', (_, text) => {
  expect(readImageHeader(Buffer.from(text, 'latin1'))).toBeUndefined();
});
