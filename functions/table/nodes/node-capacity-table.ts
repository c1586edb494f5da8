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
  /** of each container; absent when it is not known */
  memoryMib: z.number().optional(),
});
/** What a node adds to the capacity of all nodes. */
export type NodeCapacity = z.infer<typeof capacityRecord>;

/** What all nodes can do. */
export type AllCapacity = {
  workers: number;
  capacity: number;
  /** the part of the capacity that has so much memory, by MiB in steps of `memoryStepMib` */
  byMemory: ReadonlyMap<number, number>;
};

/** What jobs need is a multiple of it, so that nothing is lost when the memory of containers is rounded down to one. */
export const memoryStepMib = 100;
/** No job needs more. With this, the record of the sums has a limited size. */
const mostMib = 16_000;

/** Names of the sums by memory. Containers of an unknown size are in the sum of all only. */
const memoryPrefix = 'capacity_';

/** The sums that a node is part of. */
function partsOf({ workers, capacity, memoryMib }: NodeCapacity): Record<string, number> {
  if (memoryMib === undefined) return { workers, capacity };
  const stepMib = Math.floor(Math.min(memoryMib, mostMib) / memoryStepMib) * memoryStepMib;
  return { workers, capacity, [`${memoryPrefix}${stepMib}`]: capacity };
}

/** How the sums change when nodes are counted as those of `added` and no more as those of `removed`. */
export function changedSums(added: readonly NodeCapacity[], removed: readonly NodeCapacity[]): Record<string, number> {
  const sums: Record<string, number> = {};
  const add = (parts: Record<string, number>, sign: number): void => {
    for (const [name, amount] of Object.entries(parts)) sums[name] = (sums[name] ?? 0) + sign * amount;
  };
  for (const each of added) add(partsOf(each), 1);
  for (const each of removed) add(partsOf(each), -1);
  return sums;
}

/**
 * What all live nodes can do. Each check of a node adds what has changed. Nodes that are due for a check do not count,
 * since their workers are silent or get no jobs any more, so that they are left out at once and not by the next check.
 */
export async function findNodeCapacity(): Promise<AllCapacity> {
  const stored = (await getItem(z.looseObject({}), keys.nodeCapacity())) ?? {};
  const due: NodeCapacity[] = [];
  for await (const page of duePages(['node'], nodesDueBy(timestamp()))) due.push(...page.map(countedOfDue));
  const removed = changedSums([], due);
  const sumOf = (name: string): number => Math.max(0, Number(stored[name] ?? 0) + (removed[name] ?? 0));
  const ofMemory = Object.keys(stored).filter((name) => name.startsWith(memoryPrefix));
  const byMemory = new Map(ofMemory.map((name) => [Number(name.slice(memoryPrefix.length)), sumOf(name)]));
  return { workers: sumOf('workers'), capacity: sumOf('capacity'), byMemory };
}

/** The capacity of the nodes that hold jobs of so much memory. */
export function capacityFor({ capacity, byMemory }: AllCapacity, memoryMib = 0): number {
  const tooSmall = [...byMemory].filter(([mib]) => mib < memoryMib).map(([, sum]) => sum);
  return Math.max(0, capacity - tooSmall.reduce((sum, each) => sum + each, 0));
}
