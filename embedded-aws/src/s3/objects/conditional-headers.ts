import type { IncomingHttpHeaders } from 'node:http';
import { S3Error } from '../protocol/s3-errors.ts';
import type { StoredObject } from '../storage/bucket-state.ts';

function listsEtag(list: string, etag: string): boolean {
  return list
    .split(',')
    .some((item) => item.trim() === '*' || item.trim().replace(/^W\//, '').replace(/^"|"$/g, '') === etag);
}

function parseDate(value: string | undefined): number | undefined {
  const ms = Date.parse(value ?? '');
  return Number.isNaN(ms) ? undefined : ms;
}

function failed(condition: string): S3Error {
  return new S3Error('PreconditionFailed', undefined, { details: { Condition: condition } });
}

type Version = Pick<StoredObject, 'etag' | 'modifiedMs'>;

/** HTTP dates have whole seconds. */
function modifiedMs(object: Version): number {
  return Math.floor(object.modifiedMs / 1000) * 1000;
}

/**
 * Evaluates If-Match and the other conditions of a read, in the order of RFC 9110. `prefix` precedes the header names
 * for copy sources.
 * @throws PreconditionFailed, and NotModified, which only GET and HEAD may answer
 */
export function requireReadConditions(object: Version, headers: IncomingHttpHeaders, prefix = ''): void {
  const value = (name: string) => headers[`${prefix}${name}`] as string | undefined;
  const [match, noneMatch] = [value('if-match'), value('if-none-match')];
  const [since, unmodifiedSince] = [parseDate(value('if-modified-since')), parseDate(value('if-unmodified-since'))];

  if (match !== undefined) {
    if (!listsEtag(match, object.etag)) throw failed('If-Match');
  } else if (unmodifiedSince !== undefined && modifiedMs(object) > unmodifiedSince) {
    throw failed('If-Unmodified-Since');
  }
  if (noneMatch !== undefined) {
    if (listsEtag(noneMatch, object.etag)) throw new S3Error('NotModified');
  } else if (since !== undefined && modifiedMs(object) <= since) {
    throw new S3Error('NotModified');
  }
}

/** Evaluates If-Match and `If-None-Match: *` of a write. @throws PreconditionFailed, NoSuchKey, NotImplemented */
export function requireWriteConditions(existing: StoredObject | undefined, headers: IncomingHttpHeaders): void {
  const [match, noneMatch] = [headers['if-match'], headers['if-none-match']];
  if (noneMatch !== undefined) {
    if (noneMatch !== '*') throw new S3Error('NotImplemented');
    if (existing) throw failed('If-None-Match');
  }
  if (match === undefined) return;
  if (!existing) throw new S3Error('NoSuchKey');
  if (!listsEtag(match, existing.etag)) throw failed('If-Match');
}

/** Whether the condition of If-Range holds, so that the Range header applies. */
export function rangeStillHolds(object: Version, ifRange: string | undefined): boolean {
  if (ifRange === undefined) return true;
  const dateMs = parseDate(ifRange);
  return ifRange.includes('"') || dateMs === undefined ? listsEtag(ifRange, object.etag) : modifiedMs(object) <= dateMs;
}
