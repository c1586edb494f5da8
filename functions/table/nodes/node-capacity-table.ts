import * as z from 'zod';
import { timestamp } from '../../../shared/clock.ts';
import { countedOfDue, nodesDueBy } from '../items/due-keys.ts';
import { duePages } from '../items/due-pages.ts';
import { getItem } from '../items/items.ts';
import { keys } from '../items/keys.ts';

export const capacityRecord = z.object({
  workers: z.number(),
  /** seconds of estimated work that the workers do in a second */
  capacity: z.number(),
});
export type NodeCapacity = z.infer<typeof capacityRecord>;

/**
 * What all live nodes can do. Each check of a node adds what has changed. Nodes that are due for a check do not count,
 * since their workers are silent or get no jobs any more, so that they are left out at once and not by the next check.
 */
export async function findNodeCapacity(): Promise<NodeCapacity> {
  const sum = (await getItem(capacityRecord, keys.nodeCapacity())) ?? { workers: 0, capacity: 0 };
  let { workers, capacity } = sum;
  for await (const page of duePages(['node'], nodesDueBy(timestamp()))) {
    for (const counted of page.map(countedOfDue)) {
      workers -= counted.workers;
      capacity -= counted.capacity;
    }
  }
  return { workers: Math.max(0, workers), capacity: Math.max(0, capacity) };
}
