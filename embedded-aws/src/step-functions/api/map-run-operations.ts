import type { MapRun } from '../execution/execution.ts';
import { countChildren } from '../execution/map-run.ts';
import { type Child, findMapRun, isChild, mapRunsOf, requireExecution, summaryOf } from './execution-registry.ts';
import type { OperationContext } from './operation-context.ts';
import { type Input, requiredArn } from './operation-input.ts';
import { pageOf, slicePage } from './result-page.ts';
import { StepFunctionsError } from './step-functions-errors.ts';

/** @throws ResourceNotFound */
export function requireMapRun(context: OperationContext, arn: string): Pick<Child, 'entry' | 'mapRun'> {
  const found = findMapRun(context.registry, (run) => run.arn === arn);
  if (!found) throw new StepFunctionsError('ResourceNotFound', `Resource Not Found: '${arn}'`);
  return found;
}

export async function describeMapRun(context: OperationContext, input: Input): Promise<unknown> {
  const { entry, mapRun } = requireMapRun(context, requiredArn(input, 'mapRunArn'));
  const work = 'work' in mapRun ? (mapRun as MapRun).work : undefined;
  return {
    mapRunArn: mapRun.arn,
    executionArn: mapRun.executionArn,
    status: mapRun.status,
    startDate: new Date(mapRun.startMs),
    stopDate: mapRun.stopMs === undefined ? undefined : new Date(mapRun.stopMs ?? summaryOf(entry).stopMs),
    maxConcurrency: mapRun.maxConcurrency,
    toleratedFailurePercentage: mapRun.toleratedFailurePercentage ?? 0,
    toleratedFailureCount: mapRun.toleratedFailureCount ?? 0,
    itemCounts: work ? countChildren(work, 'items') : mapRun.itemCounts,
    executionCounts: work ? countChildren(work, 'executions') : mapRun.executionCounts,
    redriveCount: 0,
  };
}

/** Lists the map runs of one execution, newest first. */
export async function listMapRuns(context: OperationContext, input: Input): Promise<unknown> {
  const arn = requiredArn(input, 'executionArn');
  const found = requireExecution(context.registry, arn);
  const runs = [...mapRunsOf(isChild(found) ? found.entry : found)].filter((run) => run.executionArn === arn).reverse();
  const { items, nextToken } = slicePage(runs, pageOf(input, `mapRuns ${arn}`));
  const mapRuns = items.map((run) => ({
    executionArn: arn,
    mapRunArn: run.arn,
    stateMachineArn: `${run.machineArn}/${run.label}`,
    startDate: new Date(run.startMs),
    ...(run.stopMs !== undefined && { stopDate: new Date(run.stopMs) }),
  }));
  return { mapRuns, ...(nextToken !== undefined && { nextToken }) };
}
