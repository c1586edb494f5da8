import type { MapState } from '../definition/asl-types.ts';
import { StateFailure } from '../execution/state-failure.ts';
import { withLinkedStop } from '../execution/stop-signal.ts';
import type { Exit, StateRun } from '../interpreter/interpreter-context.ts';
import { leaveState } from '../interpreter/leave-state.ts';
import { record } from '../interpreter/record-event.ts';
import { runConcurrently } from '../interpreter/run-concurrently.ts';
import { visibleVariables } from '../interpreter/state-bindings.ts';
import { findFrame } from '../journal/apply-line.ts';
import { childFramePath } from '../states/parallel-state.ts';
import { evaluateItems, selectItem } from './map-items.ts';
import { mapLimits } from './tolerated-failure.ts';

// The limit of Step Functions on concurrent iterations of an inline Map, whatever MaxConcurrency is.
const MAX_CONCURRENCY = 40;

/** Runs the iterations inside this execution. The first failure stops the other iterations and fails the state. */
export async function runInlineMap(at: StateRun<MapState>): Promise<Exit> {
  const { run, frame, state } = at;
  const name = frame.activeState?.name;
  if (!frame.activeState?.items) {
    const items = await evaluateItems(at);
    record(run, frame, 'MapStateStarted', { length: items.length }, { items });
  }
  const items = frame.activeState?.items ?? [];
  const { maxConcurrency } = await mapLimits(at);
  const results: unknown[] = new Array(items.length);

  const iterate = async (index: number, iterationRun: typeof run) => {
    const mapItem = { Index: index, Value: items[index] };
    const iteration = findFrame(run.execution, childFramePath(frame.path, index));
    const detail = { name, index };
    const fresh = !iteration.activeState && !iteration.exit;
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

  await withLinkedStop(run.stop, (stop) =>
    runConcurrently(
      items.length,
      Math.min(maxConcurrency || MAX_CONCURRENCY, MAX_CONCURRENCY),
      (index) => iterate(index, { ...run, stop }),
      stop,
    ),
  );
  record(run, frame, 'MapStateSucceeded');
  return leaveState(at, state, state.Next, results, { result: results });
}
