import type { IncomingMessage } from 'node:http';
import { JobError } from '../../shared/protocol/job-errors.ts';
import type { SourceProperties } from '../../shared/protocol/jobs.ts';
import { Interrupted, unreachable } from './failures.ts';

/** What the headers of a response say about its body: bytes [startByte, endByte) of the file. */
export type ResponseHead = SourceProperties & { isPartial: boolean; startByte: number; endByte: number | null };

const busyStatuses = [408, 425, 429, 500, 502, 503, 504];

/**
 * Reads the headers of a response to a request for the file from `askedByte` on.
 * @param storageName of an object in a storage
 * @throws JobError for a response that is not the file, Interrupted for one that may be the file later
 */
export function readResponseHead(response: IncomingMessage, askedByte: number, storageName?: string): ResponseHead {
  const { statusCode = 0, headers } = response;
  if (busyStatuses.includes(statusCode)) throw new Interrupted(`it answered with status ${statusCode}`);
  if (storageName !== undefined) requireObject(statusCode, storageName);
  if (statusCode === 404 || statusCode === 410) {
    throw new JobError('INPUT_GONE', `The server of the URL has no such file: it answered with status ${statusCode}.`);
  }
  if (statusCode === 416 && askedByte === 0) throw emptyFile();
  if (statusCode !== 200 && statusCode !== 206) throw unreachable(`it answered with status ${statusCode}`);
  requireIdentity(headers);
  const validator = strongValidator(headers);
  if (statusCode === 206) return { ...readRange(headers, askedByte), isPartial: true, validator };
  const sizeBytes = contentLength(headers);
  // Nothing else marks the end of the body: a broken connection would look like the end.
  if (sizeBytes === null && headers['transfer-encoding'] === undefined) {
    throw new JobError('INPUT_UNSUPPORTED', 'The server of the URL does not say how long the file is.');
  }
  if (sizeBytes === 0) throw emptyFile();
  return { isPartial: false, startByte: 0, endByte: sizeBytes, sizeBytes, validator };
}

/** What the owner of a storage can do about a refused request. */
function requireObject(statusCode: number, name: string): void {
  if (statusCode === 404) {
    throw new JobError('INPUT_GONE', `The storage "${name}" has no object with this key, or no such bucket.`);
  }
  if (statusCode === 401 || statusCode === 403) {
    throw new JobError(
      'INPUT_UNREACHABLE',
      `The storage "${name}" does not let the service read the object: it answered with status ${statusCode}. Test the storage, and check the policy of its key or role. S3 answers 403 also for a missing object when the key may not list the bucket.`,
    );
  }
  if (statusCode >= 300 && statusCode < 400) {
    throw new JobError(
      'INPUT_UNREACHABLE',
      `The storage "${name}" redirects to another address, which is not followed. Check its endpoint and region.`,
    );
  }
}

export const emptyFile = (): JobError => new JobError('INPUT_EMPTY', 'The file at the URL is empty.');

type Headers = IncomingMessage['headers'];

function requireIdentity(headers: Headers): void {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  const transfer = headers['transfer-encoding']?.trim().toLowerCase() ?? 'chunked';
  if ((encoding === 'identity' || encoding === '') && transfer === 'chunked') return;
  throw new JobError(
    'INPUT_UNSUPPORTED',
    'The server of the URL sends the file compressed, although it was asked not to. Use a URL without compression.',
  );
}

function contentLength(headers: Headers): number | null {
  const text = headers['content-length'];
  if (text === undefined) return null;
  const bytes = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(bytes)) throw unreachable('its Content-Length is not a number');
  return bytes;
}

function readRange(headers: Headers, askedByte: number) {
  const [, first, last, total] = /^bytes (\d+)-(\d+)\/(\d+|\*)$/.exec(headers['content-range'] ?? '') ?? [];
  const [startByte, endByte] = [Number(first), Number(last) + 1];
  const sizeBytes = total === '*' ? null : Number(total);
  const length = contentLength(headers);
  const isValid =
    startByte === askedByte &&
    endByte > startByte &&
    (sizeBytes === null || endByte <= sizeBytes) &&
    (length === null || length === endByte - startByte);
  if (!isValid) throw unreachable('it answered a range request with another range');
  return { startByte, endByte, sizeBytes };
}

/**
 * A value that changes with each change of the file. A Last-Modified date has whole seconds, so it counts only when
 * the response was made in a later second.
 */
function strongValidator({ etag, date, 'last-modified': lastModified }: Headers): string | null {
  if (etag !== undefined) return /^"[\x21\x23-\x7e\x80-\xff]+"$/.test(etag) && etag.length <= 1024 ? etag : null;
  if (lastModified === undefined || date === undefined) return null;
  return Date.parse(date) - Date.parse(lastModified) >= 1000 ? lastModified : null;
}
