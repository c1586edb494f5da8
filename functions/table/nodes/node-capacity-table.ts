import * as z from 'zod';
import { now } from '../../../shared/clock.ts';
import { getItem, write } from '../items/items.ts';
import { keys } from '../items/keys.ts';

const capacityRecord = z.object({
  workers: z.int(),
  /** seconds of estimated work that the workers do in a second */
  capacity: z.number(),
  atMilliseconds: z.number(),
});
export type NodeCapacity = Pick<z.infer<typeof capacityRecord>, 'workers' | 'capacity'>;

/** The check of the nodes, which runs every minute, has failed when the capacity is older. */
const validMilliseconds = 180_000;

/** What all live nodes can do, as of the last check of the nodes. */
export async function findNodeCapacity(): Promise<NodeCapacity> {
  const known = await getItem(capacityRecord, keys.nodeCapacity());
  const isValid = known !== undefined && now() - known.atMilliseconds < validMilliseconds;
  return isValid ? { workers: known.workers, capacity: known.capacity } : { workers: 0, capacity: 0 };
}

export async function storeNodeCapacity({ workers, capacity }: NodeCapacity): Promise<void> {
  await write({
    put: { ...keys.nodeCapacity(), kind: 'node-capacity', workers, capacity, atMilliseconds: now() },
  });
}
