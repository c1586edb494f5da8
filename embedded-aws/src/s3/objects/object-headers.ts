import type { ServerResponse } from 'node:http';
import { checksumHeader } from '../protocol/checksums.ts';
import { S3Error } from '../protocol/s3-errors.ts';
import type { StoredObject } from '../storage/bucket-state.ts';

const maxMetadataBytes = 2048;
const kept = [
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-type',
  'expires',
  'x-amz-storage-class',
];
const refused =
  /^x-amz-(server-side-encryption-(customer-|aws-kms-|context)|object-lock-|grant-|website-redirect-location|write-offset-bytes)/;

/**
 * Encodes text as UTF-8 with one character per byte, as Node requires it in headers.
 * @throws InvalidArgument for control characters
 */
export function headerValue(name: string, text: string): string {
  const value = Buffer.from(text, 'utf8').toString('latin1');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those would split the header
  if (/[\u0000-\u0008\u000a-\u001f\u007f]/.test(value)) {
    throw new S3Error('InvalidArgument', 'Header value cannot contain control characters', {
      details: { ArgumentName: name },
    });
  }
  return value;
}

/** `aws-chunked` describes the transfer, not the object. */
function withoutChunked(encoding: string): string {
  return encoding
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== 'aws-chunked' && part !== '')
    .join(',');
}

/**
 * Selects the headers that are stored with the object, from headers or form fields with names in lower case.
 * @throws S3Error for features that this server does not have, such as ACLs, locks and customer keys
 */
export function objectHeaders(given: Record<string, string | string[] | undefined>): Record<string, string> {
  const headers: Record<string, string> = {};
  let metadataBytes = 0;
  for (const [name, found] of Object.entries(given)) {
    if (found === undefined) continue;
    const value = Array.isArray(found) ? found.join(',') : found;
    if (refused.test(name) || (name === 'x-amz-server-side-encryption' && value !== 'AES256')) {
      throw new S3Error('NotImplemented', undefined, { details: { Header: name } });
    }
    if ((name === 'x-amz-acl' || name === 'acl') && value !== 'private' && value !== 'bucket-owner-full-control') {
      throw new S3Error('AccessControlListNotSupported');
    }
    if (name.startsWith('x-amz-meta-')) metadataBytes += name.length - 'x-amz-meta-'.length + value.length;
    if (name.startsWith('x-amz-meta-') || kept.includes(name)) headers[name] = value;
  }
  if (metadataBytes > maxMetadataBytes) {
    throw new S3Error('MetadataTooLarge', undefined, {
      details: { Size: metadataBytes, MaxSizeAllowed: maxMetadataBytes },
    });
  }
  const encoding = withoutChunked(headers['content-encoding'] ?? '');
  if (encoding !== '') headers['content-encoding'] = encoding;
  else delete headers['content-encoding'];
  if (headers['x-amz-storage-class'] === 'STANDARD') delete headers['x-amz-storage-class'];
  headers['content-type'] ??= 'binary/octet-stream';
  return headers;
}

export function setObjectHeaders(response: ServerResponse, object: StoredObject): void {
  for (const [name, value] of Object.entries(object.headers)) response.setHeader(name, value);
  response.setHeader('ETag', `"${object.etag}"`);
  response.setHeader('Last-Modified', new Date(object.modifiedMs).toUTCString());
  response.setHeader('Accept-Ranges', 'bytes');
  const tags = Object.keys(object.tags ?? {}).length;
  if (tags > 0) response.setHeader('x-amz-tagging-count', tags);
}

export function setChecksumHeaders(response: ServerResponse, checksum: StoredObject['checksum']): void {
  if (!checksum) return;
  response.setHeader(checksumHeader(checksum.algorithm), checksum.value);
  response.setHeader('x-amz-checksum-type', checksum.type);
}
