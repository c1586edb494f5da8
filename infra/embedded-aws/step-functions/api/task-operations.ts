import { MAX_PAYLOAD_BYTES } from '../execution/payload-limit.ts';
import { Halted, StateFailure } from '../execution/state-failure.ts';
import type { TokenHolder } from '../interpreter/interpreter-context.ts';
import { note, record } from '../interpreter/record-event.ts';
import { endExecution } from '../interpreter/run-execution.ts';
import type { Desk } from './operation-context.ts';
import { type Input, invalid, optionalText, requiredText } from './operation-input.ts';
import { StatesError } from './step-functions-errors.ts';

const MOST_TOKEN_CHARACTERS = 2048;
const MOST_ERROR_CHARACTERS = 256;
const MOST_CAUSE_CHARACTERS = 32_768;

/** Answers a waiting task. The answer is on the disk when this resolves. */
export async function sendTaskSuccess(desk: Desk, input: Input): Promise<object> {
  const holder = requireHolder(desk, input);
  const output = parseOutput(input);
  return settle(desk, holder, requiredToken(input), 'TaskSucceeded', { output });
}

export async function sendTaskFailure(desk: Desk, input: Input): Promise<object> {
  const holder = requireHolder(desk, input);
  const error = optionalText(input, 'error', MOST_ERROR_CHARACTERS);
  const cause = optionalText(input, 'cause', MOST_CAUSE_CHARACTERS);
  return settle(desk, holder, requiredToken(input), 'TaskFailed', { error, cause });
}

/** Puts off the heartbeat limit. It is not waited for on the disk: losing one only brings the limit nearer. */
export async function sendTaskHeartbeat(desk: Desk, input: Input): Promise<object> {
  const { run, frame } = requireHolder(desk, input);
  recording(desk, { run, frame }, () => note(run, frame, 'TaskHeartbeat'));
  frame.visit?.task?.onChange?.();
  return {};
}

async function settle(
  desk: Desk,
  holder: TokenHolder,
  token: string,
  type: 'TaskSucceeded' | 'TaskFailed',
  details: Record<string, unknown>,
): Promise<object> {
  const { run, frame } = holder;
  const task = frame.visit?.task;
  recording(desk, holder, () => record(run, frame, type, { ...task?.identity, ...details }));
  desk.services.tokens.shut(token);
  task?.onChange?.();
  await run.execution.journal.synced();
  return {};
}

function recording(desk: Desk, { run }: TokenHolder, write: () => void): void {
  try {
    write();
  } catch (error) {
    if (error instanceof Halted) throw gone();
    if (!(error instanceof StateFailure)) throw error;
    endExecution(run.execution, desk.services, 'ExecutionFailed', { error: error.error, cause: error.errorCause });
    throw gone();
  }
}

function requiredToken(input: Input): string {
  return requiredText(input, 'taskToken', MOST_TOKEN_CHARACTERS);
}

/** Throws InvalidToken for what was never a token, and TaskTimedOut for one whose task waits no longer. */
function requireHolder({ services }: Desk, input: Input): TokenHolder {
  const token = requiredToken(input);
  if (!services.tokens.isOurs(token)) throw new StatesError('InvalidToken', "Invalid Token: 'Invalid token'");
  const holder = services.tokens.find(token);
  if (!holder) throw gone();
  return holder;
}

function gone(): StatesError {
  return new StatesError('TaskTimedOut', "Task Timed Out: 'Provided task does not exist anymore'");
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
    throw new StatesError('InvalidOutput', `Invalid Output: '${(error as Error).message}'`);
  }
}
