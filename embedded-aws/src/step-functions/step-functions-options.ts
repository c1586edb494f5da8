import type { Meter } from '../account/meter.ts';
import type { Clock } from '../durable/clock.ts';
import type { InterpreterServices } from './interpreter/interpreter-context.ts';

export type StepFunctionsOptions = {
  /** Contains executions and their history. Executions that have not ended continue when the folder is opened again. */
  folder: string;
  region: string;
  accountId: string;
  /** `definition` is Amazon States Language without CloudFormation intrinsics. */
  stateMachines: { arn: string; name: string; definition: string }[];
  /** With `functionError` the payload is `{ errorType, errorMessage, … }`. A rejection is an error of the service. */
  invokeLambda: InterpreterServices['invokeLambda'];
  /** Without it functions cannot be invoked asynchronously. */
  enqueueLambda?: InterpreterServices['enqueueLambda'];
  readObject: InterpreterServices['readObject'];
  writeObject: InterpreterServices['writeObject'];
  /** Refuses a distributed map whose state machine may not start executions of itself. @throws AccessDenied */
  authorizeMapRun?: InterpreterServices['authorizeMapRun'];
  listObjects?: NonNullable<InterpreterServices['listObjects']>;
  /** Calls any other service integration. `api` is for example `ecs:runTask` or `aws-sdk:ecs:runTask`. */
  startTask?: InterpreterServices['startTask'];
  /** Epoch milliseconds. */
  now?: () => number;
  /** Replaces the timers, for tests that control the time. */
  wakeAt?: Clock['wakeAt'];
  /** A number in [0, 1) for the jitter of retries. */
  random?: () => number;
  /** Receives errors that belong to no execution, such as a full disk. */
  onError?: (error: unknown) => void;
  meter?: Meter | undefined;
};
