import { lookup as systemLookup } from 'node:dns';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { pipeline } from 'node:stream/promises';
import { checkedLookup, type Resolve } from '../../shared/checked-lookup.ts';
import type { SignedTarget } from '../../shared/protocol/jobs.ts';
import { responseOf } from '../../shared/response-of.ts';
import { addressOfHost, addressProblem } from '../../shared/target-url.ts';
import { Interrupted } from '../ingest/failures.ts';
import type { Piece } from './pieces.ts';
import { refusedAddress, type TargetResponse } from './storage-errors.ts';

/** A store that takes less than this blocks a worker for nothing. */
const minBytesPerSecond = 64 * 1024;
/** A store that has a piece may need this long to answer. */
const responseMs = 120_000;
/** Error bodies are a few hundred bytes of XML. */
const maxErrorBytes = 16 * 1024;

/** Requests to the store of a user, over connections that are kept. Redirects are not followed. */
export type TargetClient = {
  put: (target: SignedTarget, piece: Piece, signal: AbortSignal) => Promise<TargetResponse>;
  close: () => void;
};

type Options = { allowLoopback: boolean; connections: number; resolve?: Resolve; stallMs: number };

export function createTargetClient({
  allowLoopback,
  connections,
  resolve = systemLookup,
  stallMs,
}: Options): TargetClient {
  const lookup = checkedLookup(allowLoopback, refusedAddress, resolve);
  const options = { keepAlive: true, maxSockets: connections, lookup };
  const agents = { 'http:': new http.Agent(options), 'https:': new https.Agent(options) };
  const requests = { 'http:': http.request, 'https:': https.request };

  return {
    put: async (target, piece, signal) => {
      const url = new URL(target.url);
      const protocol = url.protocol as keyof typeof agents;
      // The lookup is not called for an address in the URL.
      const address = addressOfHost(url);
      const isRefused = address !== undefined && addressProblem(address, { allowLoopback }) !== undefined;
      if (!agents[protocol] || isRefused) throw refusedAddress();
      const headers = { ...target.headers, 'content-md5': piece.md5Base64, 'content-length': String(piece.bytes) };
      const request = requests[protocol](url, { method: 'PUT', agent: agents[protocol], headers, signal });
      request.setTimeout(stallMs, () => request.destroy(new Interrupted('it stopped reading')));
      const responded = responseOf(request);
      responded.catch(() => undefined);
      const limitMs = responseMs + (piece.bytes / minBytesPerSecond) * 1000;
      const timer = setTimeout(() => request.destroy(new Interrupted('it is too slow')), limitMs);
      const sent = pipeline(piece.read(), request);
      sent.catch(() => undefined);
      try {
        // A store that refuses a request may answer before it has read the body.
        return await readResponse(await Promise.race([responded, sent.then(() => responded)]));
      } finally {
        clearTimeout(timer);
        if (!request.writableFinished) request.destroy();
      }
    },
    close: () => {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

async function readResponse(response: IncomingMessage): Promise<TargetResponse> {
  const { statusCode: status = 0, headers } = response;
  const body = await beginningOf(response);
  const header = (name: string): string | null => {
    const value = headers[name];
    return typeof value === 'string' ? value : null;
  };
  return {
    status,
    etag: header('etag'),
    encryption:
      header('x-amz-server-side-encryption') ?? header('x-amz-server-side-encryption-customer-algorithm') ?? null,
    errorCode: /<Error>[\s\S]*?<Code>([A-Za-z]{1,64})<\/Code>/.exec(body)?.[1] ?? null,
  };
}

async function beginningOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes <= maxErrorBytes) continue;
    response.destroy();
    break;
  }
  return Buffer.concat(chunks).toString('utf8');
}
