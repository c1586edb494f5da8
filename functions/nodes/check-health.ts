import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { now } from '../../shared/clock.ts';
import { requestProxy } from '../delivery/request-proxy.ts';
import { reachedProxy } from '../table/nodes/node-lists.ts';
import type { Node } from '../table/nodes/node-table.ts';

const dayMilliseconds = 86_400_000;

/**
 * `certificateDays` is the remaining validity of the presented certificate in days, `connections` the number of open
 * connections.
 */
export type Health = { answers: boolean; certificateDays?: number; connections?: number };

/** Requests `/healthz` of a proxy. */
export async function checkHealth(node: Node): Promise<Health> {
  const proxy = reachedProxy(node);
  const answer = proxy && (await requestProxy(proxy, { method: 'GET', path: '/healthz' }));
  if (!answer) return { answers: false };
  const health = { answers: answer.statusCode === 200, ...remainingDays(answer.socket), ...connectionsIn(answer) };
  answer.destroy();
  return health;
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
