/** A job that waited as long is given to whoever asks: the node that was to take it does not. */
const patienceSeconds = 20;

/** Whether a task that asks for a job should leave it to the nodes: they have room for all that is queued, and will ask for it. */
export const leftToNodes = (input: { freeNodeSlots: number; queuedJobs: number; waitedSeconds: number }): boolean =>
  input.queuedJobs <= input.freeNodeSlots && input.waitedSeconds <= patienceSeconds;
