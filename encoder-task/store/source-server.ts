import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { JobError } from '../../shared/job-errors.ts';
import { type Range, readRange } from './read-range.ts';

// A demuxer asks for "from here to the end" and hangs up when it has enough. Growing windows fetch little for a look at a header; a long read
// goes on at full speed, since the next window is fetched while the encoder takes the one before. Windows are held whole, so that a slow
// encoder keeps no connection to the store waiting.
const firstWindowBytes = 512 * 1024;
const lastWindowBytes = 8 * 1024 * 1024;

export type SourceServer = {
  /** what ffmpeg reads: loopback, without query */
  url: string;
  /** why the store did not give the source, if so: ffmpeg itself only sees a broken connection */
  failure: () => JobError | undefined;
  close: () => void;
};

/**
 * Serves one presigned URL on a loopback port. ffmpeg then needs no TLS, no DNS and no address but 127.0.0.1, the signature is in no argv,
 * and interrupted reads are taken up again.
 */
export async function serveSource(sourceUrl: string, jobSignal: AbortSignal): Promise<SourceServer> {
  let failure: JobError | undefined;
  const path = `/${randomBytes(16).toString('hex')}`;

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const signal = AbortSignal.any([jobSignal, gone.signal]);
    try {
      if (request.url !== path || request.method !== 'GET') response.writeHead(404).end();
      else await sendRange(sourceUrl, request.headers.range, response, signal);
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

async function sendRange(url: string, range: string | undefined, response: ServerResponse, signal: AbortSignal) {
  const asked = /^bytes=(\d+)-(\d*)$/.exec(range ?? 'bytes=0-');
  if (!asked) return void response.writeHead(416).end();
  let position = Number(asked[1]);
  let end = asked[2] ? Number(asked[2]) + 1 : Number.POSITIVE_INFINITY;

  const first = await readRange(url, position, Math.min(position + firstWindowBytes, end), signal);
  if (!first) return void response.writeHead(416).end();
  end = Math.min(end, first.totalBytes);
  response.writeHead(range ? 206 : 200, {
    'accept-ranges': 'bytes',
    'content-length': end - position,
    ...(range && { 'content-range': `bytes ${position}-${end - 1}/${first.totalBytes}` }),
  });

  let window: Promise<Range | undefined> = Promise.resolve(first);
  for (let windowBytes = firstWindowBytes; position < end; ) {
    const found = await window;
    if (!found) throw new JobError('STORE_FAILED', 'the object became shorter while it was read');
    position += found.bytes.length;
    windowBytes = Math.min(windowBytes * 2, lastWindowBytes);
    const fetchNext = (): typeof window =>
      position < end
        ? readRange(url, position, Math.min(position + windowBytes, end), signal)
        : Promise.resolve(undefined);
    const isLongRead = windowBytes === lastWindowBytes;
    if (isLongRead) window = fetchNext();
    // awaited only after the write, which a closing reader may interrupt
    window.catch(() => undefined);
    if (!response.write(found.bytes)) await once(response, 'drain', { signal });
    if (!isLongRead) window = fetchNext();
  }
  response.end();
}
