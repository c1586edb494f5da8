import { log } from './log.ts';

type Act<Item> = (item: Item) => Promise<unknown>;

/**
 * Does something with one after the other, or with some at a time, whatever becomes of those before it: what cannot be done now holds up nothing else.
 * @throws AggregateError at the end, when something was not done
 */
export async function eachApart<Item>(items: Iterable<Item>, act: Act<Item>, atOnce = 1): Promise<void> {
  const failures: unknown[] = [];
  const left = items[Symbol.iterator]();
  const work = async (): Promise<void> => {
    for (let next = left.next(); !next.done; next = left.next()) {
      await act(next.value).catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  tellOf(failures);
}

/** The same with all at once. */
export async function allApart<Item>(items: readonly Item[], act: Act<Item>): Promise<void> {
  const ended = await Promise.allSettled(items.map(act));
  tellOf(ended.flatMap((one) => (one.status === 'rejected' ? [one.reason] : [])));
}

function tellOf(failures: unknown[]): void {
  for (const error of failures) log.error('something could not be done', { error: error as Error });
  if (failures.length > 0) throw new AggregateError(failures, 'Not all could be done; the next turn tries again.');
}
