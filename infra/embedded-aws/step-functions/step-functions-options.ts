import type { Clock } from './execution/clock.ts';
import type { Services } from './interpreter/interpreter-context.ts';

export type StatesOptions = {
  /** Executions and their history are kept here; those that have not ended go on when it is opened again. */
  folder: string;
  region: string;
  accountId: string;
  /** `definition` is Amazon States Language with its intrinsics resolved. */
  stateMachines: { arn: string; name: string; definition: string }[];
  /** `functionError` set: the payload is `{ errorType, errorMessage, … }`. A rejection is a failure of the service. */
  invokeLambda: Services['invokeLambda'];
  readObject: Services['readObject'];
  writeObject: Services['writeObject'];
  listObjects?: NonNullable<Services['listObjects']>;
  /** Every other service integration; `api` is for example `ecs:runTask` or `aws-sdk:ecs:runTask`. */
  startTask?: Services['startTask'];
  /** Epoch milliseconds. */
  now?: () => number;
  /** How to be called at a time of `now`; real timers unless given. */
  wakeAt?: Clock['wakeAt'];
  /** [0, 1), for retries with jitter. */
  random?: () => number;
  /** Failures that no execution can show, such as a full disk. */
  onError?: (error: unknown) => void;
};
