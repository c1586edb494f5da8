import { Conflict, unknownRecord } from '../../common/errors.ts';
import type { Node } from '../../table/nodes/node-table.ts';
import { type Step, type StepName, stepsOf } from './node-steps.ts';

/** Steps that undo other steps. They do not require previous steps. */
const clearingSteps: readonly StepName[] = ['drain', 'remove'];

/** Steps whose effects remain on a server after the step `remove`. */
const lastingSteps: readonly StepName[] = ['check', 'packages', 'docker'];

/** `configure` interrupts workers, because it replaces their token. */
const interrupts = ({ name, safeWhenActive }: Step, type: Node['type']): boolean =>
  !safeWhenActive || (name === 'configure' && type === 'worker');

/**
 * The step with this name, if the node may run it now.
 * @throws ValidationFailed when the node has no such step, Conflict when it may not run now
 */
export function allowedStep(node: Node, name: string): Step {
  const steps = stepsOf(node.type);
  const step = steps.find((one) => one.name === name);
  if (!step) throw unknownRecord('step');
  if (node.work) throw new Conflict('node_busy', `The step ${node.work.step} is running.`);
  if (node.status === 'deploying' || node.status === 'draining' || node.status === 'deleting')
    throw new Conflict('node_busy', `The node is ${node.status}.`);
  if (name === 'drain') {
    if (node.status !== 'active') throw new Conflict('node_not_active', 'Only an active node can be drained.');
    return step;
  }
  if (node.status === 'active' && interrupts(step, node.type)) {
    throw new Conflict('node_active', `The step ${name} would interrupt an active node: run the step drain first.`);
  }
  const missing = clearingSteps.includes(step.name)
    ? undefined
    : steps.slice(0, steps.indexOf(step)).find((one) => one.required && !isDone(node, one.name));
  if (missing) throw new Conflict('node_step_missing', `Run the step ${missing.name} first.`);
  return step;
}

const isDone = ({ succeeded, outdated }: Pick<Node, 'succeeded' | 'outdated'>, name: StepName): boolean =>
  succeeded.includes(name) && !outdated.includes(name);

/** Steps that use the host name of a proxy. */
const hostnameSteps: readonly StepName[] = ['configure', 'certificate'];

/**
 * The changes of a node with a new host name. The proxy serves the deployed host name until it has a certificate for
 * the new one; the steps for that become outdated. If the host name is changed back before one of them ran, nothing has
 * changed.
 */
export function renamed(
  { succeeded, outdated, ...node }: Node,
  hostname: string | null,
): Pick<Node, 'deployedHostname' | 'outdated'> {
  if (hostname === node.hostname) return { deployedHostname: node.deployedHostname, outdated };
  const deployedHostname = node.deployedHostname ?? (succeeded.includes('certificate') ? node.hostname : null);
  const affected = hostnameSteps.filter((step) => succeeded.includes(step));
  const isReverted = hostname === deployedHostname && affected.every((step) => outdated.includes(step));
  return { deployedHostname, outdated: isReverted ? [] : affected };
}

/** The steps whose success becomes invalid when the step `name` is started. */
export function staleSteps(type: Node['type'], name: StepName): StepName[] {
  const steps = stepsOf(type);
  if (name === 'remove')
    return steps.map((step) => step.name).filter((one) => !lastingSteps.includes(one) && one !== name);
  const at = steps.findIndex((step) => step.name === name);
  const step = steps[at];
  if (!step || !interrupts(step, type)) return [];
  return steps.slice(at + 1).map((later) => later.name);
}

/** Steps that a drained node has to run again to become active. */
export const drainedSteps: readonly StepName[] = ['start', 'verify'];

/** Whether all required steps have succeeded. */
export const isComplete = (type: Node['type'], succeeded: readonly string[]): boolean =>
  stepsOf(type).every(({ required, name }) => !required || succeeded.includes(name));
