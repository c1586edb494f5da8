import fc from 'fast-check';
import { expect, test } from 'vitest';
import { displaySize } from '../../../../functions/planning/video/display-size.ts';
import { ladderEntries } from '../../../../functions/planning/video/ladder.ts';
import { frameSize, planRungs } from '../../../../functions/planning/video/rungs.ts';
import { templateQuerySchema } from '../../../../functions/templates/template-query.ts';
import { videoCodecProperties, videoCodecs } from '../../../../shared/media/codecs.ts';
import type { Rational } from '../../../../shared/media/rational.ts';

type SourceChanges = {
  sampleAspectRatio?: Rational;
  rotationDegrees?: 0 | 90 | 180 | 270;
  frameRate?: Rational;
  bitrateBps?: number | null;
};

function rungsFor(width: number, height: number, ladder: object = {}, changes: SourceChanges = {}) {
  const query = templateQuerySchema.parse({ ladder: { codec: 'h264', ...ladder }, outputs: [{ format: 'hls' }] });
  const source = {
    display: displaySize({ width, height, sampleAspectRatio: { num: 1, den: 1 }, rotationDegrees: 0, ...changes }),
    frameRate: { num: 30, den: 1 },
    bitrateBps: null,
    ...changes,
  };
  return planRungs(ladderEntries(query.ladder!, source), 'contain', source);
}

const shown = (...args: Parameters<typeof rungsFor>): string =>
  rungsFor(...args)
    .map(({ rung }) => {
      const kilobits = rung.rate.mode === 'bitrate' ? rung.rate.bitrateBps / 1000 : Number.NaN;
      return `${rung.name} ${rung.width}x${rung.height} ${kilobits}k`;
    })
    .join(', ');

