import { resourceOf } from './api/authorized-resource.ts';
import { getExecutionHistory } from './api/execution-history.ts';
import { describeExecution, listExecutions, stopExecution } from './api/execution-operations.ts';
import { openRegistry } from './api/execution-registry.ts';
import { describeMapRun, listMapRuns } from './api/map-run-operations.ts';
import type { Desk, Operation, StateMachine } from './api/operation-context.ts';
import type { Input } from './api/operation-input.ts';
import { startExecution } from './api/start-execution.ts';
import {
  describeStateMachine,
  describeStateMachineForExecution,
  listStateMachines,
} from './api/state-machine-operations.ts';
import { StatesError } from './api/step-functions-errors.ts';
import { sendTaskFailure, sendTaskHeartbeat, sendTaskSuccess } from './api/task-operations.ts';
import { parseDefinition } from './definition/check-definition.ts';
import { type Clock, systemClock } from './execution/clock.ts';
import { Closing } from './execution/state-failure.ts';
import { openServices } from './interpreter-services.ts';
import { openStore } from './journal/execution-store.ts';
import { resume } from './resume-executions.ts';
import { runToItsEnd } from './run-to-end.ts';
import type { StatesOptions } from './step-functions-options.ts';

export type States = {
  /** Throws StatesError, whose name is the service's. Times in results are Dates. */
  call(operation: string, input: Input): Promise<unknown>;
  /** What the policies of a caller have to name for a call. */
  resourceOf(operation: string, input: Input): string | undefined;
  /** Stops all work where it is; opening the folder again goes on from there. */
  close(): Promise<void>;
};

const operations: Record<string, Operation> = {
  DescribeExecution: describeExecution,
  DescribeMapRun: describeMapRun,
  DescribeStateMachine: describeStateMachine,
  DescribeStateMachineForExecution: describeStateMachineForExecution,
  GetExecutionHistory: getExecutionHistory,
  ListExecutions: listExecutions,
  ListMapRuns: listMapRuns,
  ListStateMachines: listStateMachines,
  SendTaskFailure: sendTaskFailure,
  SendTaskHeartbeat: sendTaskHeartbeat,
  SendTaskSuccess: sendTaskSuccess,
  StartExecution: startExecution,
  StopExecution: stopExecution,
};

/** Opens the folder, and goes on with every execution in it that has not ended. Throws for a definition it cannot run. */
export async function openStates(options: StatesOptions): Promise<States> {
  const clock: Clock = { ...systemClock(options.now), ...(options.wakeAt && { wakeAt: options.wakeAt }) };
  const store = openStore(options.folder, clock.now());
  const machines = new Map<string, StateMachine>();
  for (const machine of options.stateMachines) {
    parseDefinition(machine.definition);
    const definitionId = store.saveDefinition(machine.definition);
    machines.set(machine.arn, { ...machine, definitionId, createdMs: clock.now() });
  }

  const services = openServices(options, clock, store.tokenKey);
  const work = new Set<Promise<void>>();
  let open = true;
  const desk: Desk = {
    machines,
    registry: openRegistry(),
    store,
    services,
    run(id, execution) {
      const running = runToItsEnd(desk, id, execution).finally(() => work.delete(running));
      work.add(running);
    },
  };
  await resume(desk);

  return {
    async call(operation, input) {
      const perform = Object.hasOwn(operations, operation) ? operations[operation] : undefined;
      if (!perform) throw new StatesError('UnknownOperationException', `There is no operation ${operation}.`);
      if (!open) throw new Error('the state machines are closed');
      return perform(desk, input);
    },
    resourceOf: (operation, input) => resourceOf(desk, operation, input),
    async close() {
      open = false;
      for (const { live } of desk.registry.entries) live?.stop.stop(new Closing());
      await Promise.all(work);
    },
  };
}
