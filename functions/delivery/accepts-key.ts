import { nowSeconds } from '../../shared/clock.ts';
import signedUrl from '../../shared/delivery/signed-url.js';
import type { ProxyNode } from '../table/nodes/node-table.ts';
import { requestProxy } from './request-proxy.ts';

/** No video has it, so that a proxy which accepts the link has nothing to deliver. */
const nobodysVideo = '00000000000000000000000000';

/** Whether a proxy accepts links that a key has signed, seen by asking it for one: 404 where it does, 403 where it does not know the key. */
export async function proxyAcceptsKey(proxy: ProxyNode, keyId: string, secret: string): Promise<boolean> {
  const path = signedUrl.signPath({
    keyId,
    secret,
    expiresSeconds: nowSeconds() + 60,
    session: 'rotation',
    objectKey: `videos/${nobodysVideo}/key`,
  });
  const answer = await requestProxy(proxy, { method: 'HEAD', path });
  answer?.destroy();
  return answer?.statusCode === 404;
}
