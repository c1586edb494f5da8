import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { JobError } from '../../shared/protocol/job-errors.ts';
import type { Retime } from '../mpegts/retime.ts';
import { type FetchPiece, fetchGrowing, fetchHopping, type Store } from './fetch-piece.ts';
import { type ReadPart, retimedParts } from './retimed-parts.ts';
import { firstEndingAfter, pieceAt, type SourceView } from './source-view.ts';

export type SourceServer = {
  /** what ffmpeg reads: loopback, without query */
  url: string;
  /** why the store did not give the source, if so: ffmpeg itself only sees a broken connection */
  failure: () => JobError | undefined;
  close: () => void;
};

/**
 * Serves one presigned URL on a loopback port. ffmpeg then needs no TLS, no DNS and no address but 127.0.0.1, the signature is in no argv,
 * and interrupted reads are taken up again. Of what `view` says is here already, or dropped unread, nothing is fetched from the store. With `retime`, ffmpeg
 * sees other timestamps than are stored.
 *
 * A demuxer asks for "from here to the end" and hangs up when it has enough, which the kernel's buffers would hide for megabytes. So an answer ends with
 * what was fetched for it, and ffmpeg asks for more when it needs more (`-reconnect`). Where what it drops is left out, little is fetched in any case: an
 * answer goes on up to a hole that it would rather seek across than read, or each of a thousand short pieces would cost a connection.
 */
export async function serveSource(store: Store, view: SourceView, retime?: Retime): Promise<SourceServer> {
  let failure: JobError | undefined;
  const path = `/${randomBytes(16).toString('hex')}`;
  const fetchPiece = view.unseen.length > 0 ? fetchHopping(store, view) : fetchGrowing(store, view);
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
/** About what ffmpeg reads on for instead of seeking: the receive buffer of a connection. */
const longHoleBytes = 256 * 1024;

async function sendRange(
  range: string | undefined,
  response: ServerResponse,
  view: SourceView,
  readPart: ReadPart,
): Promise<void> {
  const { totalBytes } = view;
  const asked = /^bytes=(\d+)-(\d*)$/.exec(range ?? '');
  if (!asked) return void response.writeHead(400).end();
  const start = Number(asked[1]);
  const last = asked[2] ? Math.min(Number(asked[2]) + 1, totalBytes) : totalBytes;
  if (start >= last) return void response.writeHead(416).end();
  let part = await readPart(start);
  const end = Math.min(last, view.unseen.length > 0 ? nextLongHole(view, start) : start + part.length);
  response.writeHead(206, {
    'accept-ranges': 'bytes',
    'content-length': end - start,
    'content-range': `bytes ${start}-${end - 1}/${totalBytes}`,
  });
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  for (let position = start; ; part = await readPart(position)) {
    part = part.subarray(0, end - position);
    position += part.length;
    if (position === end) return void response.end(part);
    if (!response.write(part)) await once(response, 'drain', { signal: gone.signal });
  }
}

/** Bytes from a position on: at least one, and no more than there are of one piece. */
async function partAt(view: SourceView, position: number, fetchPiece: FetchPiece): Promise<Buffer> {
  const piece = pieceAt(view, position);
  switch (piece.kind) {
    case 'known':
      return piece.bytes;
    case 'unseen':
      return zeros.subarray(0, piece.end - position);
    case 'fetched':
      return fetchPiece(position, piece);
  }
}

function nextLongHole({ unseen, totalBytes }: SourceView, from: number): number {
  for (let n = firstEndingAfter(unseen, from); n < unseen.length; n++) {
    const { start, end } = unseen[n]!;
    if (start > from && end - start >= longHoleBytes) return start;
  }
  return totalBytes;
}
