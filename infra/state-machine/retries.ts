import { stateErrors } from '../../shared/protocol/job-errors.ts';

export type Retrier = {
  ErrorEquals: readonly string[];
  IntervalSeconds: number;
  MaxAttempts: number;
  BackoffRate: number;
  MaxDelaySeconds?: number;
  JitterStrategy?: 'FULL';
};

// Half a minute on average and a minute at most, which covers an outage of the store for some seconds with any jitter.
// Three attempts starting at two seconds were not enough: one in seven states used them up within four seconds.
const backoff = { IntervalSeconds: 1, MaxAttempts: 6, BackoffRate: 2, JitterStrategy: 'FULL' } as const;

// Observed in accounts with a concurrency of 10, which new accounts have: senders that wait for endpoints which do not
// answer took all of it for 40 s. The function did not run, so a retry costs nothing but a state transition. With any
// jitter, 20 of them cover several minutes.
const noConcurrency: Retrier = {
  ErrorEquals: ['Lambda.TooManyRequestsException'],
  IntervalSeconds: 2,
  MaxAttempts: 20,
  BackoffRate: 2,
  MaxDelaySeconds: 60,
  JitterStrategy: 'FULL',
};

// Observed when many executions start at once: Lambda answers 5xx for seconds while it moves functions between hosts.
// The function may have run; every handler is idempotent.
const lambdaService: Retrier = {
  ErrorEquals: [
    'Lambda.ServiceException',
    'Lambda.AWSLambdaException',
    'Lambda.SdkClientException',
    'Lambda.ClientExecutionTimeoutException',
  ],
  IntervalSeconds: 2,
  MaxAttempts: 6,
  BackoffRate: 2,
  JitterStrategy: 'FULL',
};

// Observed when a function exceeds its time or memory, or its process exits. Another host or a warm cache is often
// enough. Only two retries, because a video that is too large fails each time.
const functionDied: Retrier = {
  ErrorEquals: ['Lambda.Unknown', 'Sandbox.Timedout', 'Runtime.ExitError'],
  IntervalSeconds: 2,
  MaxAttempts: 2,
  BackoffRate: 2,
  JitterStrategy: 'FULL',
};

// Observed in the first minutes of a large batch of uploads: table and bucket scale with their traffic, and two states
// that update the counters of one video conflict in a transaction. The clients have tried three times before.
const throttled: Retrier = {
  ErrorEquals: [
    'ThrottlingException',
    'ProvisionedThroughputExceededException',
    'RequestLimitExceeded',
    'TransactionCanceledException',
    'TransactionConflictException',
    'TransactionInProgressException',
    'InternalServerError',
    'SlowDown',
    'ServiceUnavailable',
    'InternalError',
  ],
  ...backoff,
};

// Observed when a Spot task is interrupted, a node reboots or its network fails: no call for 45 s. The job is queued
// again at once. Ten losses mean that the job itself kills its workers.
const workerLost: Retrier = {
  ErrorEquals: [stateErrors.workerLost],
  IntervalSeconds: 1,
  MaxAttempts: 10,
  BackoffRate: 1,
};

// Observed when the store answers 503 to a burst of requests, a disk is full or the kernel kills ffmpeg for memory.
// With jitter, because all chunks of a video meet the same burst.
const jobTransient: Retrier = {
  ErrorEquals: [stateErrors.jobTransient],
  IntervalSeconds: 5,
  MaxAttempts: 3,
  BackoffRate: 2,
  JitterStrategy: 'FULL',
};

// Never observed, because lease expiry and the limits of the worker come first. Without it, a job that never reports
// would block its video forever.
const jobTimeout: Retrier = {
  ErrorEquals: ['States.Timeout'],
  IntervalSeconds: 1,
  MaxAttempts: 2,
  BackoffRate: 1,
};

// Caused by the input or by a user: a retry cannot succeed.
const final: Retrier = {
  ErrorEquals: [stateErrors.jobFatal, stateErrors.jobCancelled],
  IntervalSeconds: 1,
  MaxAttempts: 0,
  BackoffRate: 1,
};

// Observed when a connection breaks: clients report an incomplete response under many names (TimeoutError, SyntaxError,
// UnknownError for a HEAD response, which has no body). A bug in a function then fails half a minute later; without
// retries a broken connection would fail the video.
const unknownError: Retrier = { ErrorEquals: ['States.TaskFailed'], ...backoff };

/** For the map over chunks, which first reads its list from the store. */
export const listRetries: readonly Retrier[] = [{ ErrorEquals: ['States.ItemReaderFailed'], ...backoff }];

/** For every function call. */
export const functionRetries: readonly Retrier[] = [
  final,
  noConcurrency,
  lambdaService,
  functionDied,
  throttled,
  unknownError,
];

/** For every worker job. */
export const jobRetries: readonly Retrier[] = [workerLost, jobTransient, jobTimeout, ...functionRetries];
