import type { IncomingHttpHeaders } from 'node:http';
import { rangeStillHolds, requireReadConditions } from '../../s3/objects/conditional-headers.ts';
import { parseRange } from '../../s3/protocol/byte-range.ts';
import { S3Error } from '../../s3/protocol/s3-errors.ts';
import type { OriginRange } from '../origins/origin.ts';

type Whole = { headers: Readonly<Record<string, string | string[]>>; sizeBytes: number };

export type Part = { status: 200 | 206; range: OriginRange } | { status: 304 | 412 | 416; range?: undefined };

/**
 * The part of a cached object that a request with conditions and ranges gets. CloudFront evaluates both by the rules of
 * HTTP, which are those of the object store.
 */
export function partOf({ headers, sizeBytes }: Whole, request: IncomingHttpHeaders): Part {
  const etag = String(headers.etag ?? '').replace(/^W\/|"/g, '');
  const modifiedMs = Date.parse(String(headers['last-modified'] ?? ''));
  // NaN fails every comparison, as a response without a date should.
  const version = { etag, modifiedMs };
  try {
    requireReadConditions(version, request);
    const ifRange = request['if-range'] as string | undefined;
    const range = rangeStillHolds(version, ifRange) ? parseRange(request.range, sizeBytes) : undefined;
    return range ? { status: 206, range } : { status: 200, range: { start: 0, end: sizeBytes } };
  } catch (error) {
    const status = error instanceof S3Error ? error.status : 500;
    if (status === 304 || status === 412 || status === 416) return { status };
    throw error;
  }
}

/** The first byte of a range that the size is not needed for. */
export const firstByte = (range: string | undefined): number =>
  Number(/^bytes=(\d{1,15})-/.exec(range ?? '')?.[1] ?? 0);
