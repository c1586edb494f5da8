import { childArn, childName } from '../execution/child-execution.ts';
import type { Execution, Outcome } from '../execution/execution.ts';
import type { ExecutionStatus } from '../execution/execution-status.ts';
import { childPrefix, type Line } from '../execution/journal-line.ts';
import { endingOf } from '../journal/apply-line.ts';
import type { Store } from '../journal/execution-store.ts';
import { readJournal } from '../journal/journal-file.ts';
import { executionJournal, mapRunJournal } from '../journal/load-execution.ts';
import { type Child, type Entry, folderOf, isChild, summaryOf } from './execution-registry.ts';
import type { OperationContext } from './operation-context.ts';

/** The properties of an execution that the API returns. */
export type ExecutionView = {
  arn: string;
  name: string;
  machineArn: string;
  /** unknown when the journal cannot be read, and so is the outcome */
  inputText?: string;
  startMs: number;
  stopMs?: number;
  status: ExecutionStatus;
  outcome?: Outcome | undefined;
  mapRunArn?: string;
};

/** The journal lines of one execution, in order. */
export function journalLinesOf(found: Entry | Child, store: Store): AsyncGenerator<Line> {
  if (!isChild(found)) return readJournal(executionJournal(folderOf(found, store)));
  const file = mapRunJournal(folderOf(found.entry, store), found.mapRun.id);
  return readJournal(file, childPrefix(String(found.index)));
}

export async function viewExecution(found: Entry | Child, context: OperationContext): Promise<ExecutionView> {
  if (!isChild(found)) return found.live ? viewOf(found.live) : viewEnded(found, context);
  const view = { ...childView(found, found.index), ...unread };
  return abortedWithParent(await withLines(view, found, context), found);
}

const unread = { inputText: '{}', startMs: 0, status: 'RUNNING' as const };

/** Callers learn that an execution has ended also when its journal is damaged: otherwise they would ask for ever. */
async function viewEnded(entry: Entry, context: OperationContext): Promise<ExecutionView> {
  const summary = summaryOf(entry);
  try {
    return await withLines({ ...summary, ...unread }, entry, context);
  } catch (error) {
    context.services.report(error);
    return summary;
  }
}

async function withLines(view: ExecutionView, found: Entry | Child, { store }: OperationContext) {
  let whole = view;
  for await (const line of journalLinesOf(found, store)) whole = addLine(whole, line);
  return whole;
}

/** The child executions of a map run, in the order of their start. */
export async function viewChildren(mapRun: Child['mapRun'], entry: Entry, store: Store): Promise<ExecutionView[]> {
  const views = new Map<string, ExecutionView>();
  for await (const line of readJournal(mapRunJournal(folderOf(entry, store), mapRun.id))) {
    if (line.child === undefined || (line.type !== 'ExecutionStarted' && !endingOf(line))) continue;
    const index = Number(line.child);
    const known = views.get(line.child) ?? {
      ...childView({ entry, mapRun, index }, index),
      inputText: '{}',
      startMs: line.atMs,
      status: 'RUNNING' as const,
    };
    views.set(line.child, addLine(known, line));
  }
  return [...views.values()].map((view) => abortedWithParent(view, { entry, mapRun, index: 0 }));
}

function viewOf({ arn, name, machineArn, inputText, startMs, stopMs, status, outcome }: Execution): ExecutionView {
  return { arn, name, machineArn, inputText, startMs, ...(stopMs !== undefined && { stopMs }), status, outcome };
}

function childView({ mapRun }: Child, index: number) {
  const { machineArn } = mapRun;
  return {
    arn: childArn({ machineArn }, mapRun, index),
    name: childName(mapRun, index),
    machineArn: `${machineArn.split('/')[0]}/${mapRun.label}`,
    mapRunArn: mapRun.arn,
  };
}

/** The journal has no end for a child execution that was running when its parent ended. */
function abortedWithParent(view: ExecutionView, { entry }: Child): ExecutionView {
  const { status, stopMs } = summaryOf(entry);
  return view.status === 'RUNNING' && status !== 'RUNNING' && stopMs !== undefined
    ? { ...view, status: 'ABORTED', stopMs }
    : view;
}

function addLine(view: ExecutionView, line: Line): ExecutionView {
  if (line.type === 'ExecutionStarted')
    return { ...view, startMs: line.atMs, inputText: line.details?.input as string };
  return { ...view, ...endingOf(line) };
}
