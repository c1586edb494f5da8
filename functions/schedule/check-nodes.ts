import { now, timestamp } from '../../shared/clock.ts';
import { log } from '../common/log.ts';
import { checkHealth, type Health } from '../nodes/check-health.ts';
import { invokeNodeOperation } from '../nodes/invoke-operation.ts';
import { cleanUpWhenIdle } from '../nodes/node-cleanup.ts';
import { emitNodeMetrics } from '../nodes/node-metrics.ts';
import { failedEnd } from '../nodes/steps/work-end.ts';
import { countLeases } from '../table/jobs/lease-lists.ts';
import { storeNodeCapacity } from '../table/nodes/node-capacity-table.ts';
import { failNode, missNode } from '../table/nodes/node-health.ts';
import { listNodesAndGone } from '../table/nodes/node-lists.ts';
import { removeNode } from '../table/nodes/node-registry.ts';
import { type Node, touchNode } from '../table/nodes/node-table.ts';
import { endWork, type NodeAtWork, scheduleCleanup } from '../table/nodes/node-work.ts';
import { measureCapacity } from '../workers/node-capacity.ts';

const silentWorkerMilliseconds = 90_000;
const maxMisses = 3;

/** A running operation updates `aliveAt` every 10 s; an invocation that is not delivered within a minute never is. */
const deadWorkMilliseconds = 100_000;
const maxCleanupAttempts = 3;

/** Longer than a lease: a call in progress when the node was deleted may still have received one. */
const deletedNodeMilliseconds = 10 * 60_000;

/**
 * Every minute: checks the health of every node, and retries or fails operations that died. A failed check stops no
 * other.
 */
export async function handler(): Promise<void> {
  const { nodes, gone } = await listNodesAndGone();
  const checks = await Promise.allSettled([...nodes.map(checkNode), ...gone.map(removeDeleted)]);
  for (const check of checks) {
    if (check.status === 'rejected') log.error('node check failed', { error: check.reason as Error });
  }
  await storeNodeCapacity(await measureCapacity(nodes));
  emitNodeMetrics(
    nodes,
    checks.flatMap((check) => (check.status === 'fulfilled' && check.value) || []),
  );
}

async function checkNode(node: Node): Promise<Health | undefined> {
  if (isDead(node)) await retryOrFail(node);
  else if (node.work !== undefined || node.status === 'pending' || node.status === 'deploying') return undefined;
  else if (node.status === 'draining' || node.status === 'deleting') await cleanUpWhenIdle(node);
  else if (node.type === 'proxy') return checkProxy(node);
  else await checkWorker(node);
  return undefined;
}

const isDead = (node: Node): node is NodeAtWork =>
  node.work !== undefined && node.work.aliveAt < timestamp(now() - deadWorkMilliseconds);

/**
 * A cleanup is retried automatically, because no user waits for it. Any other step is run again by the administrator.
 */
async function retryOrFail(node: NodeAtWork): Promise<void> {
  const { step, attempt } = node.work;
  log.warn('node operation died', { node: node.ulid, step, attempt });
  if (node.status !== 'deploying' && attempt < maxCleanupAttempts) {
    const again = await scheduleCleanup(node, node.status === 'draining' ? 'drain' : 'remove');
    return again && invokeNodeOperation(again);
  }
  await endWork(node, failedEnd(node, step, 'The step was interrupted. Run it again.'));
}

async function checkWorker(node: Node): Promise<void> {
  const silent = timestamp(now() - silentWorkerMilliseconds);
  if (node.status !== 'active' || (node.lastSeenAt ?? '') > silent || (node.activeSince ?? '') > silent) return;
  await failNode(node, 'No worker of the node has called for 90 seconds.');
}

async function checkProxy(node: Node): Promise<Health | undefined> {
  if (node.status === 'failed' && !node.verified) return undefined;
  const health = await checkHealth(node);
  const { answers, connections } = health;
  if (answers) await touchNode(node.ulid, now(), connections === undefined ? {} : { connections });
  else if (node.status === 'active' && node.misses + 1 < maxMisses) await missNode(node);
  else if (node.status === 'active') await failNode(node, 'The proxy did not answer three health checks in a row.');
  return health;
}

async function removeDeleted(node: Node): Promise<undefined> {
  if ((node.deletedAt ?? '') > timestamp(now() - deletedNodeMilliseconds) || (await countLeases(node.ulid)) > 0) return;
  await removeNode(node.ulid);
}
