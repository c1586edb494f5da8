/** A job that has waited longer than this is leased to any worker: the node that was expected to take it does not. */
const maxWaitSeconds = 20;

/**
 * Whether a pool worker leaves a job to the nodes: they have a free worker for each queued job, and will ask for it.
 */
export const isLeftToNodes = (input: { freeNodeSlots: number; queuedJobs: number; waitedSeconds: number }): boolean =>
  input.queuedJobs <= input.freeNodeSlots && input.waitedSeconds <= maxWaitSeconds;
