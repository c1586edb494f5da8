/**
 * A switch that ends waiting work, once. Unlike AbortSignal, adding and removing a listener costs the same with ten
 * thousand others present.
 */
export type Stop = {
  readonly reason: Error | undefined;
  /** Calls the listener when stopped (at once if it was). Returns how to forget it. */
  onStop(listener: (reason: Error) => void): () => void;
  stop(reason: Error): void;
};

export function openStop(): Stop {
  const listeners = new Set<(reason: Error) => void>();
  let stopped: Error | undefined;
  return {
    get reason() {
      return stopped;
    },
    onStop(listener) {
      if (stopped) {
        listener(stopped);
        return () => {};
      }
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    stop(reason) {
      if (stopped) return;
      stopped = reason;
      for (const listener of [...listeners]) listener(reason);
      listeners.clear();
    },
  };
}

/** Runs work under a switch of its own, which the outer one turns too. */
export async function withInnerStop<T>(outer: Stop, work: (inner: Stop) => Promise<T>): Promise<T> {
  const inner = openStop();
  const release = outer.onStop((reason) => inner.stop(reason));
  try {
    return await work(inner);
  } finally {
    release();
  }
}

/**
 * A promise that the stop rejects. `begin` starts the wait and returns its clean-up, which runs exactly once however the
 * wait ends; what resolves or rejects later is ignored.
 */
export function waitFor<T>(
  stop: Stop,
  begin: (resolve: (value: T) => void, reject: (reason: unknown) => void) => () => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    let cleanUp: (() => void) | undefined;
    let forget: (() => void) | undefined;
    let settled = false;
    const settle = (conclude: () => void) => {
      if (settled) return;
      settled = true;
      forget?.();
      cleanUp?.();
      conclude();
    };
    forget = stop.onStop((reason) => settle(() => reject(reason)));
    if (settled) return;
    cleanUp = begin(
      (value) => settle(() => resolve(value)),
      (reason) => settle(() => reject(reason)),
    );
    if (settled) cleanUp();
  });
}

/** The promise's result, or the stop's reason if that comes first. */
export function unlessStopped<T>(stop: Stop, promise: Promise<T>): Promise<T> {
  return waitFor(stop, (resolve, reject) => {
    promise.then(resolve, reject);
    return () => {};
  });
}
