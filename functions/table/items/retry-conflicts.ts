import { setTimeout as sleep } from 'node:timers/promises';
import { TransactionCanceledException, TransactionConflictException } from '@aws-sdk/client-dynamodb';

const maxAttempts = 10;

/** Reasons that end by themselves. The SDK retries a throttled call, but no cancelled transaction. */
const passingReasons = new Set(['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded']);

/**
 * Sends a write again that met a transaction on the same item, or a transaction that was throttled. DynamoDB has
 * applied nothing, and leaves the retry to the caller.
 * @param send gets the positions of the writes of the transaction that had a conflict before
 */
export async function retryConflicts<Result>(
  send: (conflicting: ReadonlySet<number>) => Promise<Result>,
): Promise<Result> {
  const conflicting = new Set<number>();
  for (let attempt = 1; ; attempt++) {
    try {
      return await send(conflicting);
    } catch (error) {
      if (!isPassing(error) || attempt === maxAttempts) throw error;
      for (const position of passingPositions(error)) conflicting.add(position);
      await sleep(Math.random() * Math.min(1000, 20 * 2 ** attempt));
    }
  }
}

/** A plain write is refused as such; a transaction is cancelled, which also has other reasons. */
function isPassing(error: unknown): boolean {
  if (error instanceof TransactionConflictException) return true;
  return passingPositions(error).length > 0 && !codesOf(error).includes('ConditionalCheckFailed');
}

const passingPositions = (error: unknown): number[] =>
  codesOf(error).flatMap((code, position) => (passingReasons.has(code) ? [position] : []));

const codesOf = (error: unknown): string[] =>
  error instanceof TransactionCanceledException ? (error.CancellationReasons ?? []).map(({ Code = '' }) => Code) : [];
