import * as fc from 'fast-check';

/** A key that JSON.stringify would drop; `asText` puts the real one in its place. */
const proto = '«proto»';

const oddTexts = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\u202e\u200b\ufeff',
  '🎬'.repeat(256),
  'x'.repeat(256),
  'x'.repeat(5_000),
  'İ',
  'ß@EXAMPLE.com',
  "' OR 1=1--",
  '{"$gt":""}',
  '<img src=x onerror=alert(1)>',
  '../../etc/passwd',
  '%2e%2e%2f',
  '%',
  '%00',
  '%ff',
  'a\r\nset-cookie: session=x',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'null',
  'undefined',
  'NaN',
  'Infinity',
  '-0',
  '1e3',
  '0x10',
  '1_000',
  '9'.repeat(30),
  '2026-02-30',
  '+275760-09-13',
  '01K9Z3P6M8N9P0Q1R2S3T4V5W6',
  '8ZZZZZZZZZZZZZZZZZZZZZZZZZ',
  '{{7*7}}',
  '$(id)',
  'ladder,movie=/etc/passwd',
] as const;

const oddNumbers = [0, -0, -1, 1.5, 1e-320, 1e308, -1e308, 2 ** 31, 2 ** 53, 2 ** 53 + 2, -(2 ** 63)] as const;

const oddObjects = [
  {},
  [],
  [[]],
  [null],
  { $gt: '' },
  { $ne: null },
  { [proto]: { is_admin: true } },
  { constructor: { prototype: { is_admin: true } } },
  { length: 1e9 },
  { toString: 1, valueOf: 1, toJSON: 1 },
] as const;

export const oddText = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...oddTexts) },
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 300 }),
);

/** Any JSON value, rarely the expected one. */
export const oddValue: fc.Arbitrary<unknown> = fc.oneof(
  oddText,
  fc.constantFrom<unknown>(null, true, false, ...oddNumbers, ...oddObjects),
  fc.array(oddText, { maxLength: 3 }),
  fc.jsonValue({ maxDepth: 3 }),
);

/** Whole bodies: invalid JSON, not an object, 10,000 levels deep, 100,000 fields wide. */
export const oddBody = fc.oneof(
  { weight: 6, arbitrary: oddValue.map(asText) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '',
      ' ',
      '{',
      '"',
      '[1,]',
      '{"a":1}{',
      'nul',
      '\ufeff{}',
      '{"a":1,"a":2}',
      '1e999',
      '"\ud800"',
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '['.repeat(10_000) + ']'.repeat(10_000),
      `{"query":${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}}`,
      `{"input_params":${'[['.repeat(5_000)}${']]'.repeat(5_000)}}`,
      `{${Array.from({ length: 100_000 }, (_, n) => `"${n}":0`).join()}}`,
      `{"query":{${Array.from({ length: 60_000 }, (_, n) => `"k${n}":0`).join()}}}`,
      `{"metadata":{${Array.from({ length: 60_000 }, (_, n) => `"k${n}":0`).join()}}}`,
      `{"parts":[${'0,'.repeat(100_000)}0]}`,
      `{"name":"${'x'.repeat(2 ** 20)}"}`,
    ),
  },
);

/** JSON with keys that an object literal cannot have. */
export function asText(value: unknown): string {
  return (JSON.stringify(value) ?? 'null').replaceAll(proto, '__proto__');
}
