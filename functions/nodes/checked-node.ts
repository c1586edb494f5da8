import { now, timestamp } from '../../shared/clock.ts';
import type { NodeCapacity } from '../table/nodes/node-capacity-table.ts';
import type { Checked } from '../table/nodes/node-checks.ts';
import { type Node, silentMilliseconds } from '../table/nodes/node-table.ts';

/** Longer than a lease: a call in progress when the node was deleted may still have received one. */
export const deletedNodeMilliseconds = 10 * 60_000;

/**
 * What a node adds to the capacity of all nodes, and when it has to be looked at again. A node with an operation is
 * looked at by each run, and so is one that is draining or being deleted.
 */
export function checkedNode(node: Node): Checked {
  const { status, work, deletedAt } = node;
  const counted = capacityOf(node);
  if (deletedAt !== undefined) return { node, counted, nextCheckAt: later(deletedAt, deletedNodeMilliseconds) };
  if (work || status === 'draining' || status === 'deleting') return { node, counted, nextCheckAt: timestamp() };
  if (node.type === 'proxy' || status !== 'active') return { node, counted, nextCheckAt: undefined };
  // A node whose workers have not called yet has the same time from its activation.
  const since = counted ? node.lastSeenAt : node.activeSince;
  return { node, counted, nextCheckAt: later(since ?? timestamp(), silentMilliseconds) };
}

const later = (at: string, milliseconds: number): string => timestamp(Date.parse(at) + milliseconds);

/**
 * Nothing unless the node is active and one of its workers has called lately. A worker of a node without a measured
 * speed counts as 1: a second of estimated work in a second.
 */
function capacityOf(node: Node): NodeCapacity | undefined {
  const { type, status, work, deletedAt, lastSeenAt, workers, speed = 1, memoryMib } = node;
  const isActive = type === 'worker' && status === 'active' && !work && deletedAt === undefined;
  if (!isActive || (lastSeenAt ?? '') <= timestamp(now() - silentMilliseconds)) return undefined;
  return { workers, capacity: workers * speed, ...(memoryMib !== undefined && { memoryMib }) };
}
