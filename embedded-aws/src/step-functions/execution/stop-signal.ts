/**
 * Stops waiting work once. In contrast to AbortSignal, adding and removing a listener stays fast with ten thousand
 * listeners.
 */
export type StopSignal = {
  readonly reason: Error | undefined;
  /** Calls the listener when stopped, at once if it is already. Returns a function that removes the listener. */
  onStop(listener: (reason: Error) => void): () => void;
  stop(reason: Error): void;
};

export function createStopSignal(): StopSignal {
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

/** Runs work with an inner signal that stops when the outer signal stops. */
export async function withLinkedStop<T>(outer: StopSignal, work: (inner: StopSignal) => Promise<T>): Promise<T> {
  const inner = createStopSignal();
  const release = outer.onStop((reason) => inner.stop(reason));
  try {
    return await work(inner);
  } finally {
    release();
  }
}

/**
 * Returns a promise that rejects when the signal stops. `begin` starts the wait and returns a clean-up function, which
 * is called exactly once. A later resolve or reject has no effect.
 */
export function waitFor<T>(
  stop: StopSignal,
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

/** Waits for a promise, but rejects when the signal stops. */
export function orStopped<T>(stop: StopSignal, promise: Promise<T>): Promise<T> {
  return waitFor(stop, (resolve, reject) => {
    promise.then(resolve, reject);
    return () => {};
  });
}
