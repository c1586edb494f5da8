import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DescribeExecutionOutput, HistoryEvent } from '@aws-sdk/client-sfn';
import { expect, onTestFinished } from 'vitest';
import { openStepFunctions, type StepFunctions } from '../../src/step-functions/step-functions.ts';
import type { StepFunctionsOptions } from '../../src/step-functions/step-functions-options.ts';

// The package has no types.
const validateDefinition: (definition: unknown) => { isValid: boolean; errorsText: () => string } = createRequire(
  import.meta.url,
)('asl-validator');

export const MACHINE = 'arn:aws:states:eu-west-1:123456789012:stateMachine:Work';

/** The functions of the fake Lambda. An exception becomes a function error. */
export type Functions = Record<string, (payload: never) => unknown>;

type Setting = Partial<Omit<StepFunctionsOptions, 'stateMachines'>> & { definition: object; functions?: Functions };

export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'states-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** Opens one state machine over a folder. Its definition must pass asl-validator. */
export async function open({ definition, functions = {}, ...options }: Setting): Promise<StepFunctions> {
  const text = JSON.stringify({ QueryLanguage: 'JSONata', ...definition });
  expectValid(text);
  const states = await openStepFunctions({
    folder: options.folder ?? (await temporaryFolder()),
    region: 'eu-west-1',
    accountId: '123456789012',
    stateMachines: [{ arn: MACHINE, name: 'Work', definition: text }],
    invokeLambda: (name, payload) => callFunction(functions, name, payload),
    readObject: async () => {
      throw new Error('there is no such object');
    },
    writeObject: async () => {},
    ...options,
  });
  onTestFinished(() => states.close());
  return states;
}

const valid = new Set<string>();

function expectValid(definition: string): void {
  if (valid.has(definition)) return;
  // The validator modifies its argument.
  const { isValid, errorsText } = validateDefinition(JSON.parse(definition));
  expect(isValid, errorsText()).toBe(true);
  valid.add(definition);
}

async function callFunction(functions: Functions, name: string, payload: unknown) {
  const called = functions[name.split(':').at(-1) ?? ''];
  if (!called) throw Object.assign(new Error(`no function ${name}`), { name: 'ResourceNotFoundException' });
  try {
    return { payload: await called(payload as never) };
  } catch (error) {
    const { name: errorType, message: errorMessage } = error as Error;
    return { functionError: 'Unhandled', payload: { errorType, errorMessage } };
  }
}

export function named(name: string, message = ''): Error {
  return Object.assign(new Error(message), { name });
}

export async function start(states: StepFunctions, input: unknown = {}, name?: string): Promise<string> {
  const { executionArn } = (await states.call('StartExecution', {
    stateMachineArn: MACHINE,
    input: JSON.stringify(input),
    ...(name !== undefined && { name }),
  })) as { executionArn: string };
  return executionArn;
}

export async function describeExecution(states: StepFunctions, executionArn: string): Promise<DescribeExecutionOutput> {
  return (await states.call('DescribeExecution', { executionArn })) as DescribeExecutionOutput;
}

/** Polls for a result that only becomes visible from outside. */
export async function until<T>(look: () => T | Promise<T>): Promise<NonNullable<Awaited<T>>> {
  for (;;) {
    const seen = await look();
    if (seen) return seen as NonNullable<Awaited<T>>;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

export type End = { status: string | undefined; output?: unknown; error?: string; cause?: string };

/** The end of an execution: its status with the parsed output, or its error and cause. */
export async function endOf(states: StepFunctions, executionArn: string): Promise<End> {
  const ended = await until(async () => {
    const seen = await describeExecution(states, executionArn);
    return seen.status === 'RUNNING' ? undefined : seen;
  });
  const { status, output, error, cause } = ended;
  return {
    status,
    ...(output !== undefined && { output: JSON.parse(output) }),
    ...(error !== undefined && { error }),
    ...(cause !== undefined && { cause }),
  };
}

/** Runs a definition with an input to its end. */
export async function run(setting: Setting, input: unknown = {}): Promise<End> {
  const states = await open(setting);
  return endOf(states, await start(states, input));
}

/** Runs one state as the whole definition. */
export function runState(state: object, input: unknown = {}, functions: Functions = {}): Promise<End> {
  return run({ definition: { StartAt: 'Only', States: { Only: state } }, functions }, input);
}

export async function historyOf(states: StepFunctions, executionArn: string): Promise<HistoryEvent[]> {
  const { events } = (await states.call('GetExecutionHistory', { executionArn, maxResults: 1000 })) as {
    events: HistoryEvent[];
  };
  return events;
}

export const invoke = (name: string, more: object = {}) => ({
  Type: 'Task',
  Resource: 'arn:aws:states:::lambda:invoke',
  Arguments: { FunctionName: name, Payload: '{% $states.input %}' },
  ...more,
});

export const invokeAndWait = (name: string, more: object = {}) => ({
  Type: 'Task',
  Resource: 'arn:aws:states:::lambda:invoke.waitForTaskToken',
  Arguments: {
    FunctionName: name,
    Payload: { token: '{% $states.context.Task.Token %}', input: '{% $states.input %}' },
  },
  ...more,
});
