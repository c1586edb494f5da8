import type { ParallelState } from '../definition/asl-types.ts';
import { toPayload } from '../execution/payload-limit.ts';
import { withLinkedStop } from '../execution/stop-signal.ts';
import type { Exit, StateRun } from '../interpreter/interpreter-context.ts';
import { leaveState } from '../interpreter/leave-state.ts';
import { record } from '../interpreter/record-event.ts';
import { runConcurrently } from '../interpreter/run-concurrently.ts';
import { bindingsOf, visibleVariables } from '../interpreter/state-bindings.ts';
import { findFrame } from '../journal/apply-line.ts';
import { evaluateTemplate } from '../jsonata/jsonata-template.ts';

/** Runs the branches concurrently. The first failure stops the other branches and fails the state. */
export async function runParallel(at: StateRun<ParallelState>): Promise<Exit> {
  const { run, frame, scope, state } = at;
  const name = frame.activeState?.name;
  if (!frame.activeState?.items) {
    const evaluated =
      state.Arguments === undefined
        ? frame.activeState?.input
        : await evaluateTemplate(state.Arguments, bindingsOf(at), 'Arguments');
    const input = toPayload(evaluated, `The Arguments of the state '${name}'`);
    record(run, frame, 'ParallelStateStarted', undefined, { items: [input] });
  }
  const input = frame.activeState?.items?.[0];
  const variables = visibleVariables(at);
  const results: unknown[] = new Array(state.Branches.length);
  await withLinkedStop(run.stop, (stop) =>
    runConcurrently(
      state.Branches.length,
      state.Branches.length,
      async (index) => {
        const branch = state.Branches[index]!;
        const branchFrame = findFrame(run.execution, childFramePath(frame.path, index));
        const branchScope = { variables, mapItem: scope.mapItem };
        results[index] = await run.services.runFlow({ ...run, stop }, branchFrame, branch, branchScope, input);
      },
      stop,
    ),
  );
  record(run, frame, 'ParallelStateSucceeded');
  return leaveState(at, state, state.Next, results, { result: results });
}

export function childFramePath(path: string, index: number): string {
  return path === '' ? String(index) : `${path}.${index}`;
}
