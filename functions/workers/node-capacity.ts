import { now, timestamp } from '../../shared/clock.ts';
import type { NodeCapacity } from '../table/nodes/node-capacity-table.ts';
import { findNodeSpeeds, recordNodeSpeed } from '../table/nodes/node-speed.ts';
import type { Node } from '../table/nodes/node-table.ts';
import { countFreeNodeWorkers } from '../table/nodes/worker-presence.ts';

/**
 * A node is alive if a worker of it has called within this time. Busy workers call every ten seconds; not every call is
 * recorded.
 */
const aliveMilliseconds = 60_000;

const isAlive = ({ type, status, lastSeenAt }: Node): boolean =>
  type === 'worker' && status === 'active' && lastSeenAt !== null && lastSeenAt > timestamp(now() - aliveMilliseconds);

/** Counting stops here. With more free workers of nodes, the pool leaves no more jobs to them than this. */
const maxFreeSlots = 100;
/** Each call of a pool worker needs the number; an instance of the function reads it this often. */
const cacheMilliseconds = 1_000;
let cached: { slots: number; atMilliseconds: number } | undefined;

/** How many workers of nodes have no job and have called lately, at most 100. */
export async function freeNodeSlots(): Promise<number> {
  if (!cached || Math.abs(now() - cached.atMilliseconds) >= cacheMilliseconds) {
    cached = { slots: await countFreeNodeWorkers(maxFreeSlots), atMilliseconds: now() };
  }
  return cached.slots;
}

/**
 * How many workers the live nodes have, and how many seconds of estimated work they do in a second. A worker of a node
 * without a measured speed counts as 1.
 */
export async function measureCapacity(nodes: readonly Node[]): Promise<NodeCapacity> {
  const alive = nodes.filter(isAlive);
  const speeds = await findNodeSpeeds(alive.map(({ ulid }) => ulid));
  return {
    workers: alive.reduce((sum, { workers }) => sum + workers, 0),
    capacity: alive.reduce((sum, { ulid, workers }) => sum + workers * (speeds.get(ulid) ?? 1), 0),
  };
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
