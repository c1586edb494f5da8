import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { ProxyNode } from '../table/nodes/node-table.ts';

const answerMilliseconds = 5_000;

/**
 * What a proxy answers, by its name and with a certificate for it; undefined when it does not. Asked is the node's own address, whatever its name leads
 * to: a CDN in front would answer for it, and a name could lead into a network that is none of its owner's. The answer's body is to be left alone.
 */
export function requestProxy(
  { scheme: publicScheme, ipAddress, hostname, internalUrl }: ProxyNode,
  { method, path }: { method: 'GET' | 'HEAD'; path: string },
): Promise<IncomingMessage | undefined> {
  const { hostname: name, port, protocol } = new URL(internalUrl ?? `${publicScheme}://${hostname}`);
  const isTls = protocol === 'https:';
  const request = isTls ? requestHttps : requestHttp;
  const signal = AbortSignal.timeout(answerMilliseconds);
  return new Promise((resolve) => {
    const options = { host: ipAddress, method, path, headers: { host: hostname }, agent: false, signal } as const;
    request({ ...options, ...(port !== '' && { port }), ...(isTls && { servername: name }) }, resolve)
      .on('error', () => resolve(undefined))
      .end();
  });
}
