import { deleteObject } from '../aws/object-store.ts';
import { emitMetric } from '../common/emit-metric.ts';
import { log } from '../common/log.ts';
import { hideNode } from '../table/nodes/node-registry.ts';
import { findNode } from '../table/nodes/node-table.ts';
import { claimWork, endWork, keepWork, type NodeAtWork } from '../table/nodes/node-work.ts';
import { listContainers } from './list-containers.ts';
import { loadNodeTarget } from './load-node-target.ts';
import { type containersResult, operationSchema } from './operation-schema.ts';
import { NodeUnreachable, StepFailed } from './ssh/node-errors.ts';
import { stepNames } from './steps/node-steps.ts';
import { runStep } from './steps/run-step.ts';
import { stepValues } from './steps/step-inputs.ts';
import { waitForCall } from './steps/wait-for-call.ts';
import { failedEnd, workEnd } from './steps/work-end.ts';

/** Interval of heartbeats. The scheduled check fails operations whose heartbeat is overdue. */
const heartbeatMilliseconds = 10_000;

/**
 * Operates one registered server: lists its containers, or runs the pending step of its record. Only this function may
 * read private keys. One invocation runs one step, within Lambda's limit of 15 minutes.
 */
export async function handler(raw: unknown): Promise<unknown> {
  const operation = operationSchema.parse(raw);
  if (operation.operation === 'containers') return containersOf(operation.node);
  const node = await claimWork(operation.node, operation.work);
  return node && work(node);
}

async function containersOf(ulid: string): Promise<typeof containersResult._output> {
  const node = await findNode(ulid);
  if (!node) return { unreachable: 'The node was deleted.' };
  try {
    return { containers: await listContainers(await loadNodeTarget(node)) };
  } catch (error) {
    if (!(error instanceof NodeUnreachable)) throw error;
    emitMetric('NodeErrors', 1, error.code);
    return { unreachable: error.message };
  }
}

async function work(node: NodeAtWork): Promise<void> {
  let latestLog = '';
  const heartbeat = () => keepWork(node.ulid, node.work, latestLog).catch(() => false);
  const timer = setInterval(heartbeat, heartbeatMilliseconds);
  try {
    await finish(node, (text) => {
      latestLog = text;
      return heartbeat();
    });
  } catch (error) {
    const known = error instanceof NodeUnreachable || error instanceof StepFailed;
    const message = known ? error.message : 'An internal error occurred. Run the step again.';
    if (!known)
      log.error('a step failed unexpectedly', { node: node.ulid, step: node.work.step, error: error as Error });
    await endWork(node, failedEnd(node, node.work.step, message));
  } finally {
    clearInterval(timer);
  }
}

const noCall =
  'The containers run, but no worker has called the service: see "docker logs video-service-worker-1" on the server.';

async function finish(node: NodeAtWork, onLog: (text: string) => unknown): Promise<void> {
  const step = stepNames.find((name) => name === node.work.step);
  if (!step) throw new Error(`there is no step ${node.work.step}`);
  const target = await loadNodeTarget(node);
  const { values, tokenHash, sampleKey } = await stepValues(node, step);
  const result = await runStep(target, step, { values, onLog }).finally(async () => {
    if (sampleKey !== undefined) await deleteObject(sampleKey);
  });
  if (step === 'verify' && node.type === 'worker' && result.ok && !(await waitForCall(node.ulid))) {
    await endWork(node, failedEnd(node, step, noCall, `${result.log}${noCall}\n`));
    return;
  }
  // The node is no longer visible. Jobs that its workers still hold are requeued when their leases expire.
  if (node.status === 'deleting' && result.ok) return hideNode(node);
  await endWork(node, workEnd(node, step, result, tokenHash));
}
