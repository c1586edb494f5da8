type Demand = {
  queuedJobs: number;
  queuedSeconds: number;
  /** workers of live nodes by speed: 1 is a second of estimated work in a second */
  nodeCapacity: number;
  /** queued seconds for which one task is started */
  secondsPerTask: number;
  /** started tasks without a job */
  idleTasks: number;
  runningTasks: number;
  maxTasks: number;
};

/**
 * Nodes cost nothing extra: no task is started for work that they do within this time, a little more than a task takes
 * to start.
 */
const nodesAheadSeconds = 90;

/** How many tasks to start now. */
export function launchCount(demand: Demand): number {
  const { queuedJobs, queuedSeconds, nodeCapacity, secondsPerTask, idleTasks, runningTasks, maxTasks } = demand;
  const overflowSeconds = queuedSeconds - nodesAheadSeconds * nodeCapacity;
  const wanted = Math.min(queuedJobs, Math.ceil(overflowSeconds / secondsPerTask)) - idleTasks;
  return Math.max(0, Math.min(wanted, maxTasks - runningTasks));
}

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
