import { createHash } from 'node:crypto';
import type { ProxyNode } from '../table/nodes/node-table.ts';

/**
 * The proxy that has a video, by rendezvous hashing: all of a video's viewers meet at one cache, and when a proxy comes or goes only the videos of
 * that one move.
 */
export function chooseProxy(proxies: readonly ProxyNode[], videoUlid: string): ProxyNode | undefined {
  const weight = ({ ulid }: ProxyNode): string => createHash('sha256').update(`${videoUlid}/${ulid}`).digest('hex');
  return proxies.toSorted((a, b) => (weight(a) < weight(b) ? 1 : -1))[0];
}
