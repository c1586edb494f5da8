import type { OriginRange } from '../origins/origin.ts';
import { compress, encodingFor } from '../responses/compression.ts';
import { partOf } from '../responses/partial-response.ts';
import type { Reply } from './respond.ts';
import type { DistributionContext, Viewing } from './viewing.ts';

export type Body = { sizeBytes: number; chunks: Buffer[]; rest?: AsyncGenerator<Buffer> };
export type Selected = { status: number; body: Body };

const empty: Body = { sizeBytes: 0, chunks: [] };

/**
 * Selects what is sent of a reply: all, a range, a compressed form, or nothing because a condition does not hold. The
 * headers of the reply are changed accordingly.
 */
export async function selectBody(viewing: Viewing, reply: Reply, context: DistributionContext): Promise<Selected> {
  const { request, behaviour } = viewing;
  const { status, headers, sizeBytes } = reply;
  const isWhole = request.headers.range === undefined;
  const encoding =
    behaviour.compress && isWhole && (reply.kind === 'kept' || reply.isFromOrigin)
      ? encodingFor(reply, behaviour.cachePolicy.encodings, String(request.headers['accept-encoding'] ?? ''))
      : undefined;
  if (encoding) {
    if (typeof headers.etag === 'string' && !headers.etag.startsWith('W/')) headers.etag = `W/${headers.etag}`;
    headers['content-encoding'] = encoding;
    headers.vary = 'Accept-Encoding';
  }
  const encoded = async (): Promise<Body> => {
    const bytes = await compressed(reply, encoding!, context);
    return { sizeBytes: bytes.length, chunks: [bytes] };
  };
  if (reply.kind === 'whole') {
    if (encoding && request.method !== 'HEAD') return { status, body: await encoded() };
    return { status, body: { sizeBytes, chunks: reply.chunks } };
  }
  const part = status === 200 ? partOf(reply, request.headers) : { status, range: { start: 0, end: sizeBytes } };
  if (!part.range) {
    if (part.status === 416) headers['content-range'] = `bytes */${sizeBytes}`;
    if (part.status !== 304) delete headers['content-type'];
    return { status: part.status, body: empty };
  }
  if (encoding) return { status, body: await encoded() };
  const { start, end } = part.range;
  if (part.status === 206) headers['content-range'] = `bytes ${start}-${end - 1}/${sizeBytes}`;
  if (request.method === 'HEAD') return { status: part.status, body: { sizeBytes: end - start, chunks: [] } };
  return { status: part.status, body: await readRange(reply, part.range, context) };
}

type Kept = Extract<Reply, { kind: 'kept' }>;

/** The first bytes are read before the response begins, so that a failure can still be answered. */
async function readRange(reply: Kept, range: OriginRange, { cache }: DistributionContext): Promise<Body> {
  const { key, entry, source } = reply;
  const sizeBytes = range.end - range.start;
  const inMemory = cache.peek(entry, range);
  if (inMemory) return { sizeBytes, chunks: inMemory };
  const rest = cache.read(key, entry, source, range);
  const first = await rest.next();
  return first.done ? empty : { sizeBytes, chunks: [first.value], rest };
}

async function compressed(reply: Reply, encoding: 'br' | 'gzip', { cache }: DistributionContext): Promise<Buffer> {
  if (reply.kind === 'whole') return compress(Buffer.concat(reply.chunks), encoding);
  const { key, entry, source } = reply;
  return cache.derive(entry, encoding, async () => {
    const chunks: Buffer[] = [];
    for await (const chunk of cache.read(key, entry, source, { start: 0, end: entry.sizeBytes })) chunks.push(chunk);
    return compress(Buffer.concat(chunks), encoding);
  });
}
