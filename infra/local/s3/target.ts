import { S3Error } from './errors.ts';

/** What a path style URL points at. `query` keeps the order and repeats of the URL, decoded. */
export type Target = { bucket: string; key: string; path: string; query: [name: string, value: string][] };

const longestKeyBytes = 1024;

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new S3Error('InvalidURI');
  }
}

function parseQuery(search: string): Target['query'] {
  return search
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const equals = pair.indexOf('=');
      const [name, value] = equals < 0 ? [pair, ''] : [pair.slice(0, equals), pair.slice(equals + 1)];
      return [decode(name.replaceAll('+', ' ')), decode(value.replaceAll('+', ' '))];
    });
}

/** Reads `/bucket/key?query`. Dots and double slashes stay as they are: they are part of the key. @throws InvalidURI, KeyTooLongError */
export function parseTarget(url: string): Target {
  const question = url.indexOf('?');
  const rawPath = question < 0 ? url : url.slice(0, question);
  if (!rawPath.startsWith('/')) throw new S3Error('InvalidURI');
  const path = decode(rawPath);
  const slash = path.indexOf('/', 1);
  const bucket = slash < 0 ? path.slice(1) : path.slice(1, slash);
  const key = slash < 0 ? '' : path.slice(slash + 1);
  requireKeyLength(key);
  return { bucket, key, path, query: question < 0 ? [] : parseQuery(url.slice(question + 1)) };
}

/** @throws KeyTooLongError over 1024 bytes of UTF-8. */
export function requireKeyLength(key: string): void {
  const bytes = Buffer.byteLength(key);
  if (bytes > longestKeyBytes) {
    throw new S3Error('KeyTooLongError', undefined, { details: { Size: bytes, MaxSizeAllowed: longestKeyBytes } });
  }
}
