/** Uploads files in parallel while more are added. */
export type UploadQueue = {
  push: (file: string) => void;
  /** resolves when all files are uploaded; throws the first error */
  drain: () => Promise<void>;
};

export function createUploadQueue(upload: (file: string) => Promise<unknown>, parallel = 4): UploadQueue {
  const waiting: string[] = [];
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
    push: (file) => {
      waiting.push(file);
      start();
    },
    drain: async () => {
      while (running.size > 0) await Promise.all(running);
      if (failure) throw failure.error;
    },
  };
}
