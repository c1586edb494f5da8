const networkCodes = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ETIMEDOUT'];

/** Names of refusals that pass; those of DynamoDB come with a status of 400. */
const passingNames = /Throttl|ThroughputExceeded|RequestLimitExceeded|TimeoutError|SlowDown|TransactionInProgress/;

type ClientError = Error & {
  $fault?: string;
  $retryable?: unknown;
  $metadata?: { httpStatusCode?: number };
  code?: string;
  /** of a transaction: why each of its writes was not done */
  CancellationReasons?: { Code?: string }[];
};

const passingReasons = /Throttl|ThroughputExceeded|TransactionConflict/;

/** Whether AWS did not answer, or said that it cannot now: safe to try again, unlike an error of our own. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { name, $fault, $retryable, $metadata, code, CancellationReasons = [] } = error as ClientError;
  const isUnreachable = code !== undefined && networkCodes.includes(code);
  const status = $metadata?.httpStatusCode ?? 0;
  const isOverloaded =
    $fault === 'server' || $retryable !== undefined || status === 429 || status >= 500 || passingNames.test(name);
  const isHeldUp = CancellationReasons.some(({ Code = '' }) => passingReasons.test(Code));
  return isUnreachable || isOverloaded || isHeldUp;
}
