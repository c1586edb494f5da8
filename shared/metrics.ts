/** A number that functions note and the dashboard shows; `by` is what it is told apart by, beside its sum. */
type Fact = { unit: 'Seconds' | 'Count' | 'None'; by?: 'JobKind' | 'Code' };

export const metricNamespace = 'VideoService';

/**
 * The service's own metrics. CloudWatch bills each, and each value of what it is told apart by, for the hours in which it is noted: none of them is
 * told apart by anything that grows with users or videos.
 */
export const metrics = {
  /** how long the job has waited that waits longest, each minute */
  OldestQueuedJobSeconds: { unit: 'Seconds' },
  /** jobs that wait, each minute, counted up to a thousand */
  QueuedJobs: { unit: 'Count' },
  /** from being given to a worker to its result */
  JobSeconds: { unit: 'Seconds', by: 'JobKind' },
  /** seconds of the source that a chunk's worker encodes in a second, all rungs of its group together */
  EncodeSpeed: { unit: 'None' },
  /** attempts of jobs that a worker gave up */
  JobFailures: { unit: 'Count', by: 'Code' },
  VideoFailures: { unit: 'Count', by: 'Code' },
  /** failures of videos that are not their source's fault */
  ServiceFailures: { unit: 'Count' },
  /** from the store's event to a video that plays, of first runs */
  UploadToCompletedSeconds: { unit: 'Seconds' },
  /** what the finished jobs of a video would have cost on Fargate: nodes are paid for otherwise */
  EncodeDollars: { unit: 'None' },
  /** tasks that ECS did not start */
  TasksNotStarted: { unit: 'Count' },
  /** registered nodes that failed, each minute, where there are any */
  FailedNodes: { unit: 'Count' },
  /** proxies that viewers can be sent to, each minute, where one is registered */
  ActiveProxies: { unit: 'Count' },
  /** days that the certificate is good for which ends first of those that proxies show, each minute */
  CertificateDaysLeft: { unit: 'None' },
  /** steps on a node, and looks at its containers, that failed */
  NodeErrors: { unit: 'Count', by: 'Code' },
  /** what reconcile had to mend */
  Repaired: { unit: 'Count' },
} as const satisfies Record<string, Fact>;

export type MetricName = keyof typeof metrics;

export const metricFact = (name: MetricName): Fact => metrics[name];
