import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MapState } from '../definition/asl-types.ts';
import { labelOf, mapRunArn } from '../execution/child-execution.ts';
import type { ChildInput, MapRunRecord } from '../execution/map-run.ts';
import { jsonBytes, MAX_PAYLOAD_BYTES } from '../execution/payload-limit.ts';
import { StateFailure } from '../execution/state-failure.ts';
import type { Exit, StateRun } from '../interpreter/interpreter-context.ts';
import { leaveState } from '../interpreter/leave-state.ts';
import { record } from '../interpreter/record-event.ts';
import { finishMapRun } from './child-executions.ts';
import { readItems } from './item-reader.ts';
import { batchItems, decideItems, selectItem } from './map-items.ts';
import { mapLimits } from './tolerated-failure.ts';

// Selecting is pure computing; other work of the process gets its turn in between.
const ITEMS_PER_TURN = 200;

/** Runs each item, or batch of items, as an execution of its own. */
export async function distributedMap(at: StateRun<MapState>): Promise<Exit> {
  const { run, frame, state } = at;
  if (!frame.visit?.outcome) {
    if (frame.visit?.mapRunId === undefined) await startMapRun(at);
    await finishMapRun(at, run.execution.mapRuns.get(frame.visit?.mapRunId ?? '')!);
  }
  const outcome = frame.visit?.outcome ?? { error: 'States.Runtime', cause: 'The map run has no outcome.' };
  if ('error' in outcome) throw new StateFailure(outcome.error, outcome.cause);
  record(run, frame, 'MapStateSucceeded');
  return leaveState(at, state, state.Next, outcome.output, { result: outcome.output });
}

/** Decides every child's input and writes them down before the first child starts: a restart must not read other items. */
async function startMapRun(at: StateRun<MapState>): Promise<void> {
  const { run, frame, state } = at;
  const { execution, services } = run;
  const limits = await mapLimits(at);
  const inputs = await batchItems(at, await selectItems(at));
  const id = randomUUID();
  const label = state.Label ?? labelOf(frame.visit?.name ?? '');
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

async function selectItems(at: StateRun<MapState>): Promise<ChildInput[]> {
  const { state, run } = at;
  const items = state.ItemReader ? await readItems(at, state.ItemReader) : await decideItems(at);
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
    if (Index % ITEMS_PER_TURN === ITEMS_PER_TURN - 1) {
      await nextTurn();
      if (run.stop.reason) throw run.stop.reason;
    }
  }
  return inputs;
}
