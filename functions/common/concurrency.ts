import { log } from './log.ts';

/** The results of an action for each item, in the order of the items. At most `concurrency` actions run at a time. */
export async function mapBounded<Item, Result>(
  items: readonly Item[],
  action: (item: Item) => Promise<Result>,
  concurrency: number,
): Promise<Result[]> {
  const results: Result[] = [];
  const remaining = items.entries();
  const worker = async (): Promise<void> => {
    for (const [index, item] of remaining) results[index] = await action(item);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return results;
}

/**
 * Runs an action for each item, `concurrency` at a time. A failure does not stop the others.
 * @throws AggregateError at the end, if any of them failed
 */
export async function forEachSettled<Item>(
  items: Iterable<Item>,
  action: (item: Item) => Promise<unknown>,
  concurrency = 1,
): Promise<void> {
  const failures: unknown[] = [];
  const remaining = items[Symbol.iterator]();
  const worker = async (): Promise<void> => {
    for (let next = remaining.next(); !next.done; next = remaining.next()) {
      await action(next.value).catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  for (const error of failures) log.error('an item failed', { error: error as Error });
  throwAggregate(failures);
}

/** @throws AggregateError if there are failures: the invocation fails, and its next run tries them again */
export function throwAggregate(failures: readonly unknown[]): void {
  if (failures.length > 0) throw new AggregateError(failures, 'Some items failed. The next run tries them again.');
}
