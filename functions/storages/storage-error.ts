import type { storageErrorCodes } from '../contracts/routes/storage-routes.ts';

/** Why a storage cannot be used, for its owner and for programs. */
export type StorageErrorCode = (typeof storageErrorCodes)[number];

/**
 * A storage that cannot be used. The message says why and what to do. It never has words of the store, which could be
 * anything. `isTransient`: the same request may succeed later.
 */
export class StorageError extends Error {
  override readonly name = 'StorageError';
  readonly code: StorageErrorCode;
  readonly isTransient: boolean;

  constructor(code: StorageErrorCode, message: string, { isTransient = false } = {}) {
    super(message);
    this.code = code;
    this.isTransient = isTransient;
  }
}

const sentences = {
  secret_missing: 'The storage has no secret. Send access_key_id and secret_access_key again.',
  credentials_refused: 'The store refuses the access key or its secret. Check both, and whether the key is active.',
  role_refused:
    'AWS did not let the service assume the role. Its trust policy must name the account and the external id that the storage shows.',
  role_open:
    'The role can be assumed without the external id of the storage, so that others could use it. Require sts:ExternalId in its trust policy.',
  address_refused: 'The address of the store must have public addresses only.',
  unreachable: 'The store cannot be reached. Check the endpoint, and its port.',
  certificate: 'The certificate of the store is not valid for the endpoint.',
  redirected: 'The store redirects to another address, which is not followed. Check endpoint, region and path_style.',
  clock: 'The clock of the store and that of the service differ by minutes. Correct the clock of the store.',
  wrong_region: 'The bucket is in another region. Change the region of the storage.',
  no_bucket: 'The store has no such bucket. Check bucket, endpoint and path_style.',
  no_permission: 'The access key or the role may not do this in the bucket. Check its policy.',
  not_found: 'The store has no such object.',
  store_full: 'The store takes no more bytes: its disk or a quota is full.',
  store_busy: 'The store is busy, or has an error of its own. Try again later.',
  invalid_response:
    'The store sent a response that is not of the S3 API, is too large or ends early. Check the endpoint.',
} as const satisfies Record<Exclude<StorageErrorCode, 'refused'>, string>;

const transient: readonly StorageErrorCode[] = ['unreachable', 'store_busy', 'invalid_response'];

export const storageError = (code: keyof typeof sentences): StorageError =>
  new StorageError(code, sentences[code], { isTransient: transient.includes(code) });

/** The codes of S3, and those of other stores for the same. */
const storeCodes: Readonly<Record<string, keyof typeof sentences>> = {
  InvalidAccessKeyId: 'credentials_refused',
  SignatureDoesNotMatch: 'credentials_refused',
  InvalidSecurity: 'credentials_refused',
  InvalidToken: 'credentials_refused',
  ExpiredToken: 'credentials_refused',
  // R2 and B2 have these for unknown keys.
  Unauthorized: 'credentials_refused',
  UnauthorizedAccess: 'credentials_refused',
  RequestTimeTooSkewed: 'clock',
  PermanentRedirect: 'wrong_region',
  AuthorizationHeaderMalformed: 'wrong_region',
  IllegalLocationConstraintException: 'wrong_region',
  NoSuchBucket: 'no_bucket',
  InvalidBucketName: 'no_bucket',
  AccessDenied: 'no_permission',
  AllAccessDisabled: 'no_permission',
  KMSAccessDeniedException: 'no_permission',
  NoSuchKey: 'not_found',
  NoSuchUpload: 'not_found',
  NotFound: 'not_found',
  QuotaExceeded: 'store_full',
  XMinioStorageFull: 'store_full',
  XMinioAdminBucketQuotaExceeded: 'store_full',
  SlowDown: 'store_busy',
  ServiceUnavailable: 'store_busy',
  InternalError: 'store_busy',
  RequestTimeout: 'store_busy',
  BadDigest: 'store_busy',
};

/** What an error of a request to a store means. Errors of this service are thrown on. */
export function explainStoreError(error: unknown): StorageError {
  if (error instanceof StorageError) return error;
  if (!(error instanceof Error)) throw error;
  const { $metadata, name } = error as { $metadata?: { httpStatusCode?: number }; name: string };
  const status = $metadata?.httpStatusCode;
  if (status === undefined) return connectionError(error);
  if (Object.hasOwn(storeCodes, name)) return storageError(storeCodes[name]!);
  return explainStatus(status);
}

/** What the status of a response means when there is no known code, as for requests with HEAD. */
export function explainStatus(status: number): StorageError {
  if (status >= 200 && status < 300) return storageError('invalid_response');
  if (status >= 300 && status < 400) return storageError('redirected');
  if (status === 401) return storageError('credentials_refused');
  if (status === 403) return storageError('no_permission');
  if (status === 404) return storageError('not_found');
  if (status === 507) return storageError('store_full');
  if (status === 429 || status >= 500) return storageError('store_busy');
  return new StorageError('refused', `The store refused the request with status ${status}.`);
}

function connectionError(error: Error): StorageError {
  const { code = '' } = error as { code?: unknown };
  const text = typeof code === 'string' ? code : '';
  if (/CERT|SSL|TLS|SIGNED|ALTNAME/.test(text)) return storageError('certificate');
  if (text.startsWith('HPE_')) return storageError('invalid_response');
  if (error instanceof SyntaxError || '$response' in error) return storageError('invalid_response');
  return storageError('unreachable');
}
