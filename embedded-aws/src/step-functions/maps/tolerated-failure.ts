import type { MapState } from '../definition/asl-types.ts';
import type { StateRun } from '../interpreter/interpreter-context.ts';
import { bindingsOf } from '../interpreter/state-bindings.ts';
import { evaluateInteger, evaluateNumber } from '../jsonata/jsonata-template.ts';

export type MapLimits = {
  /** 0 means no limit. */
  maxConcurrency: number;
  toleratedFailureCount?: number;
  toleratedFailurePercentage?: number;
};

/** Evaluates the numeric fields of a Map. */
export async function mapLimits(at: StateRun<MapState>): Promise<MapLimits> {
  const { state } = at;
  const bindings = bindingsOf(at);
  const integer = async (field: 'MaxConcurrency' | 'ToleratedFailureCount') =>
    state[field] === undefined
      ? undefined
      : evaluateInteger(state[field], bindings, field, [0, Number.MAX_SAFE_INTEGER]);
  const count = await integer('ToleratedFailureCount');
  const { ToleratedFailurePercentage: template } = state;
  const percentage =
    template === undefined
      ? undefined
      : await evaluateNumber(template, bindings, 'ToleratedFailurePercentage', [0, 100]);
  return {
    maxConcurrency: (await integer('MaxConcurrency')) ?? 0,
    ...(count !== undefined && { toleratedFailureCount: count }),
    ...(percentage !== undefined && { toleratedFailurePercentage: percentage }),
  };
}

/** Whether a map run with this many failed items has failed. Without a tolerance, one failed item is enough. */
export function exceedsTolerance(failed: number, total: number, limits: Omit<MapLimits, 'maxConcurrency'>): boolean {
  const { toleratedFailureCount, toleratedFailurePercentage } = limits;
  if (toleratedFailureCount === undefined && toleratedFailurePercentage === undefined) return failed > 0;
  if (toleratedFailureCount !== undefined && failed > toleratedFailureCount) return true;
  return toleratedFailurePercentage !== undefined && failed * 100 > toleratedFailurePercentage * total;
}
