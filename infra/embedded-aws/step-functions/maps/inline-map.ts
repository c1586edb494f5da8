import type { MapState } from '../definition/asl-types.ts';
import { Halted, StateFailure } from '../execution/state-failure.ts';
import { withInnerStop } from '../execution/stop-signal.ts';
import type { Exit, StateRun } from '../interpreter/interpreter-context.ts';
import { leaveState } from '../interpreter/leave-state.ts';
import { record } from '../interpreter/record-event.ts';
import { runPool } from '../interpreter/run-concurrently.ts';
import { visibleVariables } from '../interpreter/state-bindings.ts';
import { findFrame } from '../journal/apply-line.ts';
import { childPath } from '../states/parallel-state.ts';
import { decideItems, selectItem } from './map-items.ts';
import { mapLimits } from './tolerated-failure.ts';

// The service runs no more iterations of an inline map at a time, whatever MaxConcurrency says.
const MOST_CONCURRENT = 40;

/** Runs the iterations inside this execution. The first failure halts the others and is the state's. */
export async function inlineMap(at: StateRun<MapState>): Promise<Exit> {
  const { run, frame, state } = at;
  const name = frame.visit?.name;
  if (!frame.visit?.items) {
    const items = await decideItems(at);
    record(run, frame, 'MapStateStarted', { length: items.length }, { items });
  }
  const items = frame.visit?.items ?? [];
  const { maxConcurrency } = await mapLimits(at);
  const results: unknown[] = new Array(items.length);

  const iterate = async (index: number, iterationRun: typeof run) => {
    const mapItem = { Index: index, Value: items[index] };
    const iteration = findFrame(run.execution, childPath(frame.path, index));
    const detail = { name, index };
    const fresh = !iteration.visit && !iteration.exit;
    const input = fresh ? await selectItem(at, mapItem) : undefined;
    if (fresh) record(iterationRun, iteration, 'MapIterationStarted', detail);
    const iterationScope = { variables: visibleVariables(at), mapItem };
    const ended = iteration.exit && iteration.exit.next === undefined;
    try {
      results[index] = await run.services.runFlow(iterationRun, iteration, state.ItemProcessor, iterationScope, input);
    } catch (failure) {
      if (failure instanceof StateFailure) record(iterationRun, iteration, 'MapIterationFailed', detail);
      throw failure;
    }
    if (!ended) record(iterationRun, iteration, 'MapIterationSucceeded', detail);
  };

  await withInnerStop(run.stop, (stop) =>
    runPool(
      items.length,
      Math.min(maxConcurrency || MOST_CONCURRENT, MOST_CONCURRENT),
      (index) => iterate(index, { ...run, stop }),
      () => stop.stop(new Halted()),
    ),
  );
  record(run, frame, 'MapStateSucceeded');
  return leaveState(at, state, state.Next, results, { result: results });
}
