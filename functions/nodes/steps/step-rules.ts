import { Conflict, ValidationFailed } from '../../common/errors.ts';
import type { Node } from '../../table/nodes/node-table.ts';
import { type Step, type StepName, stepsOf } from './node-steps.ts';

/** Steps that undo what others did. They need none before them. */
const clearingSteps: readonly StepName[] = ['drain', 'remove'];

/** What survives on a server whose containers, settings and secrets are removed. */
const lasting: readonly StepName[] = ['check', 'packages', 'docker'];

/** The steps of a node. The proxy that is part of the service is not deployed, so it has none. */
export const stepsOfNode = ({ type, sshKey }: Pick<Node, 'type' | 'sshKey'>): Step[] =>
  sshKey === null ? [] : stepsOf(type);

/** A worker's new configuration brings a new token, whose making ends the old one. */
const disturbs = ({ name, safeWhenActive }: Step, type: Node['type']): boolean =>
  !safeWhenActive || (name === 'configure' && type === 'worker');

/**
 * The step that a node is asked to run, if it may run now.
 * @throws ValidationFailed when it has no such step, Conflict when it is not this step's time
 */
export function allowedStep(node: Node, name: string): Step {
  const steps = stepsOfNode(node);
  const step = steps.find((one) => one.name === name);
  if (!step) throw new ValidationFailed({ step: ['The selected step is invalid.'] });
  if (node.work) throw new Conflict(`The step ${node.work.step} is running.`);
  if (node.status === 'deploying' || node.status === 'draining' || node.status === 'deleting')
    throw new Conflict(`The node is ${node.status}.`);
  if (name === 'drain') {
    if (node.status !== 'active') throw new Conflict('Only an active node can be drained.');
    return step;
  }
  if (node.status === 'active' && disturbs(step, node.type)) {
    throw new Conflict(`The step ${name} disturbs a node that serves: run the step drain first.`);
  }
  const missing = clearingSteps.includes(step.name)
    ? undefined
    : steps.slice(0, steps.indexOf(step)).find((one) => one.required && !isDone(node, one.name));
  if (missing) throw new Conflict(`Run the step ${missing.name} first.`);
  return step;
}

const isDone = ({ succeeded, outdated }: Pick<Node, 'succeeded' | 'outdated'>, name: StepName): boolean =>
  succeeded.includes(name) && !outdated.includes(name);

/** What the host name of a proxy goes into. */
const hostnameSteps: readonly StepName[] = ['configure', 'certificate'];

/**
 * What another host name changes: the proxy goes on under the one that it was deployed with until it has a certificate for the new one, for which these
 * steps have to run again. A name that is taken back before any of them ran changes nothing.
 */
export function renamed(
  { succeeded, outdated, ...node }: Node,
  hostname: string | null,
): Pick<Node, 'deployedHostname' | 'outdated'> {
  if (hostname === node.hostname) return { deployedHostname: node.deployedHostname, outdated };
  const deployedHostname = node.deployedHostname ?? (succeeded.includes('certificate') ? node.hostname : null);
  const bound = hostnameSteps.filter((step) => succeeded.includes(step));
  const isTakenBack = hostname === deployedHostname && bound.every((step) => outdated.includes(step));
  return { deployedHostname, outdated: isTakenBack ? [] : bound };
}

/** The steps whose success is worth nothing once `step` was begun. */
export function staleSteps(type: Node['type'], name: StepName): StepName[] {
  const steps = stepsOf(type);
  if (name === 'remove') return steps.map((step) => step.name).filter((one) => !lasting.includes(one) && one !== name);
  const at = steps.findIndex((step) => step.name === name);
  const step = steps[at];
  if (!step || !disturbs(step, type)) return [];
  return steps.slice(at + 1).map((later) => later.name);
}

/** What a drained node has to run again to serve. */
export const drainedSteps: readonly StepName[] = ['start', 'verify'];

/** Whether all that a node needs to serve has succeeded. */
export const isComplete = (type: Node['type'], succeeded: readonly string[]): boolean =>
  stepsOf(type).every(({ required, name }) => !required || succeeded.includes(name));
