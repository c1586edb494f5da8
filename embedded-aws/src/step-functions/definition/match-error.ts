// States.ALL does not match these errors. States.Runtime is never matched.
const TERMINAL = new Set(['States.Runtime', 'States.DataLimitExceeded']);
const TIMEOUTS = new Set(['States.Timeout', 'States.HeartbeatTimeout']);

/** Whether ErrorEquals of a retrier or catcher matches an error. */
export function matchesError(errorEquals: string[], error: string): boolean {
  if (error === 'States.Runtime') return false;
  return errorEquals.some((name) => {
    if (name === error) return true;
    if (name === 'States.ALL') return !TERMINAL.has(error);
    if (name === 'States.TaskFailed') return !TERMINAL.has(error) && !TIMEOUTS.has(error);
    return name === 'States.Timeout' && TIMEOUTS.has(error);
  });
}
