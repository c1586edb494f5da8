import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHandler } from '../../http/http-server.ts';
import type { Origin, OriginRequest, OriginResponse } from './origin.ts';

/** The address that the API sees. On AWS it is one of CloudFront. */
const edgeAddress = '127.0.0.1';

/**
 * The HTTP API of the stack as an origin, in this process. It answers requests for its own host name only, as API
 * Gateway does.
 */
export function createHttpApiOrigin(api: RequestHandler, hostName: string): Origin {
  return {
    hostName,
    hasRanges: false,
    async fetch(request) {
      const sent = incomingMessage(request);
      if (sent.headers.host !== hostName) return forbidden();
      const { response, finished } = collectResponse();
      await api(sent, response);
      return finished();
    },
  };
}

function forbidden(): OriginResponse {
  const body = Buffer.from('{"message":"Forbidden"}');
  return { status: 403, headers: { 'content-type': 'application/json' }, chunks: [body], sizeBytes: body.length };
}

/** The part of IncomingMessage that the API uses. */
function incomingMessage({ method, path, query, rawHeaders, httpVersion, body }: OriginRequest): IncomingMessage {
  const headers: Record<string, string> = Object.create(null);
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!.toLowerCase();
    const value = rawHeaders[index + 1]!;
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  }
  const url = query === '' ? path : `${path}?${query}`;
  const socket = { remoteAddress: edgeAddress };
  const message = { method, url, headers, rawHeaders, httpVersion, socket };
  return { ...message, [Symbol.asyncIterator]: () => body[Symbol.asyncIterator]() } as unknown as IncomingMessage;
}

/** The part of ServerResponse that the API uses. */
function collectResponse() {
  const headers: OriginResponse['headers'] = {};
  let status = 0;
  let body = Buffer.alloc(0);
  const response = {
    setHeader(name: string, value: string | number | string[]) {
      headers[name.toLowerCase()] = Array.isArray(value) ? value : String(value);
      return response;
    },
    writeHead(statusCode: number, given: Record<string, string | number | string[]> = {}) {
      status = statusCode;
      for (const [name, value] of Object.entries(given)) response.setHeader(name, value);
      return response;
    },
    end(data: string | Buffer = '') {
      body = Buffer.from(data);
      return response;
    },
  };
  const finished = (): OriginResponse => {
    if (status === 0) throw new Error('The API did not answer a request of the distribution.');
    const { 'content-length': length, ...others } = headers;
    return {
      status,
      headers: others,
      chunks: body.length > 0 ? [body] : [],
      // A response to HEAD has the length of the body that it does not have.
      sizeBytes: Number(length ?? body.length),
      headersOnly: body.length === 0 && Number(length ?? 0) > 0,
    };
  };
  return { response: response as unknown as ServerResponse, finished };
}
