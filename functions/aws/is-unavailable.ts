const networkCodes = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ETIMEDOUT'];

/** Names of transient errors; DynamoDB returns them with status 400. */
const transientNames = /Throttl|ThroughputExceeded|RequestLimitExceeded|TimeoutError|SlowDown|TransactionInProgress/;

type ClientError = Error & {
  $fault?: string;
  $retryable?: unknown;
  $metadata?: { httpStatusCode?: number };
  code?: string;
  /** of a transaction: why each of its writes was cancelled */
  CancellationReasons?: { Code?: string }[];
};

const transientReasons = /Throttl|ThroughputExceeded|TransactionConflict/;

/** Whether AWS did not respond, or is overloaded or throttling: the call can be retried. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { name, $fault, $retryable, $metadata, code, CancellationReasons = [] } = error as ClientError;
  const isUnreachable = code !== undefined && networkCodes.includes(code);
  const status = $metadata?.httpStatusCode ?? 0;
  const isOverloaded =
    $fault === 'server' || $retryable !== undefined || status === 429 || status >= 500 || transientNames.test(name);
  const isConflict = CancellationReasons.some(({ Code = '' }) => transientReasons.test(Code));
  return isUnreachable || isOverloaded || isConflict;
}
