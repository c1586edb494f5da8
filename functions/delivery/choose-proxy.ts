import { createHash } from 'node:crypto';
import type { ProxyNode } from '../table/nodes/node-table.ts';

/**
 * The proxy of a video, by rendezvous hashing: all viewers of a video use one cache, and when a proxy is added or
 * removed, only the videos of that proxy move.
 */
export function chooseProxy(proxies: readonly ProxyNode[], videoUlid: string): ProxyNode | undefined {
  const weight = ({ ulid }: ProxyNode): string => createHash('sha256').update(`${videoUlid}/${ulid}`).digest('hex');
  return proxies.toSorted((a, b) => (weight(a) < weight(b) ? 1 : -1))[0];
}