const golden: [string, Parameters<typeof rungsFor>, string][] = [
  [
    '1080p',
    [1920, 1080],
    '1080p 1920x1080 5000k, 720p 1280x720 2800k, 480p 854x480 1400k, 360p 640x360 800k, 240p 426x240 400k',
  ],
  [
    '720p',
    [1280, 720],
    '720p 1280x720 2800k, 540p 960x540 1800k, 480p 854x480 1400k, 360p 640x360 800k, 240p 426x240 400k',
  ],
  ['480p', [854, 480], '480p 854x480 1400k, 360p 640x360 800k, 240p 426x240 400k'],
  [
    '4K under a 1080p ladder',
    [3840, 2160],
    '1080p 1920x1080 5000k, 720p 1280x720 2800k, 480p 854x480 1400k, 360p 640x360 800k, 240p 426x240 400k',
  ],
  [
    '4K',
    [3840, 2160, { max_height: 2160 }],
    '2160p 3840x2160 14000k, 1080p 1920x1080 5000k, 540p 960x540 1800k, 360p 640x360 800k, 240p 426x240 400k',
  ],
  ['8K', [7680, 4320, { max_height: 2160, max_renditions: 2 }], '2160p 3840x2160 14000k, 240p 426x240 400k'],
  [
    '4K in HEVC, six rungs',
    [3840, 2160, { codec: 'hevc', max_height: 2160, min_height: 360, max_renditions: 6 }],
    '2160p 3840x2160 9100k, 1440p 2560x1440 5525k, 1080p 1920x1080 3250k, 720p 1280x720 1820k, 480p 854x480 910k, 360p 640x360 520k',
  ],
  [
    '1440p in AV1',
    [2560, 1440, { codec: 'av1', max_height: 1440, min_height: 360 }],
    '1440p 2560x1440 4675k, 1080p 1920x1080 2750k, 720p 1280x720 1540k, 480p 854x480 770k, 360p 640x360 440k',
  ],
  [
    '720p in VP9',
    [1280, 720, { codec: 'vp9' }],
    '720p 1280x720 1960k, 540p 960x540 1260k, 480p 854x480 980k, 360p 640x360 560k, 240p 426x240 280k',
  ],
  [
    'portrait',
    [1080, 1920],
    '1080p 1080x1920 5000k, 720p 720x1280 2800k, 480p 480x854 1400k, 360p 360x640 800k, 240p 240x426 400k',
  ],
  [
    'landscape turned by 90 degrees',
    [1920, 1080, { max_renditions: 2 }, { rotationDegrees: 90 }],
    '1080p 1080x1920 5000k, 240p 240x426 400k',
  ],
  [
    'upside down',
    [1280, 720, { max_renditions: 2 }, { rotationDegrees: 180 }],
    '720p 1280x720 2800k, 240p 426x240 400k',
  ],
  [
    'anamorphic PAL',
    [720, 576, {}, { sampleAspectRatio: { num: 64, den: 45 } }],
    '540p 960x540 1800k, 480p 854x480 1400k, 360p 640x360 800k, 240p 426x240 400k',
  ],
  [
    '4:3 NTSC',
    [720, 480, {}, { sampleAspectRatio: { num: 8, den: 9 }, frameRate: { num: 30000, den: 1001 } }],
    '480p 640x480 1400k, 360p 480x360 800k, 240p 320x240 400k',
  ],
  [
    'square',
    [1080, 1080],
    '1080p 1080x1080 5000k, 720p 720x720 2800k, 480p 480x480 1400k, 360p 360x360 800k, 240p 240x240 400k',
  ],
  ['4:5', [1080, 1350, { max_renditions: 3 }], '1080p 1080x1350 5000k, 480p 480x600 1400k, 240p 240x300 400k'],
  [
    'scope, above the gap of its largest row',
    [1920, 804],
    '804p 1920x804 4123k, 720p 1280x536 2800k, 480p 854x358 1400k, 360p 640x268 800k, 240p 426x178 400k',
  ],
  ['ultra-wide', [3840, 1600, { max_renditions: 3 }], '1080p 1920x800 5000k, 480p 854x356 1400k, 240p 426x178 400k'],
  [
    '900p, between two rows',
    [1600, 900],
    '900p 1600x900 3913k, 720p 1280x720 2800k, 480p 854x480 1400k, 360p 640x360 800k, 240p 426x240 400k',
  ],
  [
    '768p, near to a row',
    [1366, 768],
    '720p 1280x720 2800k, 540p 960x540 1800k, 480p 854x480 1400k, 360p 640x360 800k, 240p 426x240 400k',
  ],
  ['432p', [768, 432], '432p 768x432 1052k, 360p 640x360 800k, 240p 426x240 400k'],
  ['1088 coded lines', [1920, 1088, { max_renditions: 2 }], '1080p 1906x1080 5000k, 240p 424x240 400k'],
  ['QCIF, below every row', [176, 144], '144p 176x144 113k'],
  ['odd and tiny', [161, 121], '121p 160x120 100k'],
  ['one pixel', [1, 1], '1p 2x2 100k'],
  ['a panorama', [8000, 100], '100p 8000x100 2492k'],
  [
    '60 fps',
    [1920, 1080, {}, { frameRate: { num: 60, den: 1 } }],
    '1080p 1920x1080 7000k, 720p 1280x720 3920k, 480p 854x480 1960k, 360p 640x360 1120k, 240p 426x240 560k',
  ],
  [
    '59.94 fps',
    [1280, 720, { max_renditions: 2 }, { frameRate: { num: 60000, den: 1001 } }],
    '720p 1280x720 3920k, 240p 426x240 560k',
  ],
  [
    '60 fps capped to 30',
    [1280, 720, { max_renditions: 2, fps: 30 }, { frameRate: { num: 60, den: 1 } }],
    '720p 1280x720 2800k, 240p 426x240 400k',
  ],
  [
    'a source of 1 Mbit/s',
    [1920, 1080, {}, { bitrateBps: 1_000_000 }],
    '1080p 1920x1080 1100k, 360p 640x360 800k, 240p 426x240 400k',
  ],
  ['a source of 20 kbit/s', [1920, 1080, {}, { bitrateBps: 20_000 }], '1080p 1920x1080 100k'],
  [
    'a cap of 3 Mbit/s',
    [1920, 1080, { max_bitrate: '3M' }],
    '1080p 1920x1080 3000k, 540p 960x540 1800k, 480p 854x480 1400k, 360p 640x360 800k, 240p 426x240 400k',
  ],
  ['a source below min_height', [854, 480, { min_height: 720 }], '480p 854x480 1400k'],
  ['one rendition', [1920, 1080, { max_renditions: 1 }], '1080p 1920x1080 5000k'],
  [
    'all rows down to 144',
    [1920, 1080, { max_renditions: 8, min_height: 144 }],
    '1080p 1920x1080 5000k, 720p 1280x720 2800k, 540p 960x540 1800k, 480p 854x480 1400k, 360p 640x360 800k, 240p 426x240 400k, 144p 256x144 150k',
  ],
  [
    '4K of 60 fps in HEVC',
    [3840, 2160, { codec: 'hevc', max_height: 2160 }, { frameRate: { num: 60, den: 1 } }],
    '2160p 3840x2160 12740k, 1080p 1920x1080 4550k, 540p 960x540 1638k, 360p 640x360 728k, 240p 426x240 364k',
  ],
  [
    '4K held upright',
    [2160, 3840, { max_height: 2160, max_renditions: 3 }],
    '2160p 2160x3840 14000k, 720p 720x1280 2800k, 240p 240x426 400k',
  ],
  [
    '4K of cinemas, wider than its box',
    [4096, 2160, { max_height: 2160, max_renditions: 3 }],
    '2160p 3840x2026 14000k, 720p 1280x676 2800k, 240p 426x224 400k',
  ],
  [
    'a phone held upright, turned by its header',
    [1280, 720, {}, { rotationDegrees: 90 }],
    '720p 720x1280 2800k, 540p 540x960 1800k, 480p 480x854 1400k, 360p 360x640 800k, 240p 240x426 400k',
  ],
  [
    'anamorphic HDV',
    [1440, 1080, { max_renditions: 3 }, { sampleAspectRatio: { num: 4, den: 3 } }],
    '1080p 1920x1080 5000k, 480p 854x480 1400k, 240p 426x240 400k',
  ],
  [
    'an anamorphic DVD turned by 90 degrees',
    [720, 480, {}, { sampleAspectRatio: { num: 32, den: 27 }, rotationDegrees: 90 }],
    '480p 480x852 1400k, 360p 360x640 800k, 240p 240x426 400k',
  ],
  [
    'pixels that are higher than wide',
    [1920, 540, {}, { sampleAspectRatio: { num: 1, den: 2 } }],
    '540p 960x540 1800k, 480p 854x480 1400k, 360p 640x360 800k, 240p 426x240 400k',
  ],
  ['9:21', [1080, 2520, { max_renditions: 3 }], '1080p 822x1920 5000k, 480p 366x854 1400k, 240p 182x426 400k'],
  [
    '32:9, whose rungs are as wide as their boxes',
    [5120, 1440, { max_height: 1440, max_renditions: 4 }],
    '1440p 2560x720 8500k, 720p 1280x360 2800k, 480p 854x240 1400k, 240p 426x120 400k',
  ],
  [
    'a line and a column short of 1080p',
    [1919, 1079, { max_renditions: 3 }],
    '1079p 1918x1078 5138k, 480p 854x480 1400k, 240p 426x240 400k',
  ],
  ['odd and portrait', [405, 721], '405p 404x720 956k, 240p 240x426 400k'],
  ['240p itself', [426, 240], '240p 426x240 400k'],
  ['a tenth above 240p', [470, 264], '240p 426x240 400k'],
  ['more than a tenth above 240p', [480, 270], '270p 480x270 478k'],
  ['an icon', [16, 16], '16p 16x16 100k'],
  [
    '16:10 of 60 fps in AV1',
    [2560, 1600, { codec: 'av1', max_height: 2160, max_renditions: 6 }, { frameRate: { num: 60, den: 1 } }],
    '1600p 2560x1600 7083k, 1080p 1728x1080 3850k, 720p 1152x720 2156k, 480p 768x480 1078k, 360p 576x360 616k, 240p 384x240 308k',
  ],
  [
    'VP9 under a cap',
    [1920, 1080, { codec: 'vp9', max_bitrate: '2500k' }],
    '1080p 1920x1080 2500k, 540p 960x540 1260k, 480p 854x480 980k, 360p 640x360 560k, 240p 426x240 280k',
  ],
  ['a square of 200 kbit/s', [720, 720, {}, { bitrateBps: 200_000 }], '720p 720x720 220k'],
  [
    '120 fps',
    [1280, 720, { max_renditions: 3 }, { frameRate: { num: 120, den: 1 } }],
    '720p 1280x720 3920k, 480p 854x480 1960k, 240p 426x240 560k',
  ],
];

