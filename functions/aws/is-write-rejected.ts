import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';

/** The client or the service rejects a value, or the item or object is too large. */
const errorNames = [
  // The names of errors that the DynamoDB document client itself throws.
  'Error',
  'TypeError',
  'RangeError',
  'ZodError',
  'ValidationException',
  'ItemCollectionSizeLimitExceededException',
  'EntityTooLarge',
  'InvalidArgument',
];
const cancellationReasons = ['ValidationError', 'ItemCollectionSizeLimitExceeded'];

/**
 * Whether the content of a write was rejected, so that the same write fails each time. Missing permissions and missing
 * tables do not count: an operator can fix those. Call `isUnavailable` first, since connection errors have some of the
 * same names.
 */
export function isWriteRejected(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (!(error instanceof TransactionCanceledException)) return errorNames.includes(error.name);
  return (error.CancellationReasons ?? []).some(({ Code = '' }) => cancellationReasons.includes(Code));
}
