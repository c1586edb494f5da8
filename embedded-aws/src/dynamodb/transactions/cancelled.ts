import { ServiceError } from '../../control/json-protocol.ts';
import { conflictMessage } from '../storage/running-items.ts';

/** Why an item cancels its transaction. `None` for one that does not. */
export type Reason = { Code: string; Message?: string; Item?: unknown };

export const conflictReason: Reason = { Code: 'TransactionConflict', Message: conflictMessage };

/** The error of a transaction, with the reasons in the order of its items. */
export function cancelled(reasons: readonly Reason[]): ServiceError {
  const codes = reasons.map(({ Code }) => Code).join(', ');
  return new ServiceError(
    'com.amazonaws.dynamodb.v20120810#TransactionCanceledException',
    `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`,
    { CancellationReasons: reasons },
  );
}
