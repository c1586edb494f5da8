import { timestamp } from '../../../shared/clock.ts';
import type { Node } from '../../table/nodes/node-table.ts';
import type { WorkEnd } from '../../table/nodes/node-work.ts';
import type { StepName } from './node-steps.ts';
import type { StepResult } from './run-step.ts';
import { drainedSteps, isComplete } from './step-rules.ts';

/** The changes of a node after a step. A failed step sets the node to `failed`; only further steps can change that. */
export function workEnd(node: Node, step: StepName, result: StepResult, tokenHash?: string): WorkEnd {
  if (!result.ok) return failedEnd(node, step, result.error.message, result.log);
  const run = { status: 'succeeded', log: result.log } as const;
  if (step === 'drain') {
    const succeeded = node.succeeded.filter((name) => !drainedSteps.some((drained) => drained === name));
    return { changes: { ...outOfService, succeeded, drainUntil: null }, stale: drainedSteps, run };
  }
  if (step === 'remove') {
    return { changes: { ...outOfService, deployedHostname: null, outdated: [] }, remove: ['tokenHash'], run };
  }
  // With its new certificate, a proxy can be reached at its new host name only, and has to be verified there.
  const isRenamed = step === 'certificate' && node.deployedHostname !== null && node.deployedHostname !== node.hostname;
  const stale: StepName[] = isRenamed ? ['verify'] : [];
  const kept = node.succeeded.filter((name) => name !== step && !stale.some((one) => one === name));
  const succeeded = [...kept, step];
  const verified = isComplete(node.type, succeeded);
  return {
    changes: {
      status: verified ? 'active' : 'pending',
      succeeded,
      verified,
      activeSince: verified ? timestamp() : null,
      lastError: null,
      misses: 0,
      outdated: node.outdated.filter((name) => name !== step),
      ...(step === 'certificate' && { deployedHostname: node.hostname }),
      ...(tokenHash !== undefined && { tokenHash }),
      ...(result.memoryMib !== undefined && { memoryMib: result.memoryMib }),
    },
    stale,
    run,
  };
}

const outOfService = { status: 'pending', verified: false, activeSince: null, lastError: null } as const;

/** The end of an operation that failed or was abandoned. */
export const failedEnd = (node: Node, step: string, message: string, log = ''): WorkEnd => ({
  changes: {
    status: 'failed',
    succeeded: node.succeeded.filter((name) => name !== step),
    verified: false,
    activeSince: null,
    lastError: message,
  },
  run: { status: 'failed', log: log === '' ? message : log },
});
