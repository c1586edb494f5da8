import { createHash, createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { Sha256 } from '../../../functions/aws/sha256.ts';

type Sum = { update(data: Uint8Array): void; digest(): Promise<Uint8Array>; reset(): void };
const create = (secret?: string | ArrayBuffer | ArrayBufferView) =>
  new (Sha256 as new (secret?: unknown) => Sum)(secret);
const digestOf = async (sum: Sum): Promise<string> => Buffer.from(await sum.digest()).toString('hex');

test('a sum without a secret is SHA-256, also after a reset', async () => {
  const sum = create();
  sum.update(Buffer.from('first'));
  sum.update(Buffer.from('second'));
  expect(await digestOf(sum)).toBe(createHash('sha256').update('firstsecond').digest('hex'));
  sum.reset();
  expect(await digestOf(sum)).toBe(createHash('sha256').digest('hex'));
});

const bytes = Buffer.from('a secret in the middle of a larger buffer');

test.each([
  ['text', 'AWS4sécret', Buffer.from('AWS4sécret')],
  ['an empty text', '', Buffer.alloc(0)],
  ['a view', bytes.subarray(2, 8), bytes.subarray(2, 8)],
  ['an ArrayBuffer', new Uint8Array([1, 2, 3]).buffer, Buffer.from([1, 2, 3])],
])('with %s as the secret it is the HMAC, each time it is used', async (_, secret, key) => {
  const expected = createHmac('sha256', key).update('text').digest('hex');
  for (const _use of [1, 2]) {
    const sum = create(secret);
    sum.update(Buffer.from('text'));
    expect(await digestOf(sum)).toBe(expected);
  }
});
