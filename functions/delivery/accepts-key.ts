import { nowSeconds } from '../../shared/clock.ts';
import signedUrl from '../../shared/delivery/signed-url.js';
import type { ProxyNode } from '../table/nodes/proxy-cache.ts';
import { requestProxy } from './request-proxy.ts';

/** A ULID that no video has: a proxy that accepts the URL has nothing to deliver. */
const unusedVideoUlid = '00000000000000000000000000';

/**
 * Whether a proxy accepts URLs that this key has signed. A proxy responds to the test URL with 404 if it has the key,
 * and with 403 if not.
 */
export async function proxyAcceptsKey(proxy: ProxyNode, keyId: string, secret: string): Promise<boolean> {
  const path = signedUrl.signPath({
    keyId,
    secret,
    expiresSeconds: nowSeconds() + 60,
    session: 'rotation',
    objectKey: `videos/${unusedVideoUlid}/key`,
  });
  const response = await requestProxy(proxy, { method: 'HEAD', path });
  response?.destroy();
  return response?.statusCode === 404;
}
