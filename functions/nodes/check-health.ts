import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { now } from '../../shared/clock.ts';
import { log } from '../common/log.ts';
import { requestProxy } from '../delivery/request-proxy.ts';
import { reachedProxy } from '../table/nodes/node-lists.ts';
import type { Node } from '../table/nodes/node-table.ts';
import type { ProxyNode } from '../table/nodes/proxy-cache.ts';

const dayMilliseconds = 86_400_000;

/**
 * `certificateDays` is the remaining validity of the presented certificate in days, `connections` the number of open
 * connections, `delivers` whether it delivers a file.
 */
export type Health = { responds: boolean; delivers?: boolean; certificateDays?: number; connections?: number };

/**
 * Requests `/healthz` of a proxy, and if it answers a file.
 * @param filePath signed path of a file that the proxy has not delivered yet, or undefined
 */
export async function checkHealth(node: Node, filePath?: string): Promise<Health> {
  const proxy = reachedProxy(node);
  const response = proxy && (await requestProxy(proxy, { method: 'GET', path: '/healthz' }));
  if (!response) return { responds: false };
  const health = {
    responds: response.statusCode === 200,
    ...remainingDays(response.socket),
    ...connectionsIn(response),
  };
  response.destroy();
  if (!health.responds || filePath === undefined) return health;
  return { ...health, delivers: await deliversFile(proxy, filePath) };
}

/** It has the signing key, its credentials are valid, and the bucket answers it. */
async function deliversFile(proxy: ProxyNode, path: string): Promise<boolean> {
  const response = await requestProxy(proxy, { method: 'HEAD', path });
  response?.destroy();
  const delivers = response?.statusCode === 200;
  if (!delivers)
    log.warn('a proxy does not deliver a file', { node: proxy.ulid, status: response?.statusCode ?? null });
  return delivers;
}

function remainingDays(socket: Socket): Pick<Health, 'certificateDays'> {
  // A connection that switched its protocol is closed, and has no certificate any more.
  if (!(socket instanceof TLSSocket) || socket.destroyed) return {};
  return { certificateDays: (Date.parse(socket.getPeerCertificate().valid_to) - now()) / dayMilliseconds };
}

/** The node may be any server: a header with another form is ignored. */
function connectionsIn({ headers }: IncomingMessage): Pick<Health, 'connections'> {
  const reported = headers['x-connections'];
  return typeof reported === 'string' && /^\d{1,7}$/.test(reported) ? { connections: Number(reported) } : {};
}
