import { expect, test } from 'vitest';
import { chooseProxy } from '../../../functions/delivery/choose-proxy.ts';
import type { ProxyNode } from '../../../functions/table/nodes/node-table.ts';

const proxy = (ulid: string): ProxyNode => ({
  ulid,
  ipAddress: '203.0.113.1',
  hostname: `${ulid}.example.com`,
  scheme: 'https',
});
const proxies = ['a', 'b', 'c', 'd'].map(proxy);
const videos = Array.from({ length: 1000 }, (_, index) => `video-${index}`);

test('a video always has the same proxy, independent of the order of the list', () => {
  for (const video of videos) {
    expect(chooseProxy(proxies.toReversed(), video)).toBe(chooseProxy(proxies, video));
  }
});

test('when a proxy is removed, only its videos move', () => {
  const left = proxies.slice(1);
  for (const video of videos) {
    const before = chooseProxy(proxies, video);
    if (before !== proxies[0]) expect(chooseProxy(left, video)).toBe(before);
  }
});

test('videos are distributed over all proxies', () => {
  const shares = proxies.map((one) => videos.filter((video) => chooseProxy(proxies, video) === one).length);
  for (const share of shares) expect(share).toBeGreaterThan(150);
});

test('without proxies the result is undefined', () => {
  expect(chooseProxy([], 'video')).toBeUndefined();
});
