import { createHash, randomUUID } from 'node:crypto';

const HASHES: Record<string, string> = {
  MD5: 'md5',
  'SHA-1': 'sha1',
  'SHA-256': 'sha256',
  'SHA-384': 'sha384',
  'SHA-512': 'sha512',
};
const MAX_RANGE_ITEMS = 1000;

function partition(array: unknown, size: unknown): unknown[] | undefined {
  if (array === undefined) return undefined;
  if (!Number.isInteger(size) || (size as number) < 1)
    throw new Error('$partition requires an integer chunk size of at least 1');
  // JSONata converts an array with one element to that element.
  const items = Array.isArray(array) ? array : [array];
  const chunks: unknown[][] = [];
  for (let start = 0; start < items.length; start += size as number) {
    chunks.push(items.slice(start, start + (size as number)));
  }
  return chunks;
}

function range(first: number, last: number, step: number): number[] {
  if (![first, last, step].every(Number.isFinite) || step === 0) throw new Error('$range requires a step other than 0');
  const count = Math.max(0, Math.floor((last - first) / step) + 1);
  if (count > MAX_RANGE_ITEMS) throw new Error(`$range returns at most ${MAX_RANGE_ITEMS} items`);
  return Array.from({ length: count }, (_, index) => first + index * step);
}

function hash(content: unknown, algorithm: string): string | undefined {
  if (content === undefined) return undefined;
  const name = HASHES[algorithm];
  if (typeof content !== 'string' || !name)
    throw new Error(`$hash requires a string and one of ${Object.keys(HASHES)}`);
  return createHash(name).update(content).digest('hex');
}

/** A number in [0, 1). The same seed gives the same number (mulberry32). */
function random(seed?: number): number {
  if (seed === undefined) return Math.random();
  let state = (Math.trunc(seed) + 0x6d2b79f5) | 0;
  state = Math.imul(state ^ (state >>> 15), state | 1);
  state ^= state + Math.imul(state ^ (state >>> 7), state | 61);
  return ((state ^ (state >>> 14)) >>> 0) / 2 ** 32;
}

function parse(text: unknown): unknown {
  return text === undefined ? undefined : JSON.parse(text as string);
}

/** The functions that Step Functions adds to JSONata. `$eval` is removed, as in Step Functions. */
export const serviceFunctions = {
  partition,
  range,
  hash,
  random: (seed?: number) => random(seed),
  uuid: () => randomUUID(),
  parse,
  eval: undefined,
};
