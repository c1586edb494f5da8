import { type ByteRange, parseRange } from '../protocol/byte-range.ts';
import { S3Error } from '../protocol/s3-errors.ts';
import { type Exchange, header, type Operation, query } from '../requests/exchange.ts';
import { requireObject } from '../requests/requested-object.ts';
import type { StoredObject } from '../storage/bucket-state.ts';
import { rangeStillHolds, requireReadConditions } from './conditional-headers.ts';
import { headerValue, setChecksumHeaders, setObjectHeaders } from './object-headers.ts';

const overrides: Record<string, string> = {
  'response-cache-control': 'cache-control',
  'response-content-disposition': 'content-disposition',
  'response-content-encoding': 'content-encoding',
  'response-content-language': 'content-language',
  'response-content-type': 'content-type',
  'response-expires': 'expires',
};

/** The range of the part that `partNumber` names. @throws InvalidPartNumber, InvalidArgument */
function partRange(exchange: Exchange, object: StoredObject): ByteRange | undefined {
  const asked = query(exchange, 'partNumber');
  if (asked === undefined) return undefined;
  if (!/^[1-9]\d{0,4}$/.test(asked) || Number(asked) > 10_000) {
    throw new S3Error('InvalidArgument', 'Part number must be an integer between 1 and 10000, inclusive');
  }
  const composite = object.etag.includes('-');
  const parts = composite ? object.blobs : [{ sizeBytes: object.sizeBytes }];
  const part = parts[Number(asked) - 1];
  if (!part) throw new S3Error('InvalidPartNumber');
  const start = parts.slice(0, Number(asked) - 1).reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  if (composite) exchange.response.setHeader('x-amz-mp-parts-count', parts.length);
  return { start, end: start + part.sizeBytes };
}

function askedRange(exchange: Exchange, object: StoredObject): ByteRange | undefined {
  const range = header(exchange, 'range');
  const part = partRange(exchange, object);
  if (part && range !== undefined)
    throw new S3Error('InvalidRequest', 'Cannot specify both Range header and partNumber query parameter');
  if (part) return part.end > part.start ? part : undefined;
  return rangeStillHolds(object, header(exchange, 'if-range')) ? parseRange(range, object.sizeBytes) : undefined;
}

/** GetObject and HeadObject. */
export const getObject: Operation = async (exchange) => {
  const { store, request, response } = exchange;
  const object = requireObject(exchange);
  try {
    requireReadConditions(object, request.headers);
  } catch (error) {
    if (error instanceof S3Error && error.code === 'NotModified') setObjectHeaders(response, object);
    throw error;
  }
  const range = askedRange(exchange, object);
  const { start, end } = range ?? { start: 0, end: object.sizeBytes };

  setObjectHeaders(response, object);
  for (const [name, target] of Object.entries(overrides)) {
    const value = query(exchange, name);
    if (value !== undefined) response.setHeader(target, headerValue(name, value));
  }
  if (range) response.setHeader('Content-Range', `bytes ${start}-${end - 1}/${object.sizeBytes}`);
  else if (header(exchange, 'x-amz-checksum-mode')?.toUpperCase() === 'ENABLED')
    setChecksumHeaders(response, object.checksum);
  response.setHeader('Content-Length', end - start);
  response.statusCode = range ? 206 : 200;
  if (request.method === 'HEAD') {
    response.end();
    return;
  }
  await store.blobs.retain(object.blobs, () => store.blobs.send(object.blobs, start, end, response));
};
