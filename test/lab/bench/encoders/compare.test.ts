import { expect, test } from 'vitest';
import { bytesDelta, cpuDelta, type Encode } from '../../../../lab/bench/encoders/compare.ts';

/** Four qualities of a clip: half the bytes for 3 dB less. */
const encodes = (clip: string, { bytes = 1000, cpuSeconds = 1, lostDb = 0 } = {}): Encode[] =>
  [0, 1, 2, 3].map((n) => ({
    clip,
    quality: `crf${n}`,
    cpuSeconds: cpuSeconds * (1 - n / 20),
    bytes: bytes / 2 ** n,
    decibels: 45 - 3 * n - lostDb,
  }));

test('bytes at equal quality are compared clip by clip', () => {
  const reference = [...encodes('a'), ...encodes('b', { bytes: 50_000 })];
  expect(bytesDelta(reference, reference)).toBeCloseTo(0);
  expect(bytesDelta(reference, [...encodes('a', { bytes: 1100 }), ...encodes('b', { bytes: 65_000 })])).toBeCloseTo(20);
  // 3 dB are a factor of two
  expect(bytesDelta(reference, encodes('a', { lostDb: 3 }))).toBeCloseTo(100);
});

test('a clip that all qualities keep as it is, or without common qualities, is not compared', () => {
  const same = encodes('a').map((encode) => ({ ...encode, decibels: 99 }));
  expect(bytesDelta(encodes('a'), same)).toBeNull();
  expect(bytesDelta(encodes('a'), encodes('a', { lostDb: 30 }))).toBeNull();
  expect(bytesDelta([...encodes('a'), ...encodes('b')], [...same, ...encodes('b', { bytes: 900 })])).toBeCloseTo(-10);
});

test('CPU time at equal quality is that of all clips together', () => {
  const reference = [...encodes('a'), ...encodes('b', { cpuSeconds: 3 })];
  const faster = [...encodes('a', { cpuSeconds: 0.8 }), ...encodes('b', { cpuSeconds: 1.6 })];
  expect(cpuDelta(reference, faster)).toBeCloseTo(-40);
  expect(cpuDelta(reference, encodes('a', { cpuSeconds: 0 }))).toBeNull();
});
