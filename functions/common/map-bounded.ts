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
