import type { MapState } from '../definition/asl-types.ts';
import type { StateRun } from '../interpreter/interpreter-context.ts';
import { bindingsOf } from '../interpreter/state-bindings.ts';
import { evaluateNumber } from '../jsonata/jsonata-template.ts';

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
  const number = async (
    field: 'MaxConcurrency' | 'ToleratedFailureCount' | 'ToleratedFailurePercentage',
    most: number,
  ) => (state[field] === undefined ? undefined : evaluateNumber(state[field], bindings, field, [0, most]));
  const count = await number('ToleratedFailureCount', Number.MAX_SAFE_INTEGER);
  const percentage = await number('ToleratedFailurePercentage', 100);
  return {
    maxConcurrency: (await number('MaxConcurrency', Number.MAX_SAFE_INTEGER)) ?? 0,
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
