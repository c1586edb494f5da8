import { createHash, timingSafeEqual } from 'node:crypto';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { readEnvironment } from '../../shared/environment.ts';
import { readParameter } from '../aws/parameters.ts';

/**
 * The address of the client. Behind the edge the gateway sees the address of CloudFront, and the edge passes that of
 * the viewer in a header. Anyone can send this header to the gateway, so it counts only beside the secret that the edge
 * adds to its requests.
 */
export async function callerAddress({ headers, requestContext }: APIGatewayProxyEventV2): Promise<string> {
  const { 'x-origin-secret': sent, 'x-viewer-address': viewerAddress } = headers;
  if (sent === undefined || viewerAddress === undefined || readEnvironment('EDGE_URL') === undefined)
    return requestContext.http.sourceIp;
  const secret = await readParameter('origin-secret');
  return secret !== undefined && isEqual(sent, secret) ? viewerAddress : requestContext.http.sourceIp;
}

/** Compares digests, which have equal lengths. */
const isEqual = (a: string, b: string): boolean => timingSafeEqual(sha256(a), sha256(b));

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

/**
 * The key by which clients are rate-limited: an IPv4 address, or the /64 network of an IPv6 address, since a client can
 * use any address of its /64.
 */
export function clientNetwork(address: string): string {
  // IPv4, or IPv4-mapped IPv6.
  if (!address.includes(':') || address.includes('.')) return address;
  const [head = '', tail] = address.split('::');
  const groups = (text: string): string[] => (text === '' ? [] : text.split(':'));
  const last = groups(tail ?? '');
  const zeros = Array<string>(Math.max(0, 8 - groups(head).length - last.length)).fill('0');
  const all = tail === undefined ? groups(head) : [...groups(head), ...zeros, ...last];
  return `${all
    .slice(0, 4)
    .map((group) => parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}
