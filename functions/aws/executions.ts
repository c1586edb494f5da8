import {
  DescribeExecutionCommand,
  ExecutionAlreadyExists,
  SendTaskFailureCommand,
  SendTaskSuccessCommand,
  SFNClient,
  StartExecutionCommand,
  StopExecutionCommand,
} from '@aws-sdk/client-sfn';
import { readEnvironment } from '../../shared/environment.ts';

const client = new SFNClient({});

/**
 * Starts the execution of a video. Idempotent: the name makes a second start the same execution. False when that one
 * has ended.
 */
export const startVideoExecution = ({
  ulid,
  planNumber,
  executionCount,
}: {
  ulid: string;
  planNumber: number;
  executionCount: number;
}): Promise<boolean> => startIdempotent(`${ulid}-${executionCount}`, { videoUlid: ulid, planNumber });

/** Starts the execution of a stream edit. Idempotent, as above. */
export const startStreamEditExecution = (videoUlid: string, planNumber: number): Promise<boolean> =>
  startIdempotent(`${videoUlid}-edit-${planNumber}`, { videoUlid, planNumber });

async function startIdempotent(name: string, input: { videoUlid: string; planNumber: number }): Promise<boolean> {
  const stateMachineArn = readEnvironment('STATE_MACHINE_ARN');
  try {
    await client.send(new StartExecutionCommand({ stateMachineArn, name, input: JSON.stringify(input) }));
    return true;
  } catch (error) {
    if (!(error instanceof ExecutionAlreadyExists)) throw error;
    return false;
  }
}

/** Whether an execution is still running. False when Step Functions no longer knows it. */
export async function isExecutionRunning(executionArn: string): Promise<boolean> {
  try {
    const { status } = await client.send(new DescribeExecutionCommand({ executionArn }));
    return status === 'RUNNING' || status === 'PENDING_REDRIVE';
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
}

/** Starts the state machine as the Object Created event of an upload would have: for an event that was lost. */
export async function replayUploadEvent(key: string): Promise<void> {
  const input = JSON.stringify({ detail: { object: { key } } });
  await client.send(new StartExecutionCommand({ stateMachineArn: readEnvironment('STATE_MACHINE_ARN'), input }));
}

export async function stopExecution(executionArn: string, cause: string): Promise<void> {
  try {
    await client.send(new StopExecutionCommand({ executionArn, error: 'Stopped', cause }));
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

/**
 * Resumes the waiting state after its job succeeded. The result is in the table and not in the execution's data. False
 * when the token is no longer valid.
 */
export const sendTaskSuccess = (taskToken: string): Promise<boolean> =>
  sendTaskResult(client.send(new SendTaskSuccessCommand({ taskToken, output: '{}' })));

/** Resumes the waiting state after its job failed. False when the token is no longer valid. */
export const sendTaskFailure = (taskToken: string, error: string, cause: string): Promise<boolean> =>
  sendTaskResult(client.send(new SendTaskFailureCommand({ taskToken, error, cause: cause.slice(0, 32_000) })));

async function sendTaskResult(sent: Promise<unknown>): Promise<boolean> {
  try {
    await sent;
    return true;
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
}

/**
 * No state waits with this token: the execution has ended or was stopped, or the state was entered again with a new
 * token.
 */
const isGone = (error: unknown): boolean =>
  error instanceof Error &&
  ['TaskDoesNotExist', 'TaskTimedOut', 'InvalidToken', 'ExecutionDoesNotExist'].includes(error.name);
