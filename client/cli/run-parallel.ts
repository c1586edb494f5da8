/**
 * Runs a task for each item, at most `limit` at the same time. After an error no further task begins, and the signal of
 * the tasks is aborted; it is also aborted by `signal`.
 * @returns the results in the order of the items, when all tasks have ended
 * @throws the first error, when all tasks have ended
 */
export async function runParallel<Item, Result>(
  items: readonly Item[],
  { limit, signal }: { limit: number; signal: AbortSignal },
  task: (item: Item, signal: AbortSignal) => Promise<Result>,
): Promise<Result[]> {
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  const left = [...items.entries()];
  const results: Result[] = [];
  const work = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined && !stop.signal.aborted; next = left.shift()) {
      const [index, item] = next;
      results[index] = await task(item, either);
    }
  };
  const workers = Array.from({ length: Math.min(limit, items.length) }, () =>
    work().catch((error: unknown) => stop.abort(error)),
  );
  await Promise.all(workers);
  stop.signal.throwIfAborted();
  return results;
}
