import { createHash } from 'node:crypto';
import type { ProxyNode } from '../table/nodes/proxy-cache.ts';

/** A proxy may have this many times the mean number of connections before its videos are shared with others. */
const maxShareOfMean = 1.25;
/** So few connections load no proxy, however they are distributed: they do not split a video's viewers. */
const lightConnections = 200;

/**
 * The proxy of a video, by rendezvous hashing with bounded loads. Each video has an order of the proxies; when a proxy
 * is added or removed, the order of the others stays. All viewers of a video use the first proxy, and its cache, unless
 * that has too many connections. Then new viewers are shared among the first k proxies, where k is the smallest number
 * whose mean is within the bound: a video with the viewers of five proxies gets five.
 *
 * Connections are known from the latest health check, up to a minute old. So the choice among the k is random, in
 * proportion to the connections that each may still get: a choice of the least loaded one would send a minute's viewers
 * to it.
 * @param random a number from 0 to below 1
 */
export function chooseProxy<Proxy extends Pick<ProxyNode, 'ulid' | 'connections'>>(
  proxies: readonly Proxy[],
  videoUlid: string,
  random: () => number = Math.random,
): Proxy | undefined {
  const order = orderOf(proxies, videoUlid);
  const bound = Math.max(lightConnections, maxShareOfMean * mean(order));
  const best = order.slice(0, countWithin(order, bound));
  if (best.length < 2) return best[0];
  const free = best.map(({ connections = 0 }) => Math.max(0, bound - connections));
  return best[pick(free, random)];
}

/** The position of a weight, with the probability of its share. */
function pick(weights: readonly number[], random: () => number): number {
  let left = random() * weights.reduce((sum, one) => sum + one, 0);
  for (const [at, weight] of weights.entries()) {
    left -= weight;
    if (left < 0) return at;
  }
  return weights.length - 1;
}

function orderOf<Proxy extends Pick<ProxyNode, 'ulid'>>(proxies: readonly Proxy[], videoUlid: string): Proxy[] {
  const weight = ({ ulid }: Proxy): string => createHash('sha256').update(`${videoUlid}/${ulid}`).digest('hex');
  return proxies
    .map((proxy) => ({ proxy, weight: weight(proxy) }))
    .sort((a, b) => (a.weight < b.weight ? 1 : -1))
    .map(({ proxy }) => proxy);
}

type Loaded = Pick<ProxyNode, 'connections'>;

const mean = (proxies: readonly Loaded[]): number =>
  proxies.reduce((sum, { connections = 0 }) => sum + connections, 0) / Math.max(1, proxies.length);

/** The smallest number of first proxies whose mean is below the bound. The mean of all always is. */
function countWithin(order: readonly Loaded[], bound: number): number {
  let sum = 0;
  for (const [at, { connections = 0 }] of order.entries()) {
    sum += connections;
    if (sum < bound * (at + 1)) return at + 1;
  }
  return order.length;
}
