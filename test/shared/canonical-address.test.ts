import { expect, test } from 'vitest';
import { canonicalAddress } from '../../shared/canonical-address.ts';

test.each([
  ['203.0.113.10', '203.0.113.10'],
  ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
  ['2001:db8::1', '2001:db8::1'],
  ['::1', '::1'],
  ['::ffff:127.0.0.1', '::ffff:7f00:1'],
])('the canonical form of %s is %s', (text, canonical) => {
  expect(canonicalAddress(text)).toBe(canonical);
});

test.each([
  '2130706433',
  '0x7f.1',
  '0x7f000001',
  '127.1',
  '0177.0.0.1',
  '010.0.0.1',
  '1.2.3.256',
  '1.2.3.4.5',
  '1.2.3.4;id',
  '1.2.3.4/32',
  ' 1.2.3.4',
  '1.2.3.4\n',
  '１.2.3.4',
  'localhost',
  'a.com',
  '-oProxyCommand=x',
  'fe80::1%eth0',
  '[::1]',
  '::1]:80/[',
  ':::1',
  '1:2:3:4:5:6:7:8:9',
  '::g',
  '',
])('%j is not an address', (text) => {
  expect(canonicalAddress(text)).toBeUndefined();
});
