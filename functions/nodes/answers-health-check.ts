import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Node } from '../../shared/table/nodes.ts';

const answerMilliseconds = 5_000;

/**
 * Whether a proxy answers `/healthz`, by its name and with a certificate for it. Asked is the node's own address, whatever its name leads to: a CDN in
 * front would answer for it, and a name could lead into a network that is none of its owner's.
 */
export function answersHealthCheck({ scheme, ipAddress, hostname }: Node): Promise<boolean> {
  if (hostname === null) return Promise.resolve(false);
  const { hostname: name, port } = new URL(`${scheme}://${hostname}`);
  const request = scheme === 'https' ? requestHttps : requestHttp;
  const signal = AbortSignal.timeout(answerMilliseconds);
  return new Promise((resolve) => {
    const options = { host: ipAddress, path: '/healthz', headers: { host: hostname }, agent: false, signal } as const;
    request({ ...options, ...(port !== '' && { port }), ...(scheme === 'https' && { servername: name }) }, (answer) => {
      answer.destroy();
      resolve(answer.statusCode === 200);
    })
      .on('error', () => resolve(false))
      .end();
  });
}
