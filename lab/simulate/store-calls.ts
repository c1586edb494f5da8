/** Table calls of each step of the real code: requests and written items. */
export type Calls = { reads: number; writes: number; itemsWritten: number };

const steps = {
  /** the job is read with the video, and put */
  queue: { reads: 1, writes: 1, itemsWritten: 1 },
  /** the user's place is read and written anew, at most every five seconds */
  stay: { reads: 1, writes: 1, itemsWritten: 1 },
  /** users, the user's jobs; the job is given */
  lease: { reads: 2, writes: 1, itemsWritten: 1 },
  /** the user's virtual time */
  recordServed: { reads: 0, writes: 1, itemsWritten: 1 },
  /** the two lists that a worker without a job looks at */
  idle: { reads: 2, writes: 0, itemsWritten: 0 },
  /** the job with the video, each ten seconds */
  running: { reads: 1, writes: 0, itemsWritten: 0 },
  /** the lease, each half minute */
  keep: { reads: 0, writes: 1, itemsWritten: 1 },
  /** the job with the video; one transaction of result, usage, analytics and progress */
  done: { reads: 1, writes: 1, itemsWritten: 4 },
  /** a lost job: list and item are read, it is written, and queued anew */
  lost: { reads: 4, writes: 2, itemsWritten: 2 },
} as const satisfies Record<string, Calls>;

export function countCalls() {
  const total: Calls = { reads: 0, writes: 0, itemsWritten: 0 };
  return {
    total,
    note(step: keyof typeof steps, times = 1): void {
      total.reads += steps[step].reads * times;
      total.writes += steps[step].writes * times;
      total.itemsWritten += steps[step].itemsWritten * times;
    },
  };
}

export type CallCount = ReturnType<typeof countCalls>;
