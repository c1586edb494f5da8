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
