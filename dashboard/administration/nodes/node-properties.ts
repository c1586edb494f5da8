import type { components } from '../../../client/api-types.ts';

export type Node = components['schemas']['Node'];
export type DeployStep = components['schemas']['DeployStep'];

/** An active worker that has not called for this long is failed by the service a little later. */
const lateSeconds = 60;

/** Whether a node does its work. `none`: it is not meant to work now. */
export type NodeHealth = 'healthy' | 'late' | 'failed' | 'none';

export function healthOf({ status, last_seen_at }: Pick<Node, 'status' | 'last_seen_at'>, nowMs: number): NodeHealth {
  if (status === 'failed') return 'failed';
  if (status !== 'active') return 'none';
  if (last_seen_at === null) return 'late';
  return nowMs - Date.parse(last_seen_at) > lateSeconds * 1000 ? 'late' : 'healthy';
}

/** In these statuses an operation runs on the node, and its settings cannot be changed. */
export const isBusy = ({ status }: Pick<Node, 'status'>): boolean =>
  status === 'deploying' || status === 'draining' || status === 'deleting';

export const isStepRunning = ({ status }: Pick<DeployStep, 'status'>): boolean =>
  status === 'queued' || status === 'running';

/** The first required step that has not succeeded. Undefined when the node is deployed. */
export const nextStep = (steps: readonly DeployStep[]): DeployStep | undefined =>
  steps.find(({ required, status }) => required && status !== 'succeeded');

/**
 * Whether the service accepts a step now: no step runs, and all required steps before it have succeeded. A step that
 * undoes others needs none. Draining is offered for active nodes only.
 */
export function canRun(step: DeployStep, steps: readonly DeployStep[], node: Pick<Node, 'status'>): boolean {
  if (isBusy(node) || steps.some(isStepRunning)) return false;
  if (step.step === 'drain') return node.status === 'active';
  if (!step.required) return node.status !== 'active';
  const missing = nextStep(steps);
  return missing === undefined || step.order <= missing.order;
}

/** The step whose log is shown first: the one that runs, or else the last one that ended. */
export function shownStep(steps: readonly DeployStep[]): DeployStep | undefined {
  const endOf = ({ finished_at }: DeployStep): string => finished_at ?? '';
  return (
    steps.find(isStepRunning) ??
    steps
      .filter(({ finished_at }) => finished_at !== null)
      .toSorted((one, other) => endOf(one).localeCompare(endOf(other)))
      .at(-1)
  );
}
