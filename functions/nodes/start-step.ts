import { log } from '../common/log.ts';
import type { Node } from '../table/nodes/node-table.ts';
import { beginDraining, beginStep, endWork, queuedRun, type StepRun } from '../table/nodes/node-work.ts';
import type { User } from '../table/records.ts';
import { invokeNodeOperation } from './invoke-operation.ts';
import { cleanUpWhenIdle, drainDeadline } from './node-cleanup.ts';
import type { Step } from './steps/node-steps.ts';
import { allowedStep, staleSteps } from './steps/step-rules.ts';
import { failedEnd } from './steps/work-end.ts';

/**
 * Starts one step of a node in the background.
 * @throws ValidationFailed, Conflict; an error of the invocation, after the step was marked as failed
 */
export async function startStep(node: Node, name: string, actor: User): Promise<{ step: Step; run: StepRun }> {
  const step = allowedStep(node, name);
  const run = queuedRun(step.name);
  if (step.name === 'drain') {
    await cleanUpWhenIdle(await beginDraining(node, drainDeadline(), actor));
    return { step, run };
  }
  const claimed = await beginStep(node, step.name, staleSteps(node.type, step.name), actor);
  try {
    await invokeNodeOperation(claimed);
  } catch (error) {
    log.error('could not start the step', { node: node.ulid, step: step.name, error: error as Error });
    await endWork(claimed, failedEnd(claimed, step.name, 'The step could not be started. Run it again.'));
    throw error;
  }
  return { step, run };
}
