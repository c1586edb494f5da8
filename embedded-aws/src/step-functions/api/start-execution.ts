import { randomUUID } from 'node:crypto';
import { newExecution } from '../execution/execution.ts';
import { MAX_PAYLOAD_BYTES } from '../execution/payload-limit.ts';
import { appendEvent } from '../interpreter/record-event.ts';
import { retentionMs } from '../journal/execution-store.ts';
import { openJournal } from '../journal/journal-file.ts';
import { executionJournal } from '../journal/load-execution.ts';
import { type Entry, summaryOf } from './execution-registry.ts';
import type { OperationContext, StateMachine } from './operation-context.ts';
import { type Input, invalid, optionalText, requiredArn } from './operation-input.ts';
import { StepFunctionsError } from './step-functions-errors.ts';

const MAX_NAME_CHARACTERS = 80;
// White space, brackets, wildcards, and characters with a meaning in ARNs and URLs.
// biome-ignore lint/suspicious/noControlCharactersInRegex: Step Functions rejects control characters in names.
const REFUSED_IN_NAMES = /[\s<>{}[\]?*"#%\\^|~`$&,;:/\u0000-\u001f\u007f-\u009f]/;

/**
 * Starts an execution. When this resolves, it is on the disk. While it is running, the same name with the same input
 * returns the same execution.
 * @throws ExecutionAlreadyExists for any other execution with the name in the last 90 days
 */
export async function startExecution(
  context: OperationContext,
  input: Input,
): Promise<{ executionArn: string; startDate: Date }> {
  const machine = requireStateMachine(context, requiredArn(input, 'stateMachineArn'));
  const name = requireName(input);
  const inputText = requireInput(input);
  const arn = `${machine.arn.replace(':stateMachine:', ':execution:')}:${name}`;

  const existing = context.registry.find(arn);
  if (existing && !isForgotten(existing, context.services.clock.now())) {
    const startDate = sameStillRunning(existing, inputText);
    if (startDate) return { executionArn: arn, startDate };
    throw new StepFunctionsError('ExecutionAlreadyExists', `Execution Already Exists: '${arn}'`);
  }

  const id = randomUUID();
  const folder = context.store.create(id);
  const { definitionId, arn: machineArn, name: machineName } = machine;
  const identity = { arn, name, machineArn, machineName, definitionId };
  const startMs = context.services.clock.now();
  const journal = openJournal(executionJournal(folder));
  const execution = newExecution({ ...identity, inputText, startMs }, { folder, journal });
  const details = { input: inputText, roleArn: context.services.roleArn };
  try {
    appendEvent(execution, execution.root, 'ExecutionStarted', startMs, details, identity);
  } catch (error) {
    journal.close();
    context.store.discard(id);
    throw error;
  }
  context.registry.add({ id, live: execution });
  context.run(id, execution);
  await journal.synced();
  return { executionArn: arn, startDate: new Date(startMs) };
}

export function requireStateMachine(context: OperationContext, arn: string): StateMachine {
  const machine = context.stateMachines.get(arn);
  if (!machine) throw new StepFunctionsError('StateMachineDoesNotExist', `State Machine Does Not Exist: '${arn}'`);
  return machine;
}

/** An ended execution reserves its name for as long as Step Functions keeps it. */
const isForgotten = (existing: Entry, nowMs: number): boolean => {
  const { stopMs } = summaryOf(existing);
  return stopMs !== undefined && stopMs < nowMs - retentionMs;
};

function sameStillRunning({ live }: Entry, inputText: string): Date | undefined {
  if (live?.status !== 'RUNNING' || JSON.stringify(live.input) !== JSON.stringify(JSON.parse(inputText)))
    return undefined;
  return new Date(live.startMs);
}

function requireName(input: Input): string {
  const name = optionalText(input, 'name', MAX_NAME_CHARACTERS);
  if (name === undefined) return randomUUID();
  if (name === '' || REFUSED_IN_NAMES.test(name))
    throw new StepFunctionsError('InvalidName', `Invalid Name: '${name}'`);
  return name;
}

function requireInput(input: Input): string {
  const text = optionalText(input, 'input', Number.POSITIVE_INFINITY) ?? '{}';
  if (Buffer.byteLength(text) > MAX_PAYLOAD_BYTES) {
    throw invalid('input', `Member must have length less than or equal to ${MAX_PAYLOAD_BYTES}`);
  }
  try {
    JSON.parse(text);
  } catch (error) {
    const problem = `Invalid State Machine Execution Input: '${(error as Error).message}'`;
    throw new StepFunctionsError('InvalidExecutionInput', problem);
  }
  return text;
}
