import type { Meter } from '../../account/meter.ts';
import type { Clock } from '../../durable/clock.ts';
import type { Flow, StateMachineDefinition } from '../definition/asl-types.ts';
import type { Execution, Frame, MapRun, MapRunWork } from '../execution/execution.ts';
import type { MapItem } from '../execution/map-run.ts';
import type { StopSignal } from '../execution/stop-signal.ts';
import type { TaskTokens } from './task-tokens.ts';

/** Everything that the interpreter uses from outside. */
export type InterpreterServices = {
  region: string;
  roleArn: string;
  clock: Clock;
  /** A number in [0, 1) for the jitter of retries. */
  random(): number;
  tokens: TaskTokens<WaitingTask>;
  startTask(api: string, parameters: unknown): Promise<unknown>;
  /**
   * This and the following functions use the permissions of the state machine given last. Child executions belong to
   * `<state machine>/<label>`.
   */
  invokeLambda(
    functionArnOrName: string,
    payload: unknown,
    machineArn: string,
  ): Promise<{ payload: unknown; functionError?: string }>;
  /** Resolves when the asynchronous invocation is accepted. */
  enqueueLambda(functionArnOrName: string, payload: unknown, machineArn: string): Promise<void>;
  /** @throws AccessDenied when a state machine may not start executions of itself */
  authorizeMapRun(machineArn: string): void;
  readObject(bucket: string, key: string, machineArn: string): Promise<Uint8Array>;
  writeObject(bucket: string, key: string, body: string, machineArn: string): Promise<void>;
  listObjects?:
    | ((bucket: string, prefix: string, machineArn: string) => Promise<{ Key: string; Size: number }[]>)
    | undefined;
  openMapRun(execution: Execution, run: MapRun, inputs: MapRunWork['inputs']): MapRunWork;
  saveMapInputs(execution: Execution, mapRunId: string, inputs: MapRunWork['inputs']): Promise<void>;
  /**
   * The entry of the interpreter. It is passed in, because states that contain flows cannot import it without a cycle.
   */
  runFlow(run: Run, frame: Frame, flow: Flow, scope: Scope, input: unknown): Promise<unknown>;
  /** Reports an error that belongs to no execution. */
  report(error: unknown): void;
  meter?: Meter | undefined;
};

/** The execution that is being interpreted. Branches and iterations have an inner stop signal. */
export type Run = {
  execution: Execution;
  machine: Flow | StateMachineDefinition;
  stop: StopSignal;
  services: InterpreterServices;
};

/** The frame of the task that waits for a token. */
export type WaitingTask = { run: Pick<Run, 'execution' | 'stop' | 'services'>; frame: Frame };

/** Variables and map item of the enclosing flows. */
export type Scope = { variables: Record<string, unknown>; mapItem?: MapItem | undefined };

/** The result of a completed state. */
export type Exit = { next: string | undefined; output: unknown; variables?: Record<string, unknown> | undefined };

/** A state that is being executed, with its position. */
export type StateRun<S> = { run: Run; frame: Frame; scope: Scope; state: S };
