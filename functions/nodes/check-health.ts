import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { now } from '../../shared/clock.ts';
import type { Node } from '../../shared/table/nodes.ts';

const answerMilliseconds = 5_000;
const dayMilliseconds = 86_400_000;

/** `certificateDays` are those that the certificate it showed is still good for. */
export type Health = { answers: boolean; certificateDays?: number };

/**
 * Whether a proxy answers `/healthz`, by its name and with a certificate for it. Asked is the node's own address, whatever its name leads to: a CDN in
 * front would answer for it, and a name could lead into a network that is none of its owner's.
 */
export function checkHealth({ scheme, ipAddress, hostname }: Node): Promise<Health> {
  if (hostname === null) return Promise.resolve({ answers: false });
  const { hostname: name, port } = new URL(`${scheme}://${hostname}`);
  const request = scheme === 'https' ? requestHttps : requestHttp;
  const signal = AbortSignal.timeout(answerMilliseconds);
  return new Promise((resolve) => {
    const options = { host: ipAddress, path: '/healthz', headers: { host: hostname }, agent: false, signal } as const;
    request({ ...options, ...(port !== '' && { port }), ...(scheme === 'https' && { servername: name }) }, (answer) => {
      const health = { answers: answer.statusCode === 200, ...daysOf(answer.socket) };
      answer.destroy();
      resolve(health);
    })
      .on('error', () => resolve({ answers: false }))
      .end();
  });
}

function daysOf(socket: Socket): Pick<Health, 'certificateDays'> {
  if (!(socket instanceof TLSSocket)) return {};
  return { certificateDays: (Date.parse(socket.getPeerCertificate().valid_to) - now()) / dayMilliseconds };
}
