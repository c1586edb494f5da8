import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Size } from '../../../../functions/planning/video/display-size.ts';
import { type Box, type Fit, fitInto } from '../../../../functions/planning/video/scale.ts';

const fitted = (source: [number, number], box: [number?, number?], fit: Fit) => {
  const { width, height, crop, pad } = fitInto(
    { width: source[0], height: source[1] },
    { width: box[0], height: box[1] },
    fit,
  );
  return { picture: [width, height], crop: crop && [crop.width, crop.height], pad: pad && [pad.width, pad.height] };
};

test('contain keeps the aspect ratio inside the box', () => {
  expect(fitted([1920, 804], [1280, 720], 'contain')).toEqual({ picture: [1280, 536], crop: null, pad: null });
  expect(fitted([640, 480], [1280, 720], 'contain')).toEqual({ picture: [640, 480], crop: null, pad: null });
});

test('pad adds bars up to the box, limited to the size of the source', () => {
  expect(fitted([1920, 804], [1280, 720], 'pad')).toEqual({ picture: [1280, 536], crop: null, pad: [1280, 720] });
  expect(fitted([640, 480], [1280, 720], 'pad')).toEqual({ picture: [640, 480], crop: null, pad: null });
  expect(fitted([720, 1280], [640, 480], 'pad')).toEqual({ picture: [360, 640], crop: null, pad: [480, 640] });
  expect(fitted([1920, 1080], [1280], 'pad')).toEqual({ picture: [1280, 720], crop: null, pad: null });
});

test('crop takes the centre in the shape of the box and never enlarges', () => {
  expect(fitted([1920, 804], [1280, 720], 'crop')).toEqual({ picture: [1280, 720], crop: [1428, 804], pad: null });
  expect(fitted([640, 480], [1280, 720], 'crop')).toEqual({ picture: [640, 360], crop: [640, 360], pad: null });
  expect(fitted([1080, 1920], [1280, 720], 'crop')).toEqual({ picture: [720, 1280], crop: null, pad: null });
});

test('odd sizes are rounded down to even', () => {
  expect(fitted([161, 121], [320, 240], 'contain').picture).toEqual([160, 120]);
  expect(fitted([1921, 1081], [], 'contain').picture).toEqual([1920, 1080]);
});

/** Ratio of the displayed shape to the shape of the source. */
function distortion(source: Size, box: Box, fit: Fit, minSide?: number): number {
  const { width, height, crop, sampleAspectRatio: pixel } = fitInto(source, box, fit, minSide);
  const shape = crop ?? source;
  return Math.abs((width * pixel.num * shape.height) / (height * pixel.den * shape.width) - 1);
}

describe('extreme aspect ratios', () => {
  test.each<[string, Size, Box, Size, [number, number]]>([
    [
      'a banner keeps square pixels when it can',
      { width: 12_000, height: 16 },
      {},
      { width: 7500, height: 10 },
      [1, 1],
    ],
    ['or its pixels are flat', { width: 12_000, height: 2 }, { width: 1920 }, { width: 1920, height: 2 }, [25, 4]],
    ['or wide', { width: 100, height: 10 }, { width: 32, height: 64 }, { width: 32, height: 4 }, [5, 4]],
    ['or high', { width: 10, height: 100 }, { width: 32, height: 64 }, { width: 4, height: 32 }, [4, 5]],
    ['a tiny picture has odd sides', { width: 5, height: 3 }, {}, { width: 4, height: 2 }, [5, 6]],
    ['one pixel', { width: 1, height: 1 }, {}, { width: 2, height: 2 }, [1, 1]],
  ])('%s', (_, source, box, size, [num, den]) => {
    expect(fitInto(source, box, 'contain')).toMatchObject({ ...size, sampleAspectRatio: { num, den } });
  });

  test('a frame too low for its encoder is stretched, with a sample aspect ratio that compensates', () => {
    const fitted = fitInto({ width: 1920, height: 48 }, {}, 'contain', 64);
    expect(fitted).toMatchObject({ width: 1920, height: 64, sampleAspectRatio: { num: 4, den: 3 } });
    expect(fitInto({ width: 32, height: 18 }, {}, 'contain', 64)).toMatchObject({ width: 64, height: 64 });
  });

  test('are displayed within 1 % of their shape in every box and by every encoder', () => {
    const side = fc.oneof(fc.integer({ min: 1, max: 64 }), fc.integer({ min: 1, max: 16_384 }));
    const boxSide = fc.option(
      fc.integer({ min: 1, max: 2160 }).map((half) => 2 * half),
      { nil: undefined },
    );
    fc.assert(
      fc.property(
        side,
        side,
        boxSide,
        boxSide,
        fc.constantFrom(2, 16, 64),
        (width, height, boxWidth, boxHeight, least) => {
          const box = { width: boxWidth, height: boxHeight };
          expect(distortion({ width, height }, box, 'contain', least)).toBeLessThanOrEqual(0.0101);
          expect(distortion({ width, height }, box, 'crop', least)).toBeLessThanOrEqual(0.0101);
        },
      ),
      { numRuns: 3000 },
    );
  });

  test('usual sizes have square pixels', () => {
    for (const source of [
      [1920, 1080],
      [1080, 1920],
      [1440, 1080],
      [854, 480],
      [2560, 1080],
      [720, 576],
      [161, 121],
    ]) {
      for (const height of [1080, 720, 540, 480, 360, 240, 144]) {
        const fitted = fitInto({ width: source[0]!, height: source[1]! }, { height }, 'contain', 64);
        expect(fitted.sampleAspectRatio).toEqual({ num: 1, den: 1 });
      }
    }
  });

  test('bars keep square pixels', () => {
    const fitted = fitInto({ width: 1920, height: 36 }, { width: 640, height: 360 }, 'pad', 64);
    expect(fitted).toMatchObject({ width: 640, height: 12, pad: { width: 640, height: 64 } });
    expect(fitted.sampleAspectRatio).toEqual({ num: 1, den: 1 });
  });
});

test('a source beyond 8192 pixels is scaled down', () => {
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
