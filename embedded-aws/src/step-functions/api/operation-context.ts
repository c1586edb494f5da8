import type { Execution } from '../execution/execution.ts';
import type { InterpreterServices } from '../interpreter/interpreter-context.ts';
import type { Store } from '../journal/execution-store.ts';
import type { Registry } from './execution-registry.ts';
import type { Input } from './operation-input.ts';

export type StateMachine = { arn: string; name: string; definition: string; definitionId: string; createdMs: number };

/** What the operations work on. */
export type OperationContext = {
  stateMachines: Map<string, StateMachine>;
  registry: Registry;
  store: Store;
  services: InterpreterServices;
  /** False when the service stops: what is running then continues after a restart. */
  isOpen(): boolean;
  /** Runs an execution to its end, then moves it to the finished ones. */
  run(id: string, execution: Execution): void;
};

export type Operation = (context: OperationContext, input: Input) => Promise<unknown>;
