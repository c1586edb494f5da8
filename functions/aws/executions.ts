import {
  DescribeExecutionCommand,
  ExecutionAlreadyExists,
  SendTaskFailureCommand,
  SendTaskSuccessCommand,
  SFNClient,
  StartExecutionCommand,
  StopExecutionCommand,
} from '@aws-sdk/client-sfn';
import { env } from '../../shared/environment.ts';

const client = new SFNClient({});

/** An execution that the service starts itself. Started twice it is the same one. */
export const startVideoExecution = ({
  ulid,
  planNumber,
  executionCount,
}: {
  ulid: string;
  planNumber: number;
  executionCount: number;
}): Promise<void> => startNamed(`${ulid}-${executionCount}`, { videoUlid: ulid, planNumber });

/** The execution of a stream change. Started twice it is the same one. */
export const startStreamEditExecution = (videoUlid: string, planNumber: number): Promise<void> =>
  startNamed(`${videoUlid}-edit-${planNumber}`, { videoUlid, planNumber });

async function startNamed(name: string, input: { videoUlid: string; planNumber: number }): Promise<void> {
  const stateMachineArn = env('STATE_MACHINE_ARN');
  try {
    await client.send(new StartExecutionCommand({ stateMachineArn, name, input: JSON.stringify(input) }));
  } catch (error) {
    if (!(error instanceof ExecutionAlreadyExists)) throw error;
  }
}

/** Whether an execution still works on its video. One that nobody knows any more does not. */
export async function isExecutionRunning(executionArn: string): Promise<boolean> {
  try {
    const { status } = await client.send(new DescribeExecutionCommand({ executionArn }));
    return status === 'RUNNING' || status === 'PENDING_REDRIVE';
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
}

/** Starts the machine with an upload's event again, for one that was lost. */
export async function replayUploadEvent(key: string): Promise<void> {
  const input = JSON.stringify({ detail: { object: { key } } });
  await client.send(new StartExecutionCommand({ stateMachineArn: env('STATE_MACHINE_ARN'), input }));
}

export async function stopExecution(executionArn: string, cause: string): Promise<void> {
  try {
    await client.send(new StopExecutionCommand({ executionArn, error: 'Stopped', cause }));
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

/** Tells the waiting state that its job is done. Results are in the table; the execution carries none. False when nobody waits. */
export const sendTaskSuccess = (taskToken: string): Promise<boolean> =>
  sendTaskResult(client.send(new SendTaskSuccessCommand({ taskToken, output: '{}' })));

/** Tells the waiting state how its job failed. False when nobody waits. */
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

/** Nobody waits any more: the execution has ended, was stopped or has asked anew under another token. */
const isGone = (error: unknown): boolean =>
  error instanceof Error &&
  ['TaskDoesNotExist', 'TaskTimedOut', 'InvalidToken', 'ExecutionDoesNotExist'].includes(error.name);
