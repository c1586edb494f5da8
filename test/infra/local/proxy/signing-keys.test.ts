import { expect, test } from 'vitest';
import { createSigningKeys } from '../../../../infra/local/proxy/signing-keys.ts';

const document = (keys: Record<string, string>) => JSON.stringify({ current: 'k1', keys });

test('keys are read once a minute, and again for an unknown key id', () => {
  const documents = [document({ k1: 'a' }), document({ k1: 'a', k2: 'b' })];
  let reads = 0;
  let nowMs = 0;
  const keysFor = createSigningKeys(
    () => documents[reads++],
    () => nowMs,
  );
  expect([keysFor('k1'), keysFor('k1'), reads]).toEqual([{ k1: 'a' }, { k1: 'a' }, 1]);
  nowMs = 1000;
  expect([keysFor('k2'), reads]).toEqual([{ k1: 'a', k2: 'b' }, 2]);
  documents.push(document({ k2: 'b' }));
  expect(keysFor('k1')).toEqual({ k1: 'a', k2: 'b' });
  nowMs += 60_000;
  expect(keysFor('k1')).toEqual({ k2: 'b' });
});

test('unknown key ids cause at most one read per second', () => {
  let reads = 0;
  const keysFor = createSigningKeys(
    () => {
      reads += 1;
      return document({ k1: 'a' });
    },
    () => 0,
  );
  for (let index = 0; index < 100; index++) keysFor(`x${index}`);
  expect(reads).toBe(1);
});

test('without keys every id is unknown', () => {
  expect(createSigningKeys(() => undefined)('k1')).toEqual({});
});

test('properties of Object.prototype are not key ids', () => {
  expect(createSigningKeys(() => document({ k1: 'a' }))('constructor').constructor).toBeUndefined();
});
