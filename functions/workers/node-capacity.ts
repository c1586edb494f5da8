import { now } from '../../shared/clock.ts';
import { type AllCapacity, findNodeCapacity } from '../table/nodes/node-capacity-table.ts';
import { recordNodeSpeed } from '../table/nodes/node-speed.ts';
import { countFreeNodeWorkers } from '../table/nodes/worker-presence.ts';

/** Counting stops here. With more free workers of nodes, the pool leaves no more jobs to them than this. */
const maxFreeSlots = 100;
/** Each call of a pool worker needs the number; an instance of the function reads it this often. */
const cacheMilliseconds = 1_000;
let cached: { free: FreeNodes; atMilliseconds: number } | undefined;

type FreeNodes = {
  /** how many workers of nodes have no job and have called lately, at most 100 */
  slots: number;
  /** of all nodes; undefined without free workers */
  capacity: AllCapacity | undefined;
};

export async function freeNodes(): Promise<FreeNodes> {
  if (!cached || Math.abs(now() - cached.atMilliseconds) >= cacheMilliseconds) {
    const slots = await countFreeNodeWorkers(maxFreeSlots);
    const capacity = slots > 0 ? await findNodeCapacity() : undefined;
    cached = { free: { slots, capacity }, atMilliseconds: now() };
  }
  return cached.free;
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
