import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An object store behind presigned URLs: GET with ranges and PUT of `objects`. The query is ignored. */
export type TestStore = {
  objects: Map<string, Buffer>;
  url: (key: string) => string;
  /** statuses of the next responses */
  failNext: (...statuses: number[]) => void;
  requests: {
    method: string;
    key: string;
    range: string | undefined;
    contentType: string | undefined;
    cacheControl: string | undefined;
  }[];
  /** total body bytes of responses with an object or a part of it */
  sentBytes: (key: string) => number;
  close: () => Promise<void>;
};

export async function startStore(): Promise<TestStore> {
  const objects = new Map<string, Buffer>();
  const failures: number[] = [];
  const requests: TestStore['requests'] = [];
  const sent = new Map<string, number>();
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const key = new URL(request.url ?? '/', 'http://store').pathname.slice(1);
    requests.push({
      method: request.method ?? '',
      key,
      range: request.headers.range,
      contentType: request.headers['content-type'],
      cacheControl: request.headers['cache-control'],
    });
    const failure = failures.shift();
    if (failure !== undefined) {
      request.resume();
      response.writeHead(failure).end();
    } else if (request.method === 'PUT') {
      const body: Buffer[] = [];
      for await (const bytes of request) body.push(bytes);
      objects.set(key, Buffer.concat(body));
      response.writeHead(200, { etag: `"${key}"` }).end();
    } else {
      const bytes = sendObject(objects.get(key), request.headers.range, response);
      sent.set(key, (sent.get(key) ?? 0) + bytes);
    }
  };
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    objects,
    url: (key) => `http://127.0.0.1:${port}/${key}?X-Amz-Signature=secret`,
    failNext: (...statuses) => void failures.push(...statuses),
    requests,
    sentBytes: (key) => sent.get(key) ?? 0,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Reads the body and returns its size. */
function sendObject(object: Buffer | undefined, range: string | undefined, response: ServerResponse): number {
  const send = (
    status: number,
    headers: Record<string, string | number> = {},
    body: Buffer = Buffer.alloc(0),
  ): number => {
    response.writeHead(status, { 'content-length': body.length, ...headers }).end(body);
    return body.length;
  };
  if (!object) return send(404);
  const asked = /^bytes=(\d+)-(\d*)$/.exec(range ?? '');
  if (!asked) return send(200, {}, object);
  const start = Number(asked[1]);
  const end = Math.min(asked[2] ? Number(asked[2]) + 1 : object.length, object.length);
  if (start >= object.length) return send(416);
  return send(206, { 'content-range': `bytes ${start}-${end - 1}/${object.length}` }, object.subarray(start, end));
}
