import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type CrcKind, combineCrcs, crc } from '../../../src/s3/protocol/crc.ts';

const kinds: [CrcKind, string][] = [
  ['crc32', 'cbf43926'],
  ['crc32c', 'e3069283'],
  ['crc64nvme', 'ae8b14860a799888'],
];

function crcOf(kind: CrcKind, ...chunks: Buffer[]): Buffer {
  const running = crc(kind);
  for (const chunk of chunks) running.update(chunk);
  return running.digest();
}

test.each(kinds)('%s of the standard check text is %s', (kind, expected) => {
  expect(crcOf(kind, Buffer.from('123456789')).toString('hex')).toBe(expected);
});

test.each(kinds)('%s does not depend on the pieces, and can be combined from them', (kind) => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 50 }), { minLength: 1, maxLength: 6 }), (arrays) => {
      const pieces = arrays.map((array) => Buffer.from(array));
      const whole = crcOf(kind, Buffer.concat(pieces));
      expect(crcOf(kind, ...pieces)).toEqual(whole);
      const parts = pieces.map((piece) => ({ digest: crcOf(kind, piece), sizeBytes: piece.length }));
      expect(combineCrcs(kind, parts)).toEqual(whole);
    }),
  );
});
