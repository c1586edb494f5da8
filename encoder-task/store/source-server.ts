import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { JobError } from '../../shared/job-errors.ts';
import { type FetchPiece, fetchGrowing, fetchShared } from './fetch-piece.ts';
import { pieceAt, type SourceView } from './source-view.ts';

export type SourceServer = {
  /** what ffmpeg reads: loopback, without query */
  url: string;
  /** why the store did not give the source, if so: ffmpeg itself only sees a broken connection */
  failure: () => JobError | undefined;
  close: () => void;
};

/**
 * Serves one presigned URL on a loopback port. ffmpeg then needs no TLS, no DNS and no address but 127.0.0.1, the signature is in no argv,
 * and interrupted reads are taken up again. Of what `view` says is here already, or dropped unread, nothing is fetched from the store.
 */
export async function serveSource(sourceUrl: string, view: SourceView, jobSignal: AbortSignal): Promise<SourceServer> {
  let failure: JobError | undefined;
  const path = `/${randomBytes(16).toString('hex')}`;
  const shared = view.unseen.length > 0 ? fetchShared(sourceUrl, view, jobSignal) : undefined;

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const signal = AbortSignal.any([jobSignal, gone.signal]);
    try {
      if (request.url !== path || request.method !== 'GET') response.writeHead(404).end();
      else
        await sendRange(request.headers.range, response, view, shared ?? fetchGrowing(sourceUrl, view, signal), signal);
    } catch (error) {
      if (!signal.aborted && error instanceof JobError) failure = error;
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

async function sendRange(
  range: string | undefined,
  response: ServerResponse,
  view: SourceView,
  fetchPiece: FetchPiece,
  signal: AbortSignal,
): Promise<void> {
  const { totalBytes } = view;
  const asked = /^bytes=(\d+)-(\d*)$/.exec(range ?? 'bytes=0-');
  let position = Number(asked?.[1]);
  const end = asked?.[2] ? Math.min(Number(asked[2]) + 1, totalBytes) : totalBytes;
  if (!(position < end)) return void response.writeHead(416).end();
  const bytesAt = async (): Promise<Buffer> => {
    const piece = pieceAt(view, position);
    if (piece.kind === 'known') return piece.bytes;
    if (piece.kind === 'unseen') return zeros.subarray(0, piece.end - position);
    return fetchPiece(position, piece);
  };
  // a store that fails at once breaks the connection before an answer
  let bytes = await bytesAt();
  response.writeHead(range ? 206 : 200, {
    'accept-ranges': 'bytes',
    'content-length': end - position,
    ...(range && { 'content-range': `bytes ${position}-${end - 1}/${totalBytes}` }),
  });
  for (;;) {
    bytes = bytes.subarray(0, end - position);
    position += bytes.length;
    if (!response.write(bytes)) await once(response, 'drain', { signal });
    if (position >= end) return void response.end();
    bytes = await bytesAt();
  }
}
