import { type QueryPairs, queryPairs } from '../../iam/query-pairs.ts';
import { S3Error } from './s3-errors.ts';

/** The target of a path-style URL. `query` is decoded and keeps order and repeats. */
export type Target = { bucket: string; key: string; path: string; query: QueryPairs };

const maxKeyBytes = 1024;

/** @throws InvalidURI for text that is not percent-encoded UTF-8 */
function decoded<Result>(decode: () => Result): Result {
  try {
    return decode();
  } catch {
    throw new S3Error('InvalidURI');
  }
}

/** Parses `/bucket/key?query`. Dots and double slashes are part of the key. @throws InvalidURI, KeyTooLongError */
export function parseTarget(url: string): Target {
  const question = url.indexOf('?');
  const rawPath = question < 0 ? url : url.slice(0, question);
  if (!rawPath.startsWith('/')) throw new S3Error('InvalidURI');
  const path = decoded(() => decodeURIComponent(rawPath));
  const slash = path.indexOf('/', 1);
  const bucket = slash < 0 ? path.slice(1) : path.slice(1, slash);
  const key = slash < 0 ? '' : path.slice(slash + 1);
  requireKeyLength(key);
  return { bucket, key, path, query: question < 0 ? [] : decoded(() => queryPairs(url.slice(question + 1))) };
}

/** @throws KeyTooLongError over 1024 bytes of UTF-8 */
export function requireKeyLength(key: string): void {
  const bytes = Buffer.byteLength(key);
  if (bytes > maxKeyBytes) {
    throw new S3Error('KeyTooLongError', undefined, { details: { Size: bytes, MaxSizeAllowed: maxKeyBytes } });
  }
}
