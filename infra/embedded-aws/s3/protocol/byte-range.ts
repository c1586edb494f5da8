import { S3Error } from './s3-errors.ts';

/** Bytes from `start` up to, not with, `end`. */
export type ByteRange = { start: number; end: number };

/**
 * The range a Range header asks of `sizeBytes` bytes. Undefined means the whole object: no header, one that is not well
 * formed, or several ranges, which S3 does not serve. @throws InvalidRange
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
