import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { responseOf } from '../../shared/response-of.ts';
import type { ProxyNode } from '../table/nodes/proxy-cache.ts';

const timeoutMilliseconds = 5_000;

/**
 * Sends a request to a proxy and verifies the certificate of its host name. Undefined when there is no response within
 * 5 s. It connects to the node's IP address and not to what the host name resolves to: that can be a CDN, or an address
 * in a network that the node's owner does not own. The caller must not read the response's body, and has to destroy the
 * response.
 */
export async function requestProxy(
  { scheme, ipAddress, hostname }: ProxyNode,
  { method, path }: { method: 'GET' | 'HEAD' | 'DELETE'; path: string },
): Promise<IncomingMessage | undefined> {
  const { hostname: name, port } = new URL(`${scheme}://${hostname}`);
  const isTls = scheme === 'https';
  const request = isTls ? requestHttps : requestHttp;
  const signal = AbortSignal.timeout(timeoutMilliseconds);
  const options = { host: ipAddress, method, path, headers: { host: hostname }, agent: false, signal } as const;
  const sent = request({ ...options, ...(port !== '' && { port }), ...(isTls && { servername: name }) }).end();
  try {
    return await responseOf(sent);
  } catch {
    return undefined;
  }
}
