import { stateErrors } from '../../shared/protocol/job-errors.ts';

export type Retrier = {
  ErrorEquals: readonly string[];
  IntervalSeconds: number;
  MaxAttempts: number;
  BackoffRate: number;
  JitterStrategy?: 'FULL';
};

// Half a minute on average, at most a minute, so that a store which is away for some seconds is outlasted whatever the jitter. Three tries from two
// seconds on were not enough: one in seven had used them up within four.
const outlasting = { IntervalSeconds: 1, MaxAttempts: 6, BackoffRate: 2, JitterStrategy: 'FULL' } as const;

// Seen when many executions start at once: Lambda answers 429 above the account's concurrency, and 5xx for seconds while it moves functions
// between hosts. The function did not run, or may have; every handler can run twice.
const lambdaService: Retrier = {
  ErrorEquals: [
    'Lambda.ServiceException',
    'Lambda.AWSLambdaException',
    'Lambda.SdkClientException',
    'Lambda.ClientExecutionTimeoutException',
    'Lambda.TooManyRequestsException',
  ],
  IntervalSeconds: 2,
  MaxAttempts: 6,
  BackoffRate: 2,
  JitterStrategy: 'FULL',
};

// Seen when a function runs out of time or memory, or its process ends. Often the next host or a warm cache is enough; twice, because a video that is
// too much for the function would be so each time.
const functionDied: Retrier = {
  ErrorEquals: ['Lambda.Unknown', 'Sandbox.Timedout', 'Runtime.ExitError'],
  IntervalSeconds: 2,
  MaxAttempts: 2,
  BackoffRate: 2,
  JitterStrategy: 'FULL',
};

// Seen in the first minutes of a large batch of uploads: table and bucket grow their capacity only as traffic grows, and two states that move the
// counters of one video meet in a transaction. The clients have tried three times within a second before this counts.
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
  ...outlasting,
};

// Seen when a Spot task is taken back, a node is rebooted or its network is gone: no call for 45 s. The job is as good as new, so it goes back to
// the queue at once; ten losses of one job mean that it kills its workers.
const workerLost: Retrier = {
  ErrorEquals: [stateErrors.workerLost],
  IntervalSeconds: 1,
  MaxAttempts: 10,
  BackoffRate: 1,
};

// Seen when the store answers 503 to a burst of requests, a disk fills or the kernel kills ffmpeg for memory. Jitter, because all chunks of a video
// meet the same burst.
const jobTransient: Retrier = {
  ErrorEquals: [stateErrors.jobTransient],
  IntervalSeconds: 5,
  MaxAttempts: 3,
  BackoffRate: 2,
  JitterStrategy: 'FULL',
};

// Never seen: the reaper and the worker's own limits come first. A job whose end was never told would otherwise hold its video for ever.
const backstop: Retrier = {
  ErrorEquals: ['States.Timeout'],
  IntervalSeconds: 1,
  MaxAttempts: 2,
  BackoffRate: 1,
};

// The input's fault and a user's wish do not pass by themselves.
const final: Retrier = {
  ErrorEquals: [stateErrors.jobFatal, stateErrors.jobCancelled],
  IntervalSeconds: 1,
  MaxAttempts: 0,
  BackoffRate: 1,
};

// Seen when a connection breaks: the clients have many names for an answer that did not come whole (TimeoutError, SyntaxError, UnknownError for a HEAD,
// whose refusal has no body to name it). The tries cost an error of our own half a minute; none would cost an uploader the video.
const unforeseen: Retrier = { ErrorEquals: ['States.TaskFailed'], ...outlasting };

/** For the map over chunks, whose list is read from the store before any of them begins. */
export const listRetries: readonly Retrier[] = [{ ErrorEquals: ['States.ItemReaderFailed'], ...outlasting }];

/** For every function that a state calls. */
export const functionRetries: readonly Retrier[] = [final, lambdaService, functionDied, throttled, unforeseen];

/** For every worker job. */
export const jobRetries: readonly Retrier[] = [workerLost, jobTransient, backstop, ...functionRetries];
