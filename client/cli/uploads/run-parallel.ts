/** Runs a task for each item, at most `limit` at the same time. After an error no further task begins. */
export async function runParallel<Item>(
  items: readonly Item[],
  limit: number,
  task: (item: Item) => Promise<void>,
): Promise<void> {
  const left = [...items];
  const work = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await task(item);
  };
  const stopOnError = (error: unknown): never => {
    left.length = 0;
    throw error;
  };
  const ended = await Promise.allSettled(
    Array.from({ length: Math.min(limit, items.length) }, () => work().catch(stopOnError)),
  );
  const failed = ended.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
}
