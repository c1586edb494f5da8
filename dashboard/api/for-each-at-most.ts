/** Calls `act` for every item, for at most `maxConcurrent` at a time. `act` must not throw. */
export async function forEachAtMost<Item>(
  maxConcurrent: number,
  items: readonly Item[],
  act: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = [...items];
  const next = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await act(item);
  };
  await Promise.all(Array.from({ length: maxConcurrent }, next));
}
