import type { MapState } from '../definition/asl-types.ts';
import { childIdentity } from '../execution/child-execution.ts';
import { type Execution, type MapRun, type MapRunWork, newExecution } from '../execution/execution.ts';
import { type ChildResult, countChildren } from '../execution/map-run.ts';
import { toPayload } from '../execution/payload-limit.ts';
import { Interrupted, ShuttingDown, StateFailure } from '../execution/state-failure.ts';
import { orStopped, withLinkedStop } from '../execution/stop-signal.ts';
import type { InterpreterServices, StateRun } from '../interpreter/interpreter-context.ts';
import { appendEvent, record } from '../interpreter/record-event.ts';
import { runConcurrently } from '../interpreter/run-concurrently.ts';
import { endExecution, execute } from '../interpreter/run-execution.ts';
import { bindingsOf } from '../interpreter/state-bindings.ts';
import { evaluateTemplate } from '../jsonata/jsonata-template.ts';
import { mapResults, writeResults } from './result-writer.ts';
import { exceedsTolerance } from './tolerated-failure.ts';

// The limit of Step Functions on concurrent child executions.
const MAX_CONCURRENCY = 10_000;

/** Runs the child executions that have not ended, and records the outcome of the map run. @throws Interrupted only */
export async function runMapRun(at: StateRun<MapState>, mapRun: MapRun): Promise<void> {
  const { run, frame } = at;
  const work = mapRun.work!;
  try {
    await runChildren(at, mapRun, work);
    const output = await resultOf(at, mapRun, work);
    record(run, frame, 'MapRunSucceeded', undefined, { output, counts: finalCounts(at, work) });
  } catch (failure) {
    if (failure instanceof StateFailure) {
      const { error, errorCause } = failure;
      record(run, frame, 'MapRunFailed', { error, cause: errorCause }, { counts: finalCounts(at, work) });
      return;
    }
    if (failure instanceof Interrupted && !(failure instanceof ShuttingDown)) abortMapRun(at, mapRun, work);
    throw failure;
  } finally {
    work.journal.close();
    delete mapRun.work;
  }
}

function abortMapRun(at: StateRun<MapState>, mapRun: MapRun, work: MapRunWork): void {
  const { run, frame } = at;
  const counts = finalCounts(at, work);
  const stopMs = run.services.clock.now();
  if (run.execution.status === 'RUNNING') {
    appendEvent(run.execution, frame, 'MapRunAborted', stopMs, undefined, { counts });
  } else {
    // The journal contains the end of the execution, from which the end of its map runs follows.
    Object.assign(mapRun, { status: 'ABORTED', stopMs, ...counts });
  }
}

async function runChildren(at: StateRun<MapState>, mapRun: MapRun, work: MapRunWork): Promise<void> {
  const { run, state } = at;
  const { services } = run;
  const totalItems = work.inputs.reduce((sum, child) => sum + child.itemCount, 0);
  let failedItems = 0;
  const checkTolerance = (index: number, result: ChildResult) => {
    if (result.status === 'SUCCEEDED') return;
    failedItems += work.inputs[index]!.itemCount;
    if (!exceedsTolerance(failedItems, totalItems, mapRun)) return;
    const cause = 'The specified tolerated failure threshold was exceeded';
    throw new StateFailure('States.ExceedToleratedFailureThreshold', cause);
  };
  for (const [index, result] of work.results.entries()) if (result) checkTolerance(index, result);

  await withLinkedStop(run.stop, async (stop) => {
    stop.onStop((reason) => stopChildren(work, services, reason));
    await runConcurrently(
      work.inputs.length,
      Math.min(mapRun.maxConcurrency || MAX_CONCURRENCY, MAX_CONCURRENCY),
      async (index) => {
        if (work.results[index]) return;
        if (stop.reason) throw stop.reason;
        const child = work.running.get(index) ?? startChild(run.execution, mapRun, work, index, services);
        await execute(child, state.ItemProcessor, services);
        const result = childResult(child);
        if (!result) throw stop.reason ?? child.stop.reason ?? new Interrupted();
        work.running.delete(index);
        work.results[index] = result;
        // A child execution that was stopped together with the map run is not a reason for the map run to fail.
        if (stop.reason) throw stop.reason;
        checkTolerance(index, result);
      },
      stop,
    );
  });
}

function startChild(
  execution: Execution,
  mapRun: MapRun,
  work: MapRunWork,
  index: number,
  services: InterpreterServices,
): Execution {
  const identity = childIdentity(execution, mapRun, index, work.inputs[index]!, services.clock.now());
  const child = newExecution(identity, { folder: execution.folder, journal: work.journal, mapRuns: execution.mapRuns });
  work.running.set(index, child);
  services.meter?.('state transitions', 1, 'start of a child execution');
  const details = { input: identity.inputText, roleArn: services.roleArn };
  appendEvent(child, child.root, 'ExecutionStarted', identity.startMs, details);
  return child;
}

function stopChildren(work: MapRunWork, services: InterpreterServices, reason: Error): void {
  for (const child of work.running.values()) {
    if (reason instanceof ShuttingDown) child.stop.stop(reason);
    else abortChild(child, services);
  }
}

function abortChild(child: Execution, services: InterpreterServices): void {
  try {
    endExecution(child, services, 'ExecutionAborted', {});
  } catch (error) {
    services.report(error);
    child.stop.stop(new ShuttingDown());
  }
}

/** Undefined while the child execution is running. */
export function childResult(child: Execution): ChildResult | undefined {
  const { status, startMs, stopMs, outcome } = child;
  if (status === 'RUNNING' || stopMs === undefined) return undefined;
  return { status, startMs, stopMs, ...outcome };
}

async function resultOf(at: StateRun<MapState>, mapRun: MapRun, work: MapRunWork): Promise<unknown> {
  const { run, state, frame } = at;
  const finished = { execution: run.execution, run: mapRun, work };
  const writer = state.ResultWriter;
  if (!writer?.Resource) {
    return toPayload(
      mapResults(finished, writer),
      `The map run of the state '${frame.activeState?.name}' returned a result that`,
    );
  }
  const location = await evaluateTemplate(writer.Arguments ?? {}, bindingsOf(at), 'ResultWriter/Arguments');
  return orStopped(
    run.stop,
    writeResults(finished, writer, location as { Bucket?: unknown; Prefix?: unknown }, run.services),
  );
}

function finalCounts({ state }: StateRun<MapState>, work: MapRunWork) {
  for (const [index, child] of work.running) work.results[index] ??= childResult(child);
  work.running.clear();
  const written = state.ResultWriter?.Resource !== undefined;
  return {
    itemCounts: countChildren(work, 'items', written),
    executionCounts: countChildren(work, 'executions', written),
  };
}
