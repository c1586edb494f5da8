import { expect, test } from 'vitest';
import { chooseProxy } from '../../../functions/delivery/choose-proxy.ts';

type Proxy = { ulid: string; connections: number };
const withConnections = (...connections: number[]): Proxy[] =>
  connections.map((count, index) => ({ ulid: String.fromCharCode(97 + index), connections: count }));
const proxies = withConnections(0, 0, 0, 0);
const videos = Array.from({ length: 1000 }, (_, index) => `video-${index}`);
const chosen = (list: readonly Proxy[], video: string, random?: () => number) => chooseProxy(list, video, random)?.ulid;

/** Evenly distributed numbers, the same in every run. */
function evenly(): () => number {
  let at = 0;
  return () => (at = (at + 0.618_033_988_75) % 1);
}

test.each([
  ['idle', proxies],
  ['equally loaded', withConnections(5000, 5000, 5000, 5000)],
  ['almost equally loaded', withConnections(4500, 5500, 5000, 5200)],
  ['lightly loaded', withConnections(0, 199, 0, 3)],
])('with %s proxies a video always has the same one, independent of the order of the list', (_, list) => {
  for (const video of videos) expect(chosen(list.toReversed(), video)).toBe(chosen(list, video));
});

test.each([
  ['idle', proxies],
  ['equally loaded', withConnections(5000, 5000, 5000, 5000)],
])('when one of %s proxies is removed or added, only its videos move', (_, list) => {
  const left = list.slice(1);
  for (const video of videos) {
    const before = chosen(list, video);
    if (before !== list[0]!.ulid) expect(chosen(left, video)).toBe(before);
  }
});

test('videos are distributed over all proxies', () => {
  const shares = proxies.map(({ ulid }) => videos.filter((video) => chosen(proxies, video) === ulid).length);
  for (const share of shares) expect(share).toBeGreaterThan(150);
});

test('without proxies the result is undefined', () => {
  expect(chooseProxy([], 'video')).toBeUndefined();
});

/** Viewers of one video for an hour: those of each minute choose by the connections at its start, and stay for ten. */
function playOneVideo(count: number, viewersPerMinute: number): number[] {
  const names = withConnections(...Array.from({ length: count }, () => 0)).map(({ ulid }) => ulid);
  const random = evenly();
  const minutes: string[][] = [];
  const connectionsOf = (ulid: string) =>
    minutes.slice(-10).reduce((sum, minute) => sum + minute.filter((one) => one === ulid).length, 0);
  for (let minute = 0; minute < 60; minute++) {
    const known = names.map((ulid) => ({ ulid, connections: connectionsOf(ulid) }));
    minutes.push(Array.from({ length: viewersPerMinute }, () => chosen(known, 'viral', random)!));
  }
  return names.map(connectionsOf).toSorted((a, b) => b - a);
}

test.each([2, 5, 10])('the viewers of one viral video are distributed over %d proxies', (count) => {
  const connections = playOneVideo(count, 1000);
  expect(connections.reduce((sum, one) => sum + one)).toBe(10_000);
  // The viewers of the latest minute were sent by what was known at its start.
  expect(connections[0]).toBeLessThanOrEqual((1.25 * 10_000) / count + 1000);
  expect(connections.filter((one) => one > 0).length).toBeGreaterThanOrEqual(Math.ceil(count / 1.25));
});

test('few viewers of a video stay on one proxy', () => {
  expect(playOneVideo(5, 15)).toEqual([150, 0, 0, 0, 0]);
});

test('a viral video moves only those videos that have its proxy first', () => {
  const calm = withConnections(100, 100, 100, 100);
  const viral = withConnections(4000, 100, 100, 100);
  const random = evenly();
  const moved = videos.filter((video) => chosen(calm, video) !== chosen(viral, video, random));
  expect(moved.length).toBeGreaterThan(100);
  for (const video of moved) expect(chosen(calm, video)).toBe('a');
});

test('a proxy of unknown load counts as idle', () => {
  const unknown: { ulid: string; connections?: number }[] = [{ ulid: 'a' }, { ulid: 'b' }];
  expect(videos.filter((video) => chooseProxy(unknown, video)?.ulid === 'a').length).toBeGreaterThan(300);
});
