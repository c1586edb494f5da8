import type { Execution, ExecutionIdentity } from './execution.ts';
import type { ChildInput, MapRunRecord } from './map-run.ts';

const MAX_LABEL_CHARACTERS = 40;

/** The name contains the map run and the index of the child, so that it is the same after a restart. */
export function childName(run: MapRunRecord, index: number): string {
  return `${run.id}-${index}`;
}

/** Undefined for the name of any other execution. */
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

/** The label of a Map state without a Label field. */
export function defaultLabel(stateName: string): string {
  return stateName.replace(/[^\w-]+/g, '-').slice(0, MAX_LABEL_CHARACTERS);
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

/** The ARN of a map run inside a child execution has the label of the inner Map only. */
function labelledArn({ machineArn }: Pick<Execution, 'machineArn'>, label: string): string {
  return `${machineArn.split('/')[0]}/${label}`;
}
