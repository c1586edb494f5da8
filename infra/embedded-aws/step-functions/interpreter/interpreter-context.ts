import type { Flow, Machine } from '../definition/asl-types.ts';
import type { Clock } from '../execution/clock.ts';
import type { Execution, Frame, MapRun, MapRunWork } from '../execution/execution.ts';
import type { MapItem } from '../execution/map-run.ts';
import type { Stop } from '../execution/stop-signal.ts';
import type { TokenDesk } from './task-tokens.ts';

/** The world around the interpreter. */
export type Services = {
  region: string;
  roleArn: string;
  clock: Clock;
  /** [0, 1), for jitter. */
  random(): number;
  tokens: TokenDesk<TokenHolder>;
  startTask(api: string, parameters: unknown): Promise<unknown>;
  /** This and what follows is done with the rights of a state machine, named last. Its children are named `<machine>/<label>`. */
  invokeLambda(
    functionArnOrName: string,
    payload: unknown,
    machineArn: string,
  ): Promise<{ payload: unknown; functionError?: string }>;
  readObject(bucket: string, key: string, machineArn: string): Promise<Uint8Array>;
  writeObject(bucket: string, key: string, body: string, machineArn: string): Promise<void>;
  listObjects?:
    | ((bucket: string, prefix: string, machineArn: string) => Promise<{ Key: string; Size: number }[]>)
    | undefined;
  openMapRun(execution: Execution, run: MapRun, inputs: MapRunWork['inputs']): MapRunWork;
  saveMapInputs(execution: Execution, mapRunId: string, inputs: MapRunWork['inputs']): Promise<void>;
  /** The interpreter's own entrance, handed down so that states with flows inside need not import it. */
  runFlow(run: Run, frame: Frame, flow: Flow, scope: Scope, input: unknown): Promise<unknown>;
  /** A failure that no execution can show. */
  report(error: unknown): void;
};

/** One execution being interpreted. Branches and iterations have a stop of their own. */
export type Run = { execution: Execution; machine: Flow | Machine; stop: Stop; services: Services };

/** Where the holder of a task token finds the task. */
export type TokenHolder = { run: Pick<Run, 'execution' | 'stop' | 'services'>; frame: Frame };

/** What a flow sees of the flows around it. */
export type Scope = { variables: Record<string, unknown>; mapItem?: MapItem | undefined };

/** How a state was left. */
export type Exit = { next: string | undefined; output: unknown; variables?: Record<string, unknown> | undefined };

/** One state being run. */
export type StateRun<S> = { run: Run; frame: Frame; scope: Scope; state: S };
