/** A metric that functions emit. `dimension` splits it into one series per value, beside the total. */
type MetricDefinition = { unit: 'Seconds' | 'Count' | 'None'; dimension?: 'JobKind' | 'Code' };

export const metricNamespace = 'VideoService';

/**
 * The metrics of the service. CloudWatch bills each series for the hours in which it has data, so no dimension grows
 * with users or videos.
 */
export const metrics = {
  /** age of the oldest queued job, every minute */
  OldestQueuedJobSeconds: { unit: 'Seconds' },
  /** queued jobs, every minute, counted up to a thousand */
  QueuedJobs: { unit: 'Count' },
  /** from the lease of a job to its result */
  JobSeconds: { unit: 'Seconds', dimension: 'JobKind' },
  /** seconds of source that the worker of a chunk encodes per second, all rungs of its group together */
  EncodeSpeed: { unit: 'None' },
  /** attempts of jobs that a worker reported as failed */
  JobFailures: { unit: 'Count', dimension: 'Code' },
  VideoFailures: { unit: 'Count', dimension: 'Code' },
  /** videos that failed for a reason other than their source */
  ServiceFailures: { unit: 'Count' },
  /** from the store's event to `completed`, for the first run of a video */
  UploadToCompletedSeconds: { unit: 'Seconds' },
  /** price of the finished jobs of a video on Fargate; jobs on nodes are counted as if they had run there */
  EncodeDollars: { unit: 'None' },
  /** tasks that ECS did not start */
  TasksNotStarted: { unit: 'Count' },
  /** early workers that could not be invoked */
  EarlyWorkersNotInvoked: { unit: 'Count' },
  /** registered nodes that are failed, every minute, if any are registered */
  FailedNodes: { unit: 'Count' },
  /** proxies that viewers can be sent to, every minute, if one is registered */
  ActiveProxies: { unit: 'Count' },
  /** 1 if the edge delivers files, 0 if not, every minute, if the stage has an edge */
  EdgeDelivers: { unit: 'None' },
  /** 1 if all active proxies deliver files, 0 if one does not, every minute, if a proxy is active */
  ProxiesDeliver: { unit: 'None' },
  /** days until the first certificate of a proxy expires, every minute */
  CertificateDaysLeft: { unit: 'None' },
  /** failed steps and failed container checks on nodes */
  NodeErrors: { unit: 'Count', dimension: 'Code' },
  /** repairs that reconcile made */
  Repaired: { unit: 'Count' },
} as const satisfies Record<string, MetricDefinition>;

export type MetricName = keyof typeof metrics;

export const metricDefinition = (name: MetricName): MetricDefinition => metrics[name];
