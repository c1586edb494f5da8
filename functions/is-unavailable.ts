const networkCodes = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ETIMEDOUT'];

/** Whether AWS did not answer, or said that it cannot now: safe to try again, unlike an error of our own. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { $fault, $retryable, code } = error as Error & { $fault?: string; $retryable?: unknown; code?: string };
  const isUnreachable = code !== undefined && networkCodes.includes(code);
  const isOverloaded =
    $fault === 'server' || $retryable !== undefined || /Throttl|TimeoutError|SlowDown/.test(error.name);
  return isUnreachable || isOverloaded;
}
