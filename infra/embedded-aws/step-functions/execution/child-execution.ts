import type { Execution, ExecutionIdentity } from './execution.ts';
import type { ChildInput, MapRunRecord } from './map-run.ts';

const MOST_LABEL_CHARACTERS = 40;

/** A child's name is made of its map run and its place in it, so that it is the same after a restart. */
export function childName(run: MapRunRecord, index: number): string {
  return `${run.id}-${index}`;
}

/** Reads a child's name. Undefined for any other execution's. */
export function parseChildName(name: string): { mapRunId: string; index: number } | undefined {
  const [, mapRunId, index] = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})-(\d+)$/.exec(name) ?? [];
  return mapRunId === undefined ? undefined : { mapRunId, index: Number(index) };
}

export function childArn(execution: Pick<Execution, 'machineArn'>, run: MapRunRecord, index: number): string {
  return `${labelledArn(execution, run.label).replace(':stateMachine:', ':execution:')}:${childName(run, index)}`;
}

export function mapRunArn(execution: Pick<Execution, 'machineArn'>, label: string, id: string): string {
  return `${labelledArn(execution, label).replace(':stateMachine:', ':mapRun:')}:${id}`;
}

/** The label a Map gets that has none. */
export function labelOf(stateName: string): string {
  return stateName.replace(/[^\w-]+/g, '-').slice(0, MOST_LABEL_CHARACTERS);
}

export function childIdentity(
  execution: Execution,
  run: MapRunRecord,
  index: number,
  child: ChildInput,
  startMs: number,
): ExecutionIdentity {
  return {
    arn: childArn(execution, run, index),
    name: childName(run, index),
    machineArn: labelledArn(execution, run.label),
    machineName: execution.machineName,
    definitionId: execution.definitionId,
    inputText: JSON.stringify(child.input),
    startMs,
    child: String(index),
    mapItem: child.item,
  };
}

/** A map inside a child is labelled beside its parent, not inside it. */
function labelledArn({ machineArn }: Pick<Execution, 'machineArn'>, label: string): string {
  return `${machineArn.split('/')[0]}/${label}`;
}
