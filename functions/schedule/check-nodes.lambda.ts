import { now, timestamp } from '../../shared/clock.ts';
import { deleteObject } from '../aws/object-store.ts';
import { emitMetric } from '../common/emit-metric.ts';
import { log } from '../common/log.ts';
import { edgeDelivers } from '../delivery/accepts-key.ts';
import { checkHealth, type Health } from '../nodes/check-health.ts';
import { checkedNode, deletedNodeMilliseconds } from '../nodes/checked-node.ts';
import { invokeNodeOperation } from '../nodes/invoke-operation.ts';
import { cleanUpWhenIdle } from '../nodes/node-cleanup.ts';
import { emitNodeMetrics } from '../nodes/node-metrics.ts';
import { type Sample, writeSample } from '../nodes/steps/sample-file.ts';
import { failedEnd } from '../nodes/steps/work-end.ts';
import { countLeases } from '../table/jobs/lease-lists.ts';
import { findNodeCapacity } from '../table/nodes/node-capacity-table.ts';
import { countFailedNodes, dueNodes, readAgain, storeChecks } from '../table/nodes/node-checks.ts';
import { failNode, missNode } from '../table/nodes/node-health.ts';
import { listProxies } from '../table/nodes/node-lists.ts';
import { removeNode } from '../table/nodes/node-registry.ts';
import { type Node, silentMilliseconds, touchNode } from '../table/nodes/node-table.ts';
import { endWork, type NodeAtWork, scheduleCleanup } from '../table/nodes/node-work.ts';

const maxMisses = 3;

/** A running operation updates `aliveAt` every 10 s; an invocation that is not delivered within a minute never is. */
const deadWorkMilliseconds = 100_000;
const maxCleanupAttempts = 3;

/** The next run continues with the nodes that are left. */
const maxMilliseconds = 45_000;

/**
 * Every minute: checks the health of every proxy, and looks at the other nodes that have changed or whose workers are
 * silent. Retries or fails operations that died. Checks whether edge and proxies deliver. A failed check does not stop
 * others.
 */
export async function handler(): Promise<void> {
  const proxies = await listProxies();
  const [healths, registeredWorker] = await Promise.all([checkProxies(proxies), checkDue(), settled([checkEdge()])]);
  const known = registeredWorker ? [...proxies, registeredWorker] : proxies;
  const [failed, { workers }] = await Promise.all([countFailedNodes(), findNodeCapacity()]);
  emitNodeMetrics({ known, failed, workers }, healths);
}

async function checkEdge(): Promise<undefined> {
  const delivers = await edgeDelivers();
  if (delivers !== undefined) emitMetric('EdgeDelivers', Number(delivers));
}

/** With one new file for all active proxies, since a proxy would deliver an earlier one from its cache. */
async function checkProxies(proxies: readonly Node[]): Promise<Health[]> {
  const sample = proxies.some(({ status }) => status === 'active') ? await newSample() : undefined;
  const healths = await settled(proxies.map((node) => checkProxy(node, sample)));
  if (sample) await settled([removeSample(sample)]);
  return healths;
}

/** Undefined if it cannot be written: then nothing can be said about proxies. */
const newSample = (): Promise<Sample | undefined> =>
  writeSample('check').catch((error: unknown) => {
    log.error('the file for the check of proxies could not be written', { error: error as Error });
    return undefined;
  });

async function removeSample({ key }: Sample): Promise<undefined> {
  await deleteObject(key);
}

/** Looks at the nodes that are due. Returns one of them that is a registered worker, if there is any. */
async function checkDue(): Promise<Node | undefined> {
  const untilMilliseconds = now() + maxMilliseconds;
  let registered: Node | undefined;
  for await (const page of dueNodes()) {
    await settled(page.map(checkNode));
    const nodes = await readAgain(page);
    registered ??= nodes.find(isRegisteredWorker);
    await storeChecks(nodes.map(checkedNode));
    if (now() > untilMilliseconds) break;
  }
  return registered;
}

const isRegisteredWorker = ({ type, status }: Node): boolean =>
  type === 'worker' && status !== 'pending' && status !== 'deleting';

async function settled(checks: Promise<Health | undefined>[]): Promise<Health[]> {
  const ended = await Promise.allSettled(checks);
  for (const check of ended) {
    if (check.status === 'rejected') log.error('check failed', { error: check.reason as Error });
  }
  return ended.flatMap((check) => (check.status === 'fulfilled' && check.value) || []);
}

async function checkNode(node: Node): Promise<undefined> {
  if (node.deletedAt !== undefined) await removeDeleted(node);
  else if (isDead(node)) await retryOrFail(node);
  else if (node.work !== undefined) return;
  else if (node.status === 'draining' || node.status === 'deleting') await cleanUpWhenIdle(node);
  else if (node.type === 'worker') await checkWorker(node);
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
  const silent = timestamp(now() - silentMilliseconds);
  if (node.status !== 'active' || (node.lastSeenAt ?? '') > silent || (node.activeSince ?? '') > silent) return;
  await failNode(node, 'No worker of the node has called for 90 seconds.');
}

async function checkProxy(node: Node, sample: Sample | undefined): Promise<Health | undefined> {
  const isServing = node.status === 'active' || (node.status === 'failed' && node.verified);
  if (!isServing || node.work !== undefined) return undefined;
  const health = await checkHealth(node, node.status === 'active' ? sample?.path : undefined);
  const { responds, connections } = health;
  if (responds) await touchNode(node.ulid, now(), connections === undefined ? {} : { connections });
  else if (node.status === 'active' && node.misses + 1 < maxMisses) await missNode(node);
  else if (node.status === 'active') await failNode(node, 'The proxy did not answer three health checks in a row.');
  return health;
}

async function removeDeleted(node: Node): Promise<void> {
  // A node that is still counted is counted out first.
  if (node.counted || (node.deletedAt ?? '') > timestamp(now() - deletedNodeMilliseconds)) return;
  if ((await countLeases(node.ulid)) === 0) await removeNode(node.ulid);
}
