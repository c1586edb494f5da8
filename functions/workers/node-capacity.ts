import { now, timestamp } from '../../shared/clock.ts';
import { countLeases } from '../table/jobs/job-leases.ts';
import { findNodeSpeeds, recordNodeSpeed } from '../table/nodes/node-speed.ts';
import { listNodes, type Node } from '../table/nodes/node-table.ts';

/**
 * A node is alive if a worker of it has called within this time. Busy workers call every ten seconds; not every call is
 * recorded.
 */
const aliveMilliseconds = 60_000;

const isAlive = ({ type, status, lastSeenAt }: Node): boolean =>
  type === 'worker' && status === 'active' && lastSeenAt !== null && lastSeenAt > timestamp(now() - aliveMilliseconds);

/** Each call of a pool worker needs the nodes; an instance of the function reads them this often. */
const cacheMilliseconds = 5_000;
let cached: { nodes: Node[]; atMilliseconds: number } | undefined;

async function liveNodes(): Promise<Node[]> {
  if (!cached || now() - cached.atMilliseconds >= cacheMilliseconds || now() < cached.atMilliseconds) {
    cached = { nodes: await listNodes(), atMilliseconds: now() };
  }
  return cached.nodes.filter(isAlive);
}

/** How many workers of live nodes have no job. */
export async function freeNodeSlots(): Promise<number> {
  const free = await Promise.all(
    (await liveNodes()).map(async ({ ulid, workers }) => Math.max(0, workers - (await countLeases(ulid)))),
  );
  return free.reduce((sum, slots) => sum + slots, 0);
}

/** How many workers the live nodes have. */
export const nodeWorkers = async (): Promise<number> =>
  (await liveNodes()).reduce((sum, { workers }) => sum + workers, 0);

/**
 * Seconds of estimated work that the workers of all live nodes do in a second. A node without a measured speed counts
 * as 1.
 */
export async function nodeCapacity(): Promise<number> {
  const nodes = await liveNodes();
  const speeds = await findNodeSpeeds(nodes.map(({ ulid }) => ulid));
  return nodes.reduce((sum, { ulid, workers }) => sum + workers * (speeds.get(ulid) ?? 1), 0);
}

/** An instance of the function records a node's speed this often. */
const recordMilliseconds = 60_000;
const recordedAt = new Map<string, number>();

/** Measures a node's speed by one of its jobs. The speed decides how many tasks are started beside the nodes. */
export async function measureSpeed(node: string, estimateSeconds: number, tookSeconds: number): Promise<void> {
  if (tookSeconds <= 0 || now() - (recordedAt.get(node) ?? 0) < recordMilliseconds) return;
  recordedAt.set(node, now());
  await recordNodeSpeed(node, estimateSeconds / tookSeconds);
}
