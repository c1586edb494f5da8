import { type Clock, systemClock } from '../durable/clock.ts';
import { resourceOf } from './api/authorized-resource.ts';
import { getExecutionHistory } from './api/execution-history.ts';
import { describeExecution, listExecutions, stopExecution } from './api/execution-operations.ts';
import { openRegistry } from './api/execution-registry.ts';
import { describeMapRun, listMapRuns } from './api/map-run-operations.ts';
import type { Operation, OperationContext, StateMachine } from './api/operation-context.ts';
import type { Input } from './api/operation-input.ts';
import { startExecution } from './api/start-execution.ts';
import {
  describeStateMachine,
  describeStateMachineForExecution,
  listStateMachines,
} from './api/state-machine-operations.ts';
import { StepFunctionsError } from './api/step-functions-errors.ts';
import { sendTaskFailure, sendTaskHeartbeat, sendTaskSuccess } from './api/task-operations.ts';
import { parseDefinition } from './definition/check-definition.ts';
import { ShuttingDown } from './execution/state-failure.ts';
import { createInterpreterServices } from './interpreter-services.ts';
import { openStore, readTokenKey } from './journal/execution-store.ts';
import { resume } from './resume-executions.ts';
import { runToEnd } from './run-to-end.ts';
import type { StepFunctionsOptions } from './step-functions-options.ts';

export type StepFunctions = {
  /** Times in results are Dates. @throws StepFunctionsError */
  call(operation: string, input: Input): Promise<unknown>;
  /** The ARN that the caller's policies have to allow for an operation. */
  resourceOf(operation: string, input: Input): string | undefined;
  /** Stops all work. It continues when the folder is opened again. */
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

/**
 * Opens the folder and continues every execution that has not ended.
 * @throws for a definition that the interpreter does not support
 */
export async function openStepFunctions(options: StepFunctionsOptions): Promise<StepFunctions> {
  const clock: Clock = { ...systemClock(options.now), ...(options.wakeAt && { wakeAt: options.wakeAt }) };
  const store = openStore(options.folder, clock.now());
  const stateMachines = new Map<string, StateMachine>();
  for (const machine of options.stateMachines) {
    parseDefinition(machine.definition);
    const definitionId = store.saveDefinition(machine.definition);
    stateMachines.set(machine.arn, { ...machine, definitionId, createdMs: clock.now() });
  }

  const services = createInterpreterServices(options, clock, await readTokenKey(options.folder));
  const work = new Set<Promise<void>>();
  let open = true;
  const context: OperationContext = {
    stateMachines,
    registry: openRegistry(),
    store,
    services,
    isOpen: () => open,
    run(id, execution) {
      const running = runToEnd(context, id, execution).finally(() => work.delete(running));
      work.add(running);
    },
  };
  await resume(context);

  return {
    async call(operation, input) {
      const perform = Object.hasOwn(operations, operation) ? operations[operation] : undefined;
      if (!perform)
        throw new StepFunctionsError('UnknownOperationException', `The operation ${operation} is not supported.`);
      if (!open) throw new Error('Step Functions is closed');
      return perform(context, input);
    },
    resourceOf: (operation, input) => resourceOf(context, operation, input),
    async close() {
      open = false;
      for (const { live } of context.registry.entries) live?.stop.stop(new ShuttingDown());
      await Promise.all(work);
    },
  };
}