test.each(golden)('%s', (_, args, expected) => {
  expect(shown(...args)).toBe(expected);
});

test('frame rates are kept exactly, up to 60', () => {
  const rates = (frameRate: Rational) => rungsFor(1280, 720, {}, { frameRate }).map((planned) => planned.frameRate);
  expect(new Set(rates({ num: 60000, den: 1001 }).map(({ num, den }) => `${num}/${den}`))).toEqual(
    new Set(['60000/1001']),
  );
  expect(rates({ num: 240, den: 1 })[0]).toEqual({ num: 60, den: 1 });
});

test('a 10-bit profile selects the 10-bit pixel format', () => {
  const { rung } = rungsFor(1280, 720, { codec: 'hevc', profile: 'main10' })[0]!;
  expect(rung).toMatchObject({ profile: 'main10', pixelFormat: 'yuv420p10le' });
});

test('there is at least one rung, none exceeds the source, and bitrates descend', () => {
  const ladders = fc.record({
    codec: fc.constantFrom(...videoCodecs),
    max_height: fc.constantFrom(720, 1080, 1440, 2160),
    min_height: fc.constantFrom(144, 240, 360, 480, 540, 720),
    max_renditions: fc.integer({ min: 1, max: 8 }),
  });
  const side = fc.integer({ min: 2, max: 8000 });
  const bitrate = fc.option(fc.integer({ min: 1, max: 100_000_000 }));
  fc.assert(
    fc.property(side, side, ladders, bitrate, (width, height, ladder, bitrateBps) => {
      const rungs = rungsFor(width, height, ladder, { bitrateBps });
      expect(rungs.length).toBeGreaterThan(0);
      expect(rungs.length).toBeLessThanOrEqual(ladder.max_renditions);
      let above = Number.POSITIVE_INFINITY;
      for (const { rung } of rungs) {
        const size = frameSize(rung);
        expect((size.width % 2) + (size.height % 2)).toBe(0);
        const least = videoCodecProperties[ladder.codec].minSide;
        expect(size.width).toBeLessThanOrEqual(Math.max(least, width));
        expect(size.height).toBeLessThanOrEqual(Math.max(least, height));
        if (rung.rate.mode !== 'bitrate') throw new Error('a ladder has bitrates');
        expect(rung.rate.bitrateBps).toBeLessThan(above);
        expect(rung.rate.maxBitrateBps).toBeGreaterThanOrEqual(rung.rate.bitrateBps);
        above = rung.rate.bitrateBps;
      }
    }),
    { numRuns: 300 },
  );
});
