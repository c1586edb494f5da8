import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { createClientAddress } from '../../src/http/client-address.ts';

const request = (remoteAddress: string, forwarded?: string) =>
  ({ socket: { remoteAddress }, headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded } }) as never;
const find = createClientAddress(['127.0.0.0/8', '::1', '10.0.0.0/24', '2001:db8::/32']);

test.each([
  ['a direct connection', '192.0.2.1', undefined, '192.0.2.1'],
  ['a header of a peer that is not trusted', '192.0.2.1', '203.0.113.9', '192.0.2.1'],
  ['a trusted peer', '127.0.0.1', '192.0.2.1', '192.0.2.1'],
  ['a header that the client has set', '127.0.0.1', '203.0.113.9, 192.0.2.1', '192.0.2.1'],
  ['two trusted proxies', '127.0.0.1', '203.0.113.9, 192.0.2.1, 10.0.0.7', '192.0.2.1'],
  ['a client that sends a trusted address', '127.0.0.1', '10.0.0.7, 192.0.2.1', '192.0.2.1'],
  ['a trusted peer without the header', '127.0.0.1', undefined, '127.0.0.1'],
  ['text that is not an address', '127.0.0.1', '192.0.2.1, unknown', '127.0.0.1'],
  ['an empty header', '127.0.0.1', '', '127.0.0.1'],
  ['trusted addresses only', '127.0.0.1', '10.0.0.8, 10.0.0.7', '10.0.0.8'],
  ['IPv4-mapped IPv6', '::ffff:127.0.0.1', '::ffff:192.0.2.1', '192.0.2.1'],
  ['IPv6', '2001:db8::5', '2001:470:0::1', '2001:470::1'],
])('%s', (_, peer, forwarded, client) => {
  expect(find(request(peer, forwarded) as IncomingMessage)).toBe(client);
});

test('without trusted proxies the peer is the client, even on loopback', () => {
  expect(createClientAddress([])(request('127.0.0.1', '192.0.2.1'))).toBe('127.0.0.1');
});
