import { randomUUID } from 'node:crypto';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { MapState } from '../definition/asl-types.ts';
import { defaultLabel, mapRunArn } from '../execution/child-execution.ts';
import type { ChildInput, MapRunRecord } from '../execution/map-run.ts';
import { jsonBytes, MAX_PAYLOAD_BYTES } from '../execution/payload-limit.ts';
import { StateFailure } from '../execution/state-failure.ts';
import type { Exit, InterpreterServices, StateRun } from '../interpreter/interpreter-context.ts';
import { leaveState } from '../interpreter/leave-state.ts';
import { record } from '../interpreter/record-event.ts';
import { runMapRun } from './child-executions.ts';
import { readItems } from './item-reader.ts';
import { batchItems, evaluateItems, selectItem } from './map-items.ts';
import { mapLimits } from './tolerated-failure.ts';

// Selecting items blocks the event loop, so other work of the process runs after this many items.
const ITEMS_BEFORE_YIELD = 200;

/** Runs a child execution for each item or batch of items. */
export async function runDistributedMap(at: StateRun<MapState>): Promise<Exit> {
  const { run, frame, state } = at;
  if (!frame.activeState?.outcome) {
    if (frame.activeState?.mapRunId === undefined) await startMapRun(at);
    await runMapRun(at, run.execution.mapRuns.get(frame.activeState?.mapRunId ?? '')!);
  }
  const outcome = frame.activeState?.outcome ?? { error: 'States.Runtime', cause: 'The map run has no outcome.' };
  if ('error' in outcome) throw new StateFailure(outcome.error, outcome.cause);
  record(run, frame, 'MapStateSucceeded');
  return leaveState(at, state, state.Next, outcome.output, { result: outcome.output });
}

/**
 * Determines the inputs of all child executions and stores them before the first one starts: a restart must not read
 * the items again, because they may have changed.
 */
async function startMapRun(at: StateRun<MapState>): Promise<void> {
  const { run, frame, state } = at;
  const { execution, services } = run;
  authorizeChildren(services, execution.machineArn);
  const limits = await mapLimits(at);
  const inputs = await batchItems(at, await selectItems(at));
  const id = randomUUID();
  const label = state.Label ?? defaultLabel(frame.activeState?.name ?? '');
  await services.saveMapInputs(execution, id, inputs);
  const started: MapRunRecord = {
    id,
    arn: mapRunArn(execution, label, id),
    executionArn: execution.arn,
    machineArn: execution.machineArn,
    label,
    startMs: services.clock.now(),
    status: 'RUNNING',
    ...limits,
  };
  record(run, frame, 'MapStateStarted', { length: inputs.length });
  record(run, frame, 'MapRunStarted', { mapRunArn: started.arn }, { run: started });
  const mapRun = execution.mapRuns.get(id)!;
  mapRun.work = services.openMapRun(execution, mapRun, inputs);
}

/** Step Functions starts child executions with the role of the state machine. */
function authorizeChildren({ authorizeMapRun }: InterpreterServices, machineArn: string): void {
  try {
    authorizeMapRun(machineArn);
  } catch (error) {
    throw new StateFailure('StepFunctions.AccessDeniedException', error instanceof Error ? error.message : '');
  }
}

async function selectItems(at: StateRun<MapState>): Promise<ChildInput[]> {
  const { state, run } = at;
  const items = state.ItemReader ? await readItems(at, state.ItemReader) : await evaluateItems(at);
  const inputs: ChildInput[] = [];
  for (const [Index, Value] of items.entries()) {
    const item = { Index, Value };
    const input = await selectItem(at, item);
    if (jsonBytes(input) > MAX_PAYLOAD_BYTES) {
      throw new StateFailure(
        'States.DataLimitExceeded',
        `The item ${Index} exceeds the maximum number of bytes service limit.`,
      );
    }
    inputs.push({ input, item, itemCount: 1 });
    if (Index % ITEMS_BEFORE_YIELD === ITEMS_BEFORE_YIELD - 1) {
      await yieldToEventLoop();
      if (run.stop.reason) throw run.stop.reason;
    }
  }
  return inputs;
}
