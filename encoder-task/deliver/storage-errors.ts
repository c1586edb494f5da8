import { JobError } from '../../shared/protocol/job-errors.ts';
import { Interrupted, reasonOf } from '../ingest/failures.ts';
import { allowedSeconds } from '../ingest/pace.ts';

/** What the store of a user has answered to a PUT request. */
export type TargetResponse = {
  status: number;
  etag: string | null;
  /** how the store encrypts the object: not every ETag is an MD5 */
  encryption: string | null;
  /** the code of the error, of letters only */
  errorCode: string | null;
};

/** The signature of a URL may have expired: another one may be accepted. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly errorCode: string | null;

  /** The service makes a sentence of the message. */
  constructor(status: number, errorCode: string | null) {
    super(`status ${status}, code ${errorCode ?? 'none'}`);
    this.errorCode = errorCode;
  }
}

export const refusedAddress = (): JobError =>
  new JobError('STORAGE_ADDRESS', 'The endpoint of the storage leads to an address that is not public.', {
    fatal: true,
  });

export const storageFailed = (error: unknown): JobError =>
  new JobError('STORAGE_FAILED', `The storage did not take the files: ${reasonOf(error)}.`);

/** Small files are mostly time on the way: sixteen are sent at a time, so that each may take four seconds. */
const secondsOfPiece = 0.25;

/** The rate that a store has to keep, or it holds the fetcher of a worker for longer than other users can wait. */
export const storagePace = {
  allowedSeconds: (bytes: number, pieces: number): number => allowedSeconds(bytes) + secondsOfPiece * pieces,
  tooSlow: (bytes: number, seconds: number): JobError =>
    new JobError(
      'STORAGE_FAILED',
      `The storage is too slow: it took ${Math.floor(bytes / 1e6)} MB in ${Math.round(seconds / 60)} minutes.`,
      { fatal: true },
    ),
};

/** The store has other bytes than were sent, or says so. */
export const mismatch = (): JobError =>
  new JobError(
    'STORAGE_MISMATCH',
    'The storage reports another size or checksum of a file than that of what was sent.',
    { fatal: true },
  );

/** A multipart upload that is gone is begun again by the next attempt. */
export const storageRefused = ({ errorCode, message }: Refused): JobError =>
  errorCode === 'NoSuchUpload'
    ? new JobError('STORAGE_FAILED', 'The storage has aborted the upload of a large file.')
    : new JobError('STORAGE_REFUSED', message, { fatal: true });

/** The second one: what has arrived is not what was sent. */
const repeatableCodes = ['RequestTimeout', 'BadDigest'];

/** @throws Interrupted, Refused; JobError STORAGE_REFUSED for what a repetition does not change */
export function checkResponse({ status, errorCode }: TargetResponse): void {
  // Some stores answer 200 before they know.
  if (status >= 200 && status < 300 && errorCode === null) return;
  if (status >= 500 || [408, 409, 429].includes(status) || repeatableCodes.includes(errorCode ?? '')) {
    throw new Interrupted(`it answered with status ${status}`);
  }
  if (status < 300) throw new Interrupted('it answered with an error');
  throw new Refused(status, errorCode);
}
