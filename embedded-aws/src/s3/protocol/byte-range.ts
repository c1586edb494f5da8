import { S3Error } from './s3-errors.ts';

/** The bytes from `start` to `end`, exclusive. */
export type ByteRange = { start: number; end: number };

/**
 * Parses a Range header. Undefined means the whole object: without the header, and as in S3 for a malformed header or
 * several ranges.
 * @throws InvalidRange
 */
export function parseRange(value: string | undefined, sizeBytes: number): ByteRange | undefined {
  const match = /^bytes=(\d*)-(\d*)$/.exec(value?.trim() ?? '');
  if (!match || (match[1] === '' && match[2] === '')) return undefined;
  const [first, last] = [match[1]!, match[2]!];
  if (first !== '' && last !== '' && Number(first) > Number(last)) return undefined;
  const start = first === '' ? Math.max(sizeBytes - Number(last), 0) : Number(first);
  const end = first === '' || last === '' ? sizeBytes : Math.min(Number(last) + 1, sizeBytes);
  if (start < end) return { start, end };
  throw new S3Error('InvalidRange', undefined, {
    details: { RangeRequested: value!.trim(), ActualObjectSize: sizeBytes },
    headers: { 'Content-Range': `bytes */${sizeBytes}` },
  });
}
