import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';

export type GeneratedSource = { sourceUrl: string; storeUrl: string; storedBytes: () => number; close: () => void };

const chunk = Buffer.alloc(64 * 1024, 'film');

/**
 * A server of a file of `bytes`, which is made while it is sent, and a store that discards parts. Together, all
 * connections to the file get `bytesPerSecond`.
 */
export async function startGeneratedSource(
  bytes: number,
  { ranges = true, bytesPerSecond = Number.POSITIVE_INFINITY } = {},
): Promise<GeneratedSource> {
  let stored = 0;
  let freeAtMs = 0;
  const pace = async (count: number): Promise<void> => {
    const nowMs = performance.now();
    freeAtMs = Math.max(freeAtMs, nowMs) + (count / bytesPerSecond) * 1000;
    // Short waits are added up, since timers are not exact.
    if (freeAtMs - nowMs > 5) await sleep(freeAtMs - nowMs);
  };
  async function* contents(count: number): AsyncGenerator<Buffer> {
    for (let left = count; left > 0; ) {
      const part = chunk.subarray(0, left);
      await pace(part.length);
      left -= part.length;
      yield part;
    }
  }
  const server = createServer((request, response) => {
    if (request.method === 'PUT') {
      request.on('data', (data: Buffer) => {
        stored += data.length;
      });
      request.on('end', () => response.writeHead(200, { etag: '"1"' }).end());
      return;
    }
    const [, first, last] = (ranges && /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '')) || [];
    const [from, to] = first === undefined ? [0, bytes] : [Number(first), Math.min(Number(last) + 1, bytes)];
    response.writeHead(first === undefined ? 200 : 206, {
      'content-length': to - from,
      etag: '"1"',
      ...(first !== undefined && { 'content-range': `bytes ${from}-${to - 1}/${bytes}` }),
    });
    // A client that closes the connection needs no more of the file.
    pipeline(Readable.from(contents(to - from)), response).catch(() => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    sourceUrl: `${address}/film.mp4`,
    storeUrl: `${address}/parts/`,
    storedBytes: () => stored,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
