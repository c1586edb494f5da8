import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';

/** Of a value: that the client or the table cannot hold it, that an item or an object would be too large. */
const names = [
  // The table's client names its own complaints no better.
  ...['Error', 'TypeError', 'RangeError', 'ZodError'],
  ...['ValidationException', 'ItemCollectionSizeLimitExceededException', 'EntityTooLarge', 'InvalidArgument'],
];
const reasons = ['ValidationError', 'ItemCollectionSizeLimitExceeded'];

/**
 * Whether the content of a write was refused, so that the same write fails each time. Rights that are missing and tables that are not there are no
 * refusals: an operator can put those right. To be asked only after `isUnavailable`, since broken connections have names of this list too.
 */
export function isWriteRejected(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (!(error instanceof TransactionCanceledException)) return names.includes(error.name);
  return (error.CancellationReasons ?? []).some(({ Code = '' }) => reasons.includes(Code));
}
