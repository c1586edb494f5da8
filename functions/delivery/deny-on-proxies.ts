import signedUrl from '../../delivery/urls/signed-url.js';
import { nowSeconds } from '../../shared/clock.ts';
import { videoPrefix } from '../../shared/object-keys.ts';
import { listActiveProxies } from '../table/nodes/node-lists.ts';
import type { ProxyNode } from '../table/nodes/proxy-cache.ts';
import { requestProxy } from './request-proxy.ts';
import { readSigningKeys } from './signing-keys.ts';

const lifetimeSeconds = 60;

/**
 * Has every active proxy deny a deleted video. A proxy that cannot reach the store would otherwise deliver its cached
 * files further. Returns the host names of the proxies that did not confirm.
 */
export async function proxiesWithoutDenial(videoUlid: string): Promise<string[]> {
  const proxies = await listActiveProxies();
  if (proxies.length === 0) return [];
  const { current: keyId, keys } = await readSigningKeys();
  const path = signedUrl.signPath({
    keyId,
    secret: keys[keyId]!,
    expiresSeconds: nowSeconds() + lifetimeSeconds,
    session: signedUrl.denialSession,
    objectKey: `${videoPrefix(videoUlid)}all`,
  });
  const confirmed = await Promise.all(proxies.map((proxy) => isDenied(proxy, path)));
  return proxies.filter((_, index) => !confirmed[index]).map(({ hostname }) => hostname);
}

async function isDenied(proxy: ProxyNode, path: string): Promise<boolean> {
  const response = await requestProxy(proxy, { method: 'DELETE', path });
  response?.destroy();
  return response?.statusCode === 204;
}
