import type { Hdr10 } from '../../../shared/protocol/encode-spec.ts';

/** HDR10 parameters of x265, with the integers of the bitstream. */
export const x265Hdr10 = ({ screen, light }: Hdr10): string[] => [
  'hdr10=1',
  ...(screen ? [`master-display=${display(screen, String, String)}`] : []),
  ...(light ? [`max-cll=${light.maxContent},${light.maxFrameAverage}`] : []),
];

/** HDR10 parameters of SVT-AV1: chromaticities from 0 to 1, luminance in cd/m². */
export const svtAv1Hdr10 = ({ screen, light }: Hdr10): string[] => [
  'enable-hdr=1',
  ...(screen
    ? [
        `mastering-display=${display(
          screen,
          (point) => decimal(point / 50_000),
          (light) => decimal(light / 10_000),
        )}`,
      ]
    : []),
  ...(light ? [`content-light=${light.maxContent},${light.maxFrameAverage}`] : []),
];

function display(
  { red, green, blue, white, maxLuminance, minLuminance }: NonNullable<Hdr10['screen']>,
  chromaticity: (value: number) => string,
  luminance: (value: number) => string,
): string {
  const point = (name: string, [x, y]: [number, number]) => `${name}(${chromaticity(x)},${chromaticity(y)})`;
  const primaries = [point('G', green), point('B', blue), point('R', red), point('WP', white)];
  return `${primaries.join('')}L(${luminance(maxLuminance)},${luminance(minLuminance)})`;
}

/** Without an exponent, which SVT-AV1 cannot parse. */
const decimal = (value: number): string => value.toFixed(5);
