type Demand = {
  queuedJobs: number;
  queuedSeconds: number;
  /** workers of live nodes, each counted by its speed: 1 does a second of estimated work in a second */
  nodeCapacity: number;
  /** queued seconds that are worth one task */
  secondsPerTask: number;
  /** tasks that were started and hold no job yet */
  idleTasks: number;
  runningTasks: number;
  maxTasks: number;
};

/** Nodes are paid for already: what they do in the time that a task takes to start and a little more needs no task. */
const nodesAheadSeconds = 90;

/** How many tasks to start now. */
export function launchCount(demand: Demand): number {
  const { queuedJobs, queuedSeconds, nodeCapacity, secondsPerTask, idleTasks, runningTasks, maxTasks } = demand;
  const overflowSeconds = queuedSeconds - nodesAheadSeconds * nodeCapacity;
  const wanted = Math.min(queuedJobs, Math.ceil(overflowSeconds / secondsPerTask)) - idleTasks;
  return Math.max(0, Math.min(wanted, maxTasks - runningTasks));
}
