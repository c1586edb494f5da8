/** RunTask starts at most ten tasks in a call. */
const tasksPerCall = 10;

/** An account may start a hundred tasks at once, and twenty more each second. */
const callsAtOnce = 5;

/**
 * How many tasks each call of RunTask starts. The calls of a round are sent at the same time; the first round is one
 * call, which shows whether there is capacity.
 */
export function launchRounds(tasks: number): number[][] {
  const calls: number[] = [];
  for (let left = tasks; left > 0; left -= tasksPerCall) calls.push(Math.min(left, tasksPerCall));
  const rounds = calls.splice(0, 1).map((first) => [first]);
  while (calls.length > 0) rounds.push(calls.splice(0, callsAtOnce));
  return rounds;
}
