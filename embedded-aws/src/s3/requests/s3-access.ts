import { AccessDenied } from '../../iam/authorize.ts';
import type { Context } from '../../iam/policy-conditions.ts';
import { S3Error } from '../protocol/s3-errors.ts';
import type { Authentication } from './authenticate.ts';
import { type Exchange, header, query } from './exchange.ts';

type Caller = Pick<Authentication, 'principal' | 'presigned'>;
type AccessRequest = { action: string; resource: string; context?: Context };

export const bucketArn = (bucket: string): string => `arn:aws:s3:::${bucket}`;
export const objectArn = (bucket: string, key: string): string => `${bucketArn(bucket)}/${key}`;

export const hasAccess = ({ principal }: Caller, { action, resource, context = {} }: AccessRequest): boolean =>
  principal.policy({ action, resource, context });

/** @throws AccessDenied. Only a signer learns the reason, not a holder of its URL or form. */
export function requireAccess(caller: Caller, access: AccessRequest): void {
  if (hasAccess(caller, access)) return;
  const { message } = new AccessDenied(caller.principal, access.action, access.resource);
  throw new S3Error('AccessDenied', caller.presigned ? undefined : message);
}

/** Requires that the caller may perform the action on the bucket or object of the path. @throws AccessDenied */
export function requirePermission(exchange: Exchange, action: string): void {
  const { target, authentication } = exchange;
  const resource = target.key === '' ? bucketArn(target.bucket) : objectArn(target.bucket, target.key);
  requireAccess(authentication, { action, resource, context: contextOf(exchange) });
}

/** The condition keys of the request. */
function contextOf(exchange: Exchange): Context {
  const [prefix, delimiter] = [query(exchange, 'prefix'), query(exchange, 'delimiter')];
  const ifNoneMatch = header(exchange, 'if-none-match');
  const isOfBucket = exchange.target.key === '';
  return {
    ...(isOfBucket && prefix !== undefined && { 's3:prefix': prefix }),
    ...(isOfBucket && delimiter !== undefined && { 's3:delimiter': delimiter }),
    ...(ifNoneMatch !== undefined && { 's3:if-none-match': ifNoneMatch }),
  };
}

/** S3 reports a missing object only to callers that may list the bucket. Others receive AccessDenied. */
export function notFoundError(caller: Caller, bucket: string, key: string): S3Error {
  return hasAccess(caller, { action: 's3:ListBucket', resource: bucketArn(bucket) })
    ? new S3Error('NoSuchKey', undefined, { details: { Key: key } })
    : new S3Error('AccessDenied');
}
