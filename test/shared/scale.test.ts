import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Fit, fitInto } from '../../shared/scale.ts';

const fitted = (source: [number, number], box: [number?, number?], fit: Fit) => {
  const { width, height, crop, pad } = fitInto(
    { width: source[0], height: source[1] },
    { width: box[0], height: box[1] },
    fit,
  );
  return { picture: [width, height], crop: crop && [crop.width, crop.height], pad: pad && [pad.width, pad.height] };
};

test('contain keeps the aspect inside the box', () => {
  expect(fitted([1920, 804], [1280, 720], 'contain')).toEqual({ picture: [1280, 536], crop: null, pad: null });
  expect(fitted([640, 480], [1280, 720], 'contain')).toEqual({ picture: [640, 480], crop: null, pad: null });
});

test('pad adds bars up to the box, cut to the size of the source', () => {
  expect(fitted([1920, 804], [1280, 720], 'pad')).toEqual({ picture: [1280, 536], crop: null, pad: [1280, 720] });
  expect(fitted([640, 480], [1280, 720], 'pad')).toEqual({ picture: [640, 480], crop: null, pad: null });
  expect(fitted([720, 1280], [640, 480], 'pad')).toEqual({ picture: [360, 640], crop: null, pad: [480, 640] });
  expect(fitted([1920, 1080], [1280], 'pad')).toEqual({ picture: [1280, 720], crop: null, pad: null });
});

test('crop takes the centre in the shape of the box, and never enlarges it', () => {
  expect(fitted([1920, 804], [1280, 720], 'crop')).toEqual({ picture: [1280, 720], crop: [1428, 804], pad: null });
  expect(fitted([640, 480], [1280, 720], 'crop')).toEqual({ picture: [640, 360], crop: [640, 360], pad: null });
  expect(fitted([1080, 1920], [1280, 720], 'crop')).toEqual({ picture: [720, 1280], crop: null, pad: null });
});

test('odd sizes become even by taking away', () => {
  expect(fitted([161, 121], [320, 240], 'contain').picture).toEqual([160, 120]);
  expect(fitted([1921, 1081], [], 'contain').picture).toEqual([1920, 1080]);
});

test('a source beyond 8192 pixels is brought down to them', () => {
  expect(fitted([16_384, 8192], [], 'contain').picture).toEqual([8192, 4096]);
});

test('no fit makes anything larger than the source, odd, or empty', () => {
  const side = fc.integer({ min: 2, max: 16_384 });
  const boxSide = fc.option(
    fc.integer({ min: 32, max: 2160 }).map((half) => 2 * half),
    { nil: undefined },
  );
  const fits = fc.constantFrom<Fit[]>('contain', 'pad', 'crop');
  fc.assert(
    fc.property(side, side, boxSide, boxSide, fits, (width, height, boxWidth, boxHeight, fit) => {
      const result = fitInto({ width, height }, { width: boxWidth, height: boxHeight }, fit);
      const frame = result.pad ?? result;
      for (const size of [result, frame, result.crop ?? { width: 2, height: 2 }]) {
        expect(size.width).toBeLessThanOrEqual(width);
        expect(size.height).toBeLessThanOrEqual(height);
        expect(size.width).toBeGreaterThanOrEqual(2);
        expect(size.height).toBeGreaterThanOrEqual(2);
      }
      expect((frame.width % 2) + (frame.height % 2)).toBe(0);
      expect(result.width).toBeLessThanOrEqual(frame.width);
      expect(result.height).toBeLessThanOrEqual(frame.height);
    }),
    { numRuns: 500 },
  );
});
