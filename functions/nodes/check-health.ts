import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { now } from '../../shared/clock.ts';
import { requestProxy } from '../delivery/request-proxy.ts';
import { type Node, reachedProxy } from '../table/nodes/node-table.ts';

const dayMilliseconds = 86_400_000;

/** `certificateDays` is the remaining validity of the presented certificate in days. */
export type Health = { answers: boolean; certificateDays?: number };

/** Requests `/healthz` of a proxy. */
export async function checkHealth(node: Node): Promise<Health> {
  const proxy = reachedProxy(node);
  const answer = proxy && (await requestProxy(proxy, { method: 'GET', path: '/healthz' }));
  if (!answer) return { answers: false };
  const health = { answers: answer.statusCode === 200, ...remainingDays(answer.socket) };
  answer.destroy();
  return health;
}

function remainingDays(socket: Socket): Pick<Health, 'certificateDays'> {
  if (!(socket instanceof TLSSocket)) return {};
  return { certificateDays: (Date.parse(socket.getPeerCertificate().valid_to) - now()) / dayMilliseconds };
}
