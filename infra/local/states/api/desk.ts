import type { Execution } from '../journal/execution.ts';
import type { Store } from '../journal/store.ts';
import type { Services } from '../run/run.ts';
import type { Input } from './input.ts';
import type { Registry } from './registry.ts';

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
