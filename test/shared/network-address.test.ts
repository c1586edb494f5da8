import { expect, test } from 'vitest';
import { canonicalAddress } from '../../shared/canonical-address.ts';
import { addressKind } from '../../shared/network-address.ts';

const kindOf = (text: string) => addressKind(canonicalAddress(text)!);

test.each([
  '0.0.0.0',
  '0.1.2.3',
  '169.254.169.254',
  '168.63.129.16',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  'fe80::1',
  'febf::1',
  'fec0::1',
  'ff02::1',
  'fd00:ec2::254',
])('%s is never a server', (text) => {
  expect(kindOf(text)).toBe('refused');
});

test.each([
  ['IPv4-compatible', '::1.2.3.4'],
  ['IPv4-compatible', '::127.0.0.1'],
  ['IPv4-mapped', '::ffff:169.254.169.254'],
  ['IPv4-mapped', '::ffff:10.0.0.1'],
  ['IPv4-mapped', '::ffff:7f00:1'],
  ['IPv4-translated', '::ffff:0:127.0.0.1'],
  ['IPv4-translated', '::ffff:0:7f00:1'],
  ['NAT64', '64:ff9b::a9fe:a9fe'],
  ['NAT64', '64:ff9b::127.0.0.1'],
  ['NAT64', '64:ff9b:1::1'],
  ['NAT64', '64:ff9b:1:ffff:ffff:ffff:7f00:1'],
  ['6to4', '2002:7f00:1::'],
  ['6to4', '2002:a9fe:a9fe::1'],
  ['Teredo', '2001::1'],
  ['Teredo', '2001:0:4136:e378:8000:63bf:80ff:fffe'],
  ['ISATAP', '2001:db8::5efe:127.0.0.1'],
  ['ISATAP', '2001:db8::200:5efe:a9fe:a9fe'],
  ['ISATAP', 'fd12:3456::5efe:10.0.0.1'],
])('an %s address is refused, since it embeds an IPv4 address: %s', (_, text) => {
  expect(kindOf(text)).toBe('refused');
});

test.each([
  ['public', '93.184.216.34'],
  ['public', '2a01:4f8::2'],
  ['public', '2606:4700:4700::1111'],
  ['private', '10.0.0.1'],
  ['private', '192.168.1.1'],
  ['private', '172.16.0.1'],
  ['private', '100.64.0.1'],
  ['private', 'fd12:3456::1'],
  ['reserved', '203.0.113.10'],
  ['reserved', '198.18.0.1'],
  ['reserved', '2001:db8::1'],
  ['reserved', '100::1'],
  ['loopback', '127.0.0.1'],
  ['loopback', '127.255.255.254'],
  ['loopback', '::1'],
])('the kind is %s: %s', (kind, text) => {
  expect(kindOf(text)).toBe(kind);
});
