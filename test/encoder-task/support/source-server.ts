import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type SourceHandler = (request: IncomingMessage, response: ServerResponse, count: number) => void;
export type SourceServer = {
  url: (path?: string) => string;
  port: number;
  /** ranges of the requests, in order */
  ranges: (string | undefined)[];
  requests: IncomingMessage[];
  close: () => Promise<void>;
};

/** A server of a source. `count` is the number of the request, from 1. */
export async function startSource(handle: SourceHandler): Promise<SourceServer> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    handle(request, response, requests.length);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: (path = 'film.mp4') => `http://127.0.0.1:${port}/${path}`,
    port,
    requests,
    get ranges() {
      return requests.map(({ headers }) => headers.range);
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export type Serving = {
  etag?: string | null;
  ranges?: boolean;
  /** of the whole file, as the server announces it; null: chunked */
  announced?: number | null;
  /** bytes of a response after which the connection breaks */
  cutAfter?: (count: number) => number | undefined;
  headers?: Record<string, string>;
};

/** Answers as a web server does for a file, with the deviations that are given. */
export function serveFile(body: Buffer, serving: Serving | ((count: number) => Serving) = {}): SourceHandler {
  return (request, response, count) => {
    const given = typeof serving === 'function' ? serving(count) : serving;
    const { etag = '"1"', ranges = true, announced = body.length, cutAfter, headers = {} } = given;
    const [, first, last] = (ranges && /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '')) || [];
    const condition = request.headers['if-range'];
    const isRange =
      first !== undefined &&
      (condition === undefined || [etag, headers['last-modified']].some((known) => known === condition));
    const start = isRange ? Number(first) : 0;
    const end = isRange && last ? Math.min(Number(last) + 1, body.length) : body.length;
    if (isRange && start >= body.length) {
      response.writeHead(416, { 'content-range': `bytes */${body.length}` }).end();
      return;
    }
    const length = isRange ? end - start : announced;
    response.writeHead(isRange ? 206 : 200, {
      ...(etag !== null && { etag }),
      ...(length !== null && { 'content-length': length }),
      ...(isRange && { 'content-range': `bytes ${start}-${end - 1}/${body.length}` }),
      ...headers,
    });
    const bytes = body.subarray(start, end);
    const cut = cutAfter?.(count);
    if (cut === undefined || cut >= bytes.length) response.end(bytes);
    else {
      response.flushHeaders();
      response.write(bytes.subarray(0, cut), () => response.socket?.end());
    }
  };
}
