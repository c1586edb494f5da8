import { expect, test } from 'vitest';
import { createXpsnr, type FrameFormat } from '../../../encoder-task/quality/xpsnr.ts';

const format: FrameFormat = { width: 128, height: 64, bitDepth: 8, framesPerSecond: 25 };
const pixels = format.width * format.height;

/** The left half is flat, the right half a fine pattern. */
const reference = Uint8Array.from({ length: pixels }, (_, at) =>
  at % format.width < 64 ? 100 : 100 + 80 * ((at + Math.floor(at / format.width)) % 2),
);
const withErrors = (isWrong: (x: number) => boolean, error = 6): Uint8Array =>
  reference.map((value, at) => (isWrong(at % format.width) ? value + (at % 2 ? error : -error) : value));

function decibels(encoded: Uint8Array, frames = 1): number {
  const xpsnr = createXpsnr(format);
  for (let n = 0; n < frames; n++) xpsnr.add(reference, encoded);
  expect(xpsnr.frames()).toBe(frames);
  return xpsnr.decibels(100);
}

test('frames without a difference have the greatest value', () => {
  expect(decibels(reference)).toBe(100);
});

test('an error of twice the size costs 6 dB', () => {
  const isLeft = (x: number) => x < 64;
  expect(decibels(withErrors(isLeft, 3)) - decibels(withErrors(isLeft, 6))).toBeCloseTo(20 * Math.log10(2), 6);
});

test('an error is less visible in a pattern than where the picture is flat', () => {
  expect(decibels(withErrors((x) => x >= 80))).toBeGreaterThan(decibels(withErrors((x) => x < 48)) + 10);
});

test('a still picture has the same value however long it is shown', () => {
  const encoded = withErrors((x) => x < 64);
  expect(decibels(encoded, 5)).toBeCloseTo(decibels(encoded, 1), 6);
});

test('the same frames in 10 bits have about the same value', () => {
  const deep = (frame: Uint8Array) => Uint16Array.from(frame, (value) => 4 * value);
  const encoded = withErrors((x) => x < 64);
  const xpsnr = createXpsnr({ ...format, bitDepth: 10 });
  xpsnr.add(deep(reference), deep(encoded));
  expect(Math.abs(xpsnr.decibels(100) - decibels(encoded))).toBeLessThan(0.1);
});
