type Entries<Entry> = Iterable<Entry> | AsyncIterable<Entry>;

/** Calls `act` for the entries, for at most `parallel` of them at a time. The first failure stops the others. */
export async function eachInParallel<Entry>(
  entries: Entries<Entry>,
  parallel: number,
  act: (entry: Entry) => Promise<void>,
): Promise<void> {
  const iterator = toAsync(entries);
  let hasFailed = false;
  const work = async (): Promise<void> => {
    while (!hasFailed) {
      const next = await iterator.next();
      if (next.done || hasFailed) return;
      await act(next.value);
    }
  };
  const stopping = (): Promise<void> =>
    work().catch((error) => {
      hasFailed = true;
      throw error;
    });
  const results = await Promise.allSettled(Array.from({ length: parallel }, stopping));
  const failure = results.find((result) => result.status === 'rejected');
  if (failure) throw failure.reason;
}

async function* toAsync<Entry>(entries: Entries<Entry>): AsyncGenerator<Entry> {
  yield* entries;
}
