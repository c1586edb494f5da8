import { scryptSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { hashPassword, verifyPassword } from '../../../functions/common/password.ts';
import { useRealScrypt } from '../../fixtures/set-up/use-cheap-scrypt.ts';

useRealScrypt();

test('a hash contains its parameters and a random salt', async () => {
  const [one, two] = await Promise.all([hashPassword('correct horse'), hashPassword('correct horse')]);
  expect(one).toMatch(/^scrypt\$17\$8\$1\$[\w-]{22}\$[\w-]{43}$/);
  expect(one).not.toBe(two);
  expect(await verifyPassword('correct horse', one)).toBe(true);
  expect(await verifyPassword('correct horse ', one)).toBe(false);
});

test('a hash is calculated with the parameters that it contains', async () => {
  const [salt = '', key = ''] = (await hashPassword('correct horse')).split('$').slice(4);
  const options = { N: 2 ** 17, r: 8, p: 1, maxmem: 2 ** 28 };
  const expected = scryptSync('correct horse', Buffer.from(salt, 'base64url'), 32, options);
  expect(key).toBe(expected.toString('base64url'));
});

test('a hash with other parameters can still be verified', async () => {
  const weaker = 'scrypt$10$8$1$MDEyMzQ1Njc4OWFiY2RlZg$';
  const key = scryptSync('old one', Buffer.from('0123456789abcdef'), 32, { N: 1024, r: 8, p: 1 });
  expect(await verifyPassword('old one', weaker + key.toString('base64url'))).toBe(true);
});

test('without a hash, no password matches, not even that of the placeholder', async () => {
  expect(await verifyPassword('', undefined)).toBe(false);
});
