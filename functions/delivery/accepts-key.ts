import signedUrl from '../../delivery/urls/signed-url.js';
import { nowSeconds } from '../../shared/clock.ts';
import { readEnvironment } from '../../shared/environment.ts';
import { samplesPrefix } from '../../shared/object-keys.ts';
import { listSession } from '../common/access-log.ts';
import type { ProxyNode } from '../table/nodes/proxy-cache.ts';
import { requestProxy } from './request-proxy.ts';
import { readSigningKeys } from './signing-keys.ts';

/**
 * Whether a proxy accepts URLs that this key has signed. A proxy responds to the test URL with 404 if it has the key,
 * and with 403 if not.
 */
export async function proxyAcceptsKey(proxy: ProxyNode, keyId: string, secret: string): Promise<boolean> {
  const path = unusedPath(keyId, secret, 'rotation');
  const response = await requestProxy(proxy, { method: 'HEAD', path });
  response?.destroy();
  return response?.statusCode === 404;
}

/**
 * Whether the edge delivers: it has the signing key, its functions run, and the bucket answers it. The bucket has 404
 * for the test URL, which is not cached, and the edge has 403 if one of them refuses it. Undefined without an edge.
 */
export async function edgeDelivers(): Promise<boolean | undefined> {
  const edgeUrl = readEnvironment('EDGE_URL');
  if (edgeUrl === undefined) return undefined;
  const { current, keys } = await readSigningKeys();
  const path = unusedPath(current, keys[current]!, listSession);
  try {
    const response = await fetch(`${edgeUrl}${path}`, { method: 'HEAD', signal: AbortSignal.timeout(5000) });
    return response.status === 404;
  } catch {
    // No connection, or a certificate that is not valid.
    return false;
  }
}

const unusedPath = (keyId: string, secret: string, session: string): string =>
  signedUrl.signPath({
    keyId,
    secret,
    session,
    expiresSeconds: nowSeconds() + 60,
    // No object has this key: what accepts the URL has nothing to deliver.
    objectKey: `${samplesPrefix}key`,
  });
