import type { ExecutionStatus } from '../execution/execution-status.ts';
import { endExecution } from '../interpreter/run-execution.ts';
import { isChild, requireExecution, summaryOf } from './execution-registry.ts';
import { type ExecutionView, viewChildren, viewExecution } from './execution-view.ts';
import { requireMapRun } from './map-run-operations.ts';
import type { OperationContext } from './operation-context.ts';
import { type Input, invalid, optionalText, requiredArn } from './operation-input.ts';
import { pageOf, slicePage } from './result-page.ts';
import { requireStateMachine } from './start-execution.ts';
import { StepFunctionsError } from './step-functions-errors.ts';

const MAX_ERROR_CHARACTERS = 256;
const MAX_CAUSE_CHARACTERS = 32_768;
const STATUSES = ['RUNNING', 'SUCCEEDED', 'FAILED', 'TIMED_OUT', 'ABORTED', 'PENDING_REDRIVE'];

export async function describeExecution(context: OperationContext, input: Input): Promise<unknown> {
  const found = requireExecution(context.registry, requiredArn(input, 'executionArn'));
  const { inputText, outcome, ...view } = await viewExecution(found, context);
  return {
    ...listEntry(view),
    ...(inputText !== undefined && { input: inputText }),
    inputDetails: { included: inputText !== undefined },
    ...(outcome &&
      'output' in outcome && { output: JSON.stringify(outcome.output), outputDetails: { included: true } }),
    ...(outcome && 'error' in outcome && { error: outcome.error || undefined, cause: outcome.cause }),
  };
}

/** Stops a running execution with the status ABORTED. An execution that has ended is not changed. */
export async function stopExecution(context: OperationContext, input: Input): Promise<{ stopDate: Date }> {
  const found = requireExecution(context.registry, requiredArn(input, 'executionArn'));
  const error = optionalText(input, 'error', MAX_ERROR_CHARACTERS);
  const cause = optionalText(input, 'cause', MAX_CAUSE_CHARACTERS);
  const running = isChild(found) ? 'work' in found.mapRun && found.mapRun.work?.running.get(found.index) : found.live;
  if (running) {
    endExecution(running, context.services, 'ExecutionAborted', {
      ...(error !== undefined && { error }),
      ...(cause !== undefined && { cause }),
    });
    await running.journal.synced();
    return { stopDate: new Date(running.stopMs ?? 0) };
  }
  const { stopMs = 0 } = await viewExecution(found, context);
  return { stopDate: new Date(stopMs) };
}

/** Lists the executions of a state machine or of a map run, newest first. */
export async function listExecutions(context: OperationContext, input: Input): Promise<unknown> {
  const status = optionalText(input, 'statusFilter', 20);
  if (status !== undefined && !STATUSES.includes(status)) {
    throw invalid('statusFilter', `Member must satisfy enum value set: [${STATUSES.join(', ')}]`);
  }
  const { stateMachineArn, mapRunArn } = input;
  if ((stateMachineArn === undefined) === (mapRunArn === undefined)) {
    throw new StepFunctionsError('ValidationException', 'Exactly one of stateMachineArn and mapRunArn must be given.');
  }
  return mapRunArn === undefined
    ? listExecutionsOfStateMachine(context, input, status)
    : listExecutionsOfMapRun(context, input, status);
}

function listExecutionsOfStateMachine(context: OperationContext, input: Input, status: string | undefined): unknown {
  const { arn } = requireStateMachine(context, requiredArn(input, 'stateMachineArn'));
  const page = pageOf(input, `executions ${arn} ${status}`);
  const { entries } = context.registry;
  const executions: unknown[] = [];
  // Positions count from the oldest execution, so that executions that start between two pages do not shift the pages.
  let position = Math.min(page.start ?? entries.length - 1, entries.length - 1);
  for (; position >= 0 && executions.length < page.size; position--) {
    const summary = summaryOf(entries[position]!);
    if (summary.machineArn !== arn || (status !== undefined && summary.status !== status)) continue;
    const { name, startMs, stopMs } = summary;
    const stopped = stopMs === undefined ? {} : { stopMs };
    executions.push(
      listEntry({ arn: summary.arn, name, machineArn: arn, status: summary.status, startMs, ...stopped }),
    );
  }
  return { executions, ...(position >= 0 && { nextToken: page.tokenFor(position) }) };
}

async function listExecutionsOfMapRun(
  context: OperationContext,
  input: Input,
  status: string | undefined,
): Promise<unknown> {
  const { entry, mapRun } = requireMapRun(context, requiredArn(input, 'mapRunArn'));
  const page = pageOf(input, `executions ${mapRun.arn} ${status}`);
  const views = await viewChildren(mapRun, entry, context.store);
  const { items, nextToken } = slicePage(
    views.filter((view) => status === undefined || view.status === status),
    page,
  );
  return { executions: items.map(listEntry), ...(nextToken !== undefined && { nextToken }) };
}

type Listed = Omit<ExecutionView, 'inputText' | 'outcome'> & { status: ExecutionStatus };

function listEntry({ arn, name, machineArn, startMs, stopMs, status, mapRunArn }: Listed) {
  return {
    executionArn: arn,
    stateMachineArn: machineArn,
    name,
    status,
    startDate: new Date(startMs),
    ...(stopMs !== undefined && { stopDate: new Date(stopMs) }),
    ...(mapRunArn !== undefined && { mapRunArn }),
    redriveCount: 0,
    redriveStatus: 'NOT_REDRIVABLE',
  };
}
