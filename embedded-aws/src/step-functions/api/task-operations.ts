import { MAX_PAYLOAD_BYTES } from '../execution/payload-limit.ts';
import { Interrupted, StateFailure } from '../execution/state-failure.ts';
import type { WaitingTask } from '../interpreter/interpreter-context.ts';
import { record, recordInternal } from '../interpreter/record-event.ts';
import { endExecution } from '../interpreter/run-execution.ts';
import type { OperationContext } from './operation-context.ts';
import { type Input, invalid, optionalText, requiredText } from './operation-input.ts';
import { StepFunctionsError } from './step-functions-errors.ts';

const MAX_TOKEN_CHARACTERS = 2048;
const MAX_ERROR_CHARACTERS = 256;
const MAX_CAUSE_CHARACTERS = 32_768;

/** Completes a waiting task. When this resolves, the result is on the disk. */
export async function sendTaskSuccess(context: OperationContext, input: Input): Promise<object> {
  const waitingTask = requireWaitingTask(context, input);
  const output = parseOutput(input);
  return settle(context, waitingTask, requiredToken(input), 'TaskSucceeded', { output });
}

export async function sendTaskFailure(context: OperationContext, input: Input): Promise<object> {
  const waitingTask = requireWaitingTask(context, input);
  const error = optionalText(input, 'error', MAX_ERROR_CHARACTERS);
  const cause = optionalText(input, 'cause', MAX_CAUSE_CHARACTERS);
  return settle(context, waitingTask, requiredToken(input), 'TaskFailed', { error, cause });
}

/** Restarts the heartbeat timeout. The disk is not waited for: a lost heartbeat only makes the timeout earlier. */
export async function sendTaskHeartbeat(context: OperationContext, input: Input): Promise<object> {
  const { run, frame } = requireWaitingTask(context, input);
  recording(context, { run, frame }, () => recordInternal(run, frame, 'TaskHeartbeat'));
  frame.activeState?.task?.onChange?.();
  return {};
}

async function settle(
  context: OperationContext,
  waitingTask: WaitingTask,
  token: string,
  type: 'TaskSucceeded' | 'TaskFailed',
  details: Record<string, unknown>,
): Promise<object> {
  const { run, frame } = waitingTask;
  const task = frame.activeState?.task;
  recording(context, waitingTask, () => record(run, frame, type, { ...task?.identity, ...details }));
  context.services.tokens.revoke(token);
  task?.onChange?.();
  await run.execution.journal.synced();
  return {};
}

function recording(context: OperationContext, { run }: WaitingTask, write: () => void): void {
  try {
    write();
  } catch (error) {
    if (error instanceof Interrupted) throw taskTimedOut();
    if (!(error instanceof StateFailure)) throw error;
    endExecution(run.execution, context.services, 'ExecutionFailed', { error: error.error, cause: error.errorCause });
    throw taskTimedOut();
  }
}

function requiredToken(input: Input): string {
  return requiredText(input, 'taskToken', MAX_TOKEN_CHARACTERS);
}

/** @throws InvalidToken for a token that was never issued, TaskTimedOut when its task no longer waits */
function requireWaitingTask({ services }: OperationContext, input: Input): WaitingTask {
  const token = requiredToken(input);
  if (!services.tokens.isGenuine(token)) throw new StepFunctionsError('InvalidToken', "Invalid Token: 'Invalid token'");
  const waitingTask = services.tokens.find(token);
  if (!waitingTask) throw taskTimedOut();
  return waitingTask;
}

function taskTimedOut(): StepFunctionsError {
  return new StepFunctionsError('TaskTimedOut', "Task Timed Out: 'Provided task does not exist anymore'");
}

function parseOutput(input: Input): unknown {
  const text = input.output;
  if (typeof text !== 'string') throw invalid('output', 'Member must not be null');
  if (Buffer.byteLength(text) > MAX_PAYLOAD_BYTES) {
    throw invalid('output', `Member must have length less than or equal to ${MAX_PAYLOAD_BYTES}`);
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new StepFunctionsError('InvalidOutput', `Invalid Output: '${(error as Error).message}'`);
  }
}
