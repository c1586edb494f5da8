// Neither can be taken by a wildcard; a runtime error cannot be taken at all.
const TERMINAL = new Set(['States.Runtime', 'States.DataLimitExceeded']);
const TIMEOUTS = new Set(['States.Timeout', 'States.HeartbeatTimeout']);

/** Whether the names in an ErrorEquals take an error. */
export function matchesError(errorEquals: string[], error: string): boolean {
  if (error === 'States.Runtime') return false;
  return errorEquals.some((name) => {
    if (name === error) return true;
    if (name === 'States.ALL') return !TERMINAL.has(error);
    if (name === 'States.TaskFailed') return !TERMINAL.has(error) && !TIMEOUTS.has(error);
    return name === 'States.Timeout' && TIMEOUTS.has(error);
  });
}
