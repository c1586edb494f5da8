import type { StreamEntry } from '../../dynamodb/storage/change-streams.ts';
import type { EventSourceMapping } from '../../template/read-event-source-mappings.ts';
import type { Invocation } from '../lambda-instance.ts';

// https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-errors.html

/** A batch, or what is left of it. `failures` are those that count towards the retry quota. */
export type Piece = { entries: readonly StreamEntry[]; failures: number; invocations: number };

/** The result of an invocation: everything succeeded, or nothing from this index on. */
export type BatchResult = { failedFrom: number | undefined };

const succeeded: BatchResult = { failedFrom: undefined };
const failed: BatchResult = { failedFrom: 0 };

/** https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-batchfailurereporting.html */
export function batchResult(
  { payload, functionError }: Invocation,
  entries: readonly StreamEntry[],
  { reportsItemFailures }: Pick<EventSourceMapping, 'reportsItemFailures'>,
): BatchResult {
  if (functionError) return failed;
  if (!reportsItemFailures || typeof payload !== 'object' || payload === null) return succeeded;
  const { batchItemFailures: failures } = payload as { batchItemFailures?: unknown };
  if (failures === undefined || failures === null) return succeeded;
  if (!Array.isArray(failures)) return failed;
  const indexes = failures.map((one) =>
    entries.findIndex(({ sequence }) => sequence === (one as { itemIdentifier?: unknown } | null)?.itemIdentifier),
  );
  // An identifier that is not in the batch fails all of it.
  return failures.length === 0 ? succeeded : { failedFrom: Math.max(0, Math.min(...indexes)) };
}

/**
 * What follows from the result of an invocation: the last record that is finished, the pieces that are retried, in
 * order, and those that are given up. `isSplit`: the next piece is smaller, so it is tried at once.
 */
export type Plan = { doneTo?: string; retry: Piece[]; exhausted?: Piece; isSplit: boolean };

export function planAfter(
  piece: Piece,
  { failedFrom }: BatchResult,
  { bisects, maxRetries }: Pick<EventSourceMapping, 'bisects' | 'maxRetries'>,
): Plan {
  const { entries, failures, invocations } = piece;
  if (failedFrom === undefined) return { doneTo: entries.at(-1)!.sequence, retry: [], isSplit: false };
  const done = failedFrom > 0 ? { doneTo: entries[failedFrom - 1]!.sequence } : {};
  const rest = entries.slice(failedFrom);
  const pieceOf = (part: readonly StreamEntry[], counted: number): Piece => ({
    entries: part,
    failures: failures + counted,
    invocations: invocations,
  });
  // A split does not consume the retry quota.
  if (bisects && failedFrom > 0) return { ...done, retry: [pieceOf(rest, 0)], isSplit: true };
  if (bisects && rest.length > 1) {
    const middle = Math.ceil(rest.length / 2);
    return { retry: [pieceOf(rest.slice(0, middle), 0), pieceOf(rest.slice(middle), 0)], isSplit: true };
  }
  if (failures >= maxRetries) return { ...done, retry: [], exhausted: pieceOf(rest, 1), isSplit: false };
  return { ...done, retry: [pieceOf(rest, 1)], isSplit: false };
}
