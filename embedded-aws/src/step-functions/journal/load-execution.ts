import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { childIdentity } from '../execution/child-execution.ts';
import {
  type Execution,
  type ExecutionIdentity,
  type Frame,
  type MapRun,
  newExecution,
} from '../execution/execution.ts';
import type { ChildResult } from '../execution/map-run.ts';
import { applyLine } from './apply-line.ts';
import { readMapInputs } from './child-inputs.ts';
import { openJournal, readJournal } from './journal-file.ts';

export function executionJournal(folder: string): string {
  return join(folder, 'execution.jsonl');
}

export function mapRunJournal(folder: string, mapRunId: string): string {
  return join(folder, `${mapRunId}.jsonl`);
}

/**
 * Restores an execution and its running child executions from the journals. Undefined when the journal contains no
 * line.
 */
export async function loadExecution(folder: string): Promise<Execution | undefined> {
  const path = executionJournal(folder);
  if (!existsSync(path)) return undefined;
  const journal = openJournal(path);
  let execution: Execution | undefined;
  for await (const line of readJournal(path)) {
    if (!execution) {
      const identity = line.facts as Omit<ExecutionIdentity, 'inputText' | 'startMs'>;
      const inputText = line.details?.input as string;
      execution = newExecution({ ...identity, inputText, startMs: line.atMs }, { folder, journal });
    }
    applyLine(execution, line);
  }
  if (!execution) journal.close();
  else if (execution.status === 'RUNNING') await loadMapRuns(execution);
  return execution;
}

async function loadMapRuns(execution: Execution): Promise<void> {
  for (const { activeState } of framesOf(execution.root)) {
    const run = activeState?.outcome ? undefined : execution.mapRuns.get(activeState?.mapRunId ?? '');
    if (run?.status === 'RUNNING') await loadMapRun(execution, run);
  }
}

async function loadMapRun(execution: Execution, run: MapRun): Promise<void> {
  const { folder, mapRuns } = execution;
  const path = mapRunJournal(folder, run.id);
  const journal = openJournal(path);
  const inputs = await readMapInputs(folder, run.id);
  const work = { journal, inputs, results: [] as (ChildResult | undefined)[], running: new Map<number, Execution>() };
  for await (const line of readJournal(path)) {
    const index = Number(line.child);
    let child = work.running.get(index);
    if (!child) {
      const identity = childIdentity(execution, run, index, inputs[index]!, line.atMs);
      child = newExecution(identity, { folder, journal, mapRuns });
      work.running.set(index, child);
    }
    applyLine(child, line);
    if (child.status === 'RUNNING') continue;
    work.running.delete(index);
    const { status, startMs, stopMs = line.atMs, outcome } = child;
    work.results[index] = { status, startMs, stopMs, ...outcome };
  }
  run.work = work;
  for (const child of work.running.values()) await loadMapRuns(child);
}

/** The frame and all frames below it. */
export function* framesOf(frame: Frame): Generator<Frame> {
  yield frame;
  for (const child of frame.children.values()) yield* framesOf(child);
}
