import { describe, expect, it } from 'vitest';
import { bdRate, type RatePoint } from '../../../../lab/bench/ladder/bd-rate.ts';

const curve = (kbps: number[], decibels: number[]): RatePoint[] =>
  kbps.map((bytes, n) => ({ bytes, decibels: decibels[n]! }));

/** The example of the common Python implementations of VCEG-M33. */
const reference = curve([686.76, 309.58, 157.11, 85.95], [40.28, 37.18, 34.24, 31.42]);
const tested = curve([893.34, 407.8, 204.93, 112.75], [40.39, 37.21, 34.17, 31.24]);

describe('bdRate', () => {
  // The expected numbers are those of numpy.polyfit and numpy.polyint with the formulas of VCEG-M33.
  it.each([
    [reference, tested, 31.397374],
    [
      curve([9487.76, 4593.6, 2486.44, 1358.24], [40.037, 38.615, 36.845, 34.851]),
      curve([9787.8, 4469, 2451.52, 1356.24], [40.121, 38.651, 36.97, 34.987]),
      -4.420463,
    ],
  ])('is that of VCEG-M33', (anchor, other, percent) => {
    expect(bdRate(anchor, other)).toBeCloseTo(percent, 5);
  });

  it('is the factor between curves that differ by a factor, in any order and with more points', () => {
    const fine = curve([100, 150, 210, 300, 450, 700], [30, 32.5, 34, 36.5, 38, 40]);
    const larger = fine.map(({ bytes, decibels }) => ({ bytes: 1.25 * bytes, decibels })).toReversed();
    expect(bdRate(fine, larger)).toBeCloseTo(25, 6);
    expect(bdRate(larger, fine)).toBeCloseTo(-20, 6);
  });

  it('is null when the curves share no quality', () => {
    expect(bdRate(reference, curve([1, 2, 3, 4], [41, 42, 43, 44]))).toBeNull();
  });

  it('needs four qualities', () => {
    expect(() => bdRate(reference, tested.slice(1))).toThrow('4 points');
    expect(() => bdRate(reference, [tested[0]!, ...tested.slice(0, 3)])).toThrow('4 points');
  });
});
