import { timestamp } from '../../../shared/clock.ts';
import { tryWrite } from '../items/conditional.ts';
import { nodeDue } from '../items/due-keys.ts';
import { keys } from '../items/keys.ts';
import { findNode, type Node } from './node-table.ts';

/** The share of a new measurement in a node's speed. */
const newShare = 0.3;
/** A smaller difference does not change how many tasks are started. */
const countedShare = 0.1;

/**
 * Mixes a new measurement into the speed of a node: the seconds of estimated work that one worker does in a second. The
 * next check counts it if it differs much from what is counted.
 */
export async function recordNodeSpeed(ulid: string, measured: number): Promise<void> {
  const node = await findNode(ulid);
  if (!node) return;
  const speed = node.speed === undefined ? measured : node.speed * (1 - newShare) + measured * newShare;
  await tryWrite({
    update: keys.node(ulid),
    // Until the check, the former speed counts.
    set: { speed, ...(differs(node, speed) && nodeDue(ulid, timestamp())) },
    when: { equals: { revision: node.revision } },
  });
}

function differs({ workers, counted }: Node, speed: number): boolean {
  if (counted === undefined) return false;
  return Math.abs(workers * speed - counted.capacity) > countedShare * counted.capacity;
}
