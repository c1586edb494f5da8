import type { Execution } from '../execution/execution.ts';
import type { Services } from '../interpreter/interpreter-context.ts';
import type { Store } from '../journal/execution-store.ts';
import type { Registry } from './execution-registry.ts';
import type { Input } from './operation-input.ts';

export type StateMachine = { arn: string; name: string; definition: string; definitionId: string; createdMs: number };

/** What the operations work with. */
export type Desk = {
  machines: Map<string, StateMachine>;
  registry: Registry;
  store: Store;
  services: Services;
  /** Runs it to its end, and puts it away then. */
  run(id: string, execution: Execution): void;
};

export type Operation = (desk: Desk, input: Input) => Promise<unknown>;
