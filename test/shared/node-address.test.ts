import { expect, test } from 'vitest';
import { canonicalAddress, isLoopback, isServerAddress } from '../../shared/node-address.ts';

test.each([
  ['203.0.113.10', '203.0.113.10'],
  ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
  ['2001:db8::1', '2001:db8::1'],
  ['::1', '::1'],
  ['::ffff:127.0.0.1', '::ffff:7f00:1'],
])('%s is written %s', (text, canonical) => {
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
])('%j is no address', (text) => {
  expect(canonicalAddress(text)).toBeUndefined();
});

test.each([
  '0.0.0.0',
  '0.1.2.3',
  '169.254.169.254',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1.2.3.4',
  '::ffff:169.254.169.254',
  '::ffff:10.0.0.1',
  'fe80::1',
  'febf::1',
  'fec0::1',
  'ff02::1',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b:1::1',
  '2002:7f00:1::',
  '2001::1',
  'fd00:ec2::254',
])('%s is no server', (text) => {
  const canonical = canonicalAddress(text)!;
  expect(isServerAddress(canonical) || isLoopback(canonical)).toBe(false);
});

test.each([
  '203.0.113.10',
  '10.0.0.1',
  '192.168.1.1',
  '172.16.0.1',
  '100.64.0.1',
  '2001:db8::1',
  'fd12:3456::1',
  '2a01:4f8::2',
])('%s may be one', (text) => {
  expect(isServerAddress(canonicalAddress(text)!)).toBe(true);
  expect(isLoopback(text)).toBe(false);
});

test.each(['127.0.0.1', '127.255.255.254', '::1'])('%s is the machine itself', (text) => {
  expect(isLoopback(text)).toBe(true);
});
