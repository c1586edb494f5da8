import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Watermark, watermarkArea, watermarkPositions } from '../../../shared/media/watermark.ts';

const logo = (changes: Partial<Watermark> = {}): Watermark => ({
  imageUlid: '01J00000000000000000000000',
  image: { type: 'png', width: 400, height: 200, orientation: 1 },
  position: 'top-left',
  widthShare: 0.1,
  marginShare: 0.02,
  opacity: 1,
  ...changes,
});
const hd = { left: 0, top: 0, width: 1920, height: 1080 };

test.each([
  ['top-left', 38, 38],
  ['top', 864, 38],
  ['top-right', 1690, 38],
  ['left', 38, 492],
  ['center', 864, 492],
  ['right', 1690, 492],
  ['bottom-left', 38, 946],
  ['bottom', 864, 946],
  ['bottom-right', 1690, 946],
] as const)('%s is at %i, %i of a picture of 1920 × 1080', (position, left, top) => {
  expect(watermarkArea(logo({ position }), hd)).toEqual({ left, top, width: 192, height: 96 });
});

test('an image that its orientation turns is as high as it was wide', () => {
  const image = { ...logo().image, orientation: 6 };
  expect(watermarkArea(logo({ image }), hd)).toMatchObject({ width: 192, height: 384 });
});

test('bars move the image, and pixels that are not square keep its shape', () => {
  expect(watermarkArea(logo(), { ...hd, left: 100, top: 20 })).toMatchObject({ left: 138, top: 58 });
  // 10 % of the width are 144 pixels, each shown 4/3 as wide as high
  expect(watermarkArea(logo(), { ...hd, width: 1440, pixelAspect: 4 / 3 })).toMatchObject({ width: 144, height: 96 });
});

test('a high image is made smaller so that it fits, in its shape', () => {
  const image = { ...logo().image, width: 20, height: 400 };
  expect(watermarkArea(logo({ image, widthShare: 0.5 }), hd)).toEqual({ left: 38, top: 38, width: 50, height: 1003 });
});

test('every image is inside of its picture, within a pixel of its place, and has its shape', () => {
  const side = fc.integer({ min: 16, max: 4096 });
  const even = fc.integer({ min: 32, max: 2160 }).map((half) => 2 * half);
  fc.assert(
    fc.property(
      fc.record({ width: side, height: side }),
      fc.record({ width: even, height: even }),
      fc.constantFrom(...watermarkPositions),
      fc.integer({ min: 1, max: 100 }),
      fc.integer({ min: 0, max: 40 }),
      (image, frame, position, widthPercent, marginPercent) => {
        const watermark = logo({
          image: { ...logo().image, ...image },
          position,
          widthShare: widthPercent / 100,
          marginShare: marginPercent / 100,
        });
        const area = watermarkArea(watermark, { left: 0, top: 0, ...frame });
        expect(area.left).toBeGreaterThanOrEqual(0);
        expect(area.top).toBeGreaterThanOrEqual(0);
        expect(area.left + area.width).toBeLessThanOrEqual(frame.width);
        expect(area.top + area.height).toBeLessThanOrEqual(frame.height);
        expect(area.width).toBeLessThanOrEqual(Math.max(1, Math.round(watermark.widthShare * frame.width)));
        // each side is rounded, and has at least one pixel
        const ratio = image.height / image.width;
        expect(Math.abs(area.height - area.width * ratio)).toBeLessThanOrEqual(1 + ratio);
      },
    ),
  );
});
