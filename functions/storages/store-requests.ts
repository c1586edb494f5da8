import { lookup } from 'node:dns';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { Readable } from 'node:stream';
import { HttpResponse } from '@smithy/core/protocols';
import { checkedLookup } from '../../shared/checked-lookup.ts';
import { responseOf } from '../../shared/response-of.ts';
import { targetProblem } from '../../shared/target-url.ts';
import { encodePart } from '../aws/uri-encoding.ts';
import { userTargets } from '../common/allowed-targets.ts';
import { storageError } from './storage-error.ts';

/** A page of 1,000 keys of 1,024 bytes each, all escaped in XML. */
const maxResponseBytes = 8 * 2 ** 20;

type StoreRequest = {
  method: string;
  protocol: string;
  hostname: string;
  port?: number;
  path: string;
  query?: Record<string, string | string[] | null>;
  headers: Record<string, string>;
  body?: unknown;
};

/**
 * Sends the requests of an S3 client to the store of a user. Each connection is made to an address that was checked.
 * Redirects are responses, which the client does not follow, and no proxy is used. A response is read whole, within
 * its limits of size and time.
 */
export const createStoreRequests = (timeoutMilliseconds: number) => ({
  metadata: { handlerProtocol: 'http/1.1' },

  async handle(request: StoreRequest, { abortSignal }: { abortSignal?: unknown } = {}) {
    const url = new URL(`${request.protocol}//${hostOf(request)}${request.path}${queryOf(request)}`);
    const rules = userTargets('storage');
    if (targetProblem(url, rules) !== undefined) throw storageError('address_refused');
    const deadline = AbortSignal.timeout(timeoutMilliseconds);
    const signal = abortSignal instanceof AbortSignal ? AbortSignal.any([deadline, abortSignal]) : deadline;
    const secure = url.protocol === 'https:';
    const sent = (secure ? https : http).request({
      method: request.method,
      protocol: url.protocol,
      hostname: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port,
      // Not that of the parsed URL, in which `..` is resolved.
      path: `${request.path}${queryOf(request)}`,
      headers: request.headers,
      // Of its own, so that neither the environment nor an earlier connection decides where it connects.
      agent: secure ? new https.Agent({ keepAlive: false }) : new http.Agent({ keepAlive: false }),
      lookup: checkedLookup(rules.allowLoopback, () => storageError('address_refused'), lookup),
      signal,
    });
    const responded = responseOf<IncomingMessage>(sent);
    sendBody(sent, request.body);
    const response = await responded;
    const headers = Object.fromEntries(
      Object.entries(response.headers).map(([name, value]) => [name, [value].flat().join(', ')]),
    );
    const bytes = await readWhole(response);
    requireReadable(bytes);
    const body = Readable.from(bytes, { objectMode: false });
    return { response: new HttpResponse({ statusCode: response.statusCode ?? 0, headers, body }) };
  },

  httpHandlerConfigs: () => ({}),
  updateHttpClientConfig: () => undefined,
  destroy: () => undefined,
});

const hostOf = ({ hostname, port }: StoreRequest): string => (port === undefined ? hostname : `${hostname}:${port}`);

function queryOf({ query = {} }: StoreRequest): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((one) => `${encodePart(name)}${one === null ? '' : `=${encodePart(one ?? '')}`}`),
  );
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

function sendBody(sent: http.ClientRequest, body: unknown): void {
  if (body === undefined) sent.end();
  else if (typeof body === 'string' || body instanceof Uint8Array) sent.end(body);
  else sent.destroy(new TypeError('a request to a store has a body of known length'));
}

/**
 * The client reads a document again for each declaration of its type: 8 MiB of them take hours of processor time. Pages
 * of HTML have one, and stores none.
 * @throws StorageError
 */
function requireReadable(bytes: Buffer): void {
  const declarations = bytes.toString('latin1').matchAll(/<!doctype/gi);
  if ([...declarations.take(2)].length > 1) throw storageError('invalid_response');
}

/** @throws StorageError when it is too large */
async function readWhole(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response) {
    bytes += chunk.length;
    if (bytes > maxResponseBytes) throw storageError('invalid_response');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
