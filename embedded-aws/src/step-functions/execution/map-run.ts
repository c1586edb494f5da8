import type { ExecutionStatus } from './execution-status.ts';

export type MapItem = { Index: number; Value: unknown };

/** The result of a child execution of a map run. */
export type ChildResult = {
  status: ExecutionStatus;
  output?: unknown;
  error?: string;
  cause?: string | undefined;
  startMs: number;
  stopMs: number;
};

export type ChildInput = { input: unknown; item: MapItem; itemCount: number };

export type ItemCounts = {
  pending: number;
  running: number;
  succeeded: number;
  failed: number;
  timedOut: number;
  aborted: number;
  total: number;
  resultsWritten: number;
};

/** The properties of a running or ended map run that the API returns. */
export type MapRunRecord = {
  id: string;
  arn: string;
  executionArn: string;
  machineArn: string;
  label: string;
  startMs: number;
  stopMs?: number;
  status: 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'ABORTED';
  maxConcurrency: number;
  toleratedFailureCount?: number;
  toleratedFailurePercentage?: number;
  /** Set when the map run has ended. */
  itemCounts?: ItemCounts;
  executionCounts?: ItemCounts;
};

const COUNTED = {
  RUNNING: 'running',
  SUCCEEDED: 'succeeded',
  FAILED: 'failed',
  TIMED_OUT: 'timedOut',
  ABORTED: 'aborted',
} as const;

type Children = {
  inputs: readonly ChildInput[];
  results: readonly (ChildResult | undefined)[];
  running: ReadonlyMap<number, unknown>;
};

/** Counts the child executions by status, or the items in them. */
export function countChildren(work: Children, unit: 'items' | 'executions', resultsWritten = false): ItemCounts {
  const counts: ItemCounts = {
    pending: 0,
    running: 0,
    succeeded: 0,
    failed: 0,
    timedOut: 0,
    aborted: 0,
    total: 0,
    resultsWritten: 0,
  };
  for (const [index, child] of work.inputs.entries()) {
    const weight = unit === 'items' ? child.itemCount : 1;
    const status = work.results[index]?.status ?? (work.running.has(index) ? 'RUNNING' : undefined);
    counts[status ? COUNTED[status] : 'pending'] += weight;
    counts.total += weight;
  }
  if (resultsWritten) counts.resultsWritten = counts.total - counts.pending - counts.running;
  return counts;
}
