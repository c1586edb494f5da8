/** Uploads files in parallel while more are added. */
export type UploadQueue<Item> = {
  push: (item: Item) => void;
  /** resolves when all files are uploaded; throws the first error */
  drain: () => Promise<void>;
};

export function createUploadQueue<Item>(upload: (item: Item) => Promise<unknown>, parallel = 4): UploadQueue<Item> {
  const waiting: Item[] = [];
  const running = new Set<Promise<void>>();
  let failure: { error: unknown } | undefined;

  const start = (): void => {
    while (!failure && running.size < parallel && waiting.length > 0) {
      const task: Promise<void> = upload(waiting.shift()!)
        .then(() => undefined)
        .catch((error: unknown) => {
          failure ??= { error };
        })
        .finally(() => {
          running.delete(task);
          start();
        });
      running.add(task);
    }
  };
  return {
    push: (item) => {
      waiting.push(item);
      start();
    },
    drain: async () => {
      while (running.size > 0) await Promise.all(running);
      if (failure) throw failure.error;
    },
  };
}
