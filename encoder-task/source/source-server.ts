import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { JobError } from '../../shared/protocol/job-errors.ts';
import type { Retime } from '../mpegts/retime.ts';
import { type FetchPiece, fetchBlocks, fetchSequential, type Store } from './fetch-piece.ts';
import { type ReadPart, retimedParts } from './retimed-parts.ts';
import { firstEndingAfter, pieceAt, type SourceView } from './source-view.ts';

export type SourceServer = {
  /** loopback URL for ffmpeg, without a signature */
  url: string;
  /** the error of the store, if any: ffmpeg only sees a closed connection */
  failure: () => JobError | undefined;
  close: () => void;
};

/**
 * Serves one presigned URL on a loopback port. ffmpeg then needs no TLS, no DNS and no address except 127.0.0.1; no
 * argv contains the signature; and interrupted reads are retried. Known and unneeded parts of `view` are not fetched
 * from the store. With `retime`, ffmpeg sees corrected timestamps.
 *
 * A demuxer requests everything up to the end of the file and closes the connection when it has enough, which socket
 * buffers would delay by megabytes. So a response ends with the bytes that were fetched for it, and ffmpeg requests
 * more when it needs more (`-reconnect`). When unneeded ranges are skipped, little is fetched anyway: then a response
 * continues up to the next long gap, because a connection for each of a thousand short pieces would be slow.
 */
export async function serveSource(store: Store, view: SourceView, retime?: Retime): Promise<SourceServer> {
  let failure: JobError | undefined;
  const path = `/${randomBytes(16).toString('hex')}`;
  const fetchPiece = view.unneeded.length > 0 ? fetchBlocks(store, view) : fetchSequential(store, view);
  const readStored: ReadPart = (position) => partAt(view, position, fetchPiece);
  const readPart = retime ? retimedParts(readStored, view.totalBytes, retime) : readStored;

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      if (request.url !== path || request.method !== 'GET') response.writeHead(404).end();
      else await sendRange(request.headers.range, response, view, readPart);
    } catch (error) {
      if (error instanceof JobError) failure ??= error;
      response.destroy();
    }
  };

  const server = createServer((request, response) => void serve(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    failure: () => failure,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

const zeros = Buffer.alloc(256 * 1024);
/** ffmpeg reads across shorter gaps instead of seeking: the receive buffer of a connection. */
const longGapBytes = 256 * 1024;

async function sendRange(
  range: string | undefined,
  response: ServerResponse,
  view: SourceView,
  readPart: ReadPart,
): Promise<void> {
  const { totalBytes } = view;
  const requested = /^bytes=(\d+)-(\d*)$/.exec(range ?? '');
  if (!requested) return void response.writeHead(400).end();
  const start = Number(requested[1]);
  const last = requested[2] ? Math.min(Number(requested[2]) + 1, totalBytes) : totalBytes;
  if (start >= last) return void response.writeHead(416).end();
  let part = await readPart(start);
  const end = Math.min(last, view.unneeded.length > 0 ? nextLongGap(view, start) : start + part.length);
  response.writeHead(206, {
    'accept-ranges': 'bytes',
    'content-length': end - start,
    'content-range': `bytes ${start}-${end - 1}/${totalBytes}`,
  });
  const closed = new AbortController();
  response.once('close', () => closed.abort());
  for (let position = start; ; part = await readPart(position)) {
    part = part.subarray(0, end - position);
    position += part.length;
    if (position === end) return void response.end(part);
    if (!response.write(part)) await once(response, 'drain', { signal: closed.signal });
  }
}

/** The next bytes from a position on: at least one, all from one piece. */
async function partAt(view: SourceView, position: number, fetchPiece: FetchPiece): Promise<Buffer> {
  const piece = pieceAt(view, position);
  switch (piece.kind) {
    case 'known':
      return piece.bytes;
    case 'unneeded':
      return zeros.subarray(0, piece.end - position);
    case 'stored':
      return fetchPiece(position, piece);
  }
}

function nextLongGap({ unneeded, totalBytes }: SourceView, from: number): number {
  for (let n = firstEndingAfter(unneeded, from); n < unneeded.length; n++) {
    const { start, end } = unneeded[n]!;
    if (start > from && end - start >= longGapBytes) return start;
  }
  return totalBytes;
}
