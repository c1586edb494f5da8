import type { InstanceRegistry } from './instance-registry.ts';
import type { Instance, Invocation } from './lambda-instance.ts';

export type PoolOptions = {
  /** Starts an instance. From `retireAtMs` on, in epoch milliseconds, it gets no more invocations. */
  start: () => { instance: Instance; retireAtMs: number };
  now: () => number;
  /** How many invocations share an instance. On AWS it is one. */
  callsPerInstance: number;
  maxInstances: number;
  /** Idle instances are stopped after this time. */
  idleSeconds: number;
  /**
   * The same while the number of all instances is over the limit, for functions that are not expected to be invoked
   * before `idleSeconds`: those whose invocations come after less or more time.
   */
  overLimitIdleSeconds: number;
  registry: InstanceRegistry;
  /**
   * How long an invocation waits before another instance is started, in milliseconds. It depends on the usual duration,
   * and on whether the newest instance is still in its first invocation.
   */
  scaleOutDelay: (typicalMs: number, isLoading: boolean) => number;
};

type PooledInstance = {
  instance: Instance;
  retireAtMs: number;
  calls: number;
  lastUsedMs: number;
  timer?: NodeJS.Timeout;
};

/** Weight of the latest invocation in the moving average of the durations. */
const smoothingFactor = 0.2;

/**
 * The instances of one function. Invocations wait in a queue when all instances are busy. Another instance, up to
 * `maxInstances`, is started only after a delay, because a new thread has to load and compile the function, which takes
 * more processor time than many invocations. Idle instances are stopped, down to none.
 */
export function createPool(options: PoolOptions) {
  const { callsPerInstance, maxInstances, idleSeconds, overLimitIdleSeconds, registry, scaleOutDelay } = options;
  const pool = new Set<PooledInstance>();
  const retired = new Set<PooledInstance>();
  let loading: PooledInstance | undefined;
  let startedAtMs = 0;
  let typicalMs = 0;
  let calls = 0;
  let idleSinceMs = Number.NEGATIVE_INFINITY;
  /** Whether the last invocation came between the two times after which idle instances are stopped. */
  let isRegular = false;
  const waiting: { sinceMs: number; resolve: (pooled: PooledInstance) => void }[] = [];
  let scaleOutTimer: NodeJS.Timeout | undefined;

  function take(): PooledInstance | Promise<PooledInstance> {
    const pooled = findAvailable() ?? (pool.size === 0 ? startPooled() : undefined);
    if (pooled) return assign(pooled);
    const { promise, resolve } = Promise.withResolvers<PooledInstance>();
    waiting.push({ sinceMs: performance.now(), resolve });
    scheduleScaleOut();
    return promise;
  }

  /** Prefers the busiest instance, then the one used last, so that the others become idle. */
  function findAvailable(): PooledInstance | undefined {
    let best: PooledInstance | undefined;
    for (const pooled of pool) {
      if (!pooled.instance.alive) pool.delete(pooled);
      else if (options.now() >= pooled.retireAtMs) retire(pooled);
      else if (pooled.calls < callsPerInstance && (!best || isPreferred(pooled, best))) best = pooled;
    }
    return best;
  }

  /** Stops an instance when its invocations have ended. */
  function retire(pooled: PooledInstance) {
    pool.delete(pooled);
    retired.add(pooled);
    clearTimeout(pooled.timer);
    if (pooled.calls > 0) return;
    retired.delete(pooled);
    registry.remove(pooled.instance);
    void pooled.instance.stop();
  }

  function scheduleScaleOut() {
    clearTimeout(scaleOutTimer);
    const [first] = waiting;
    if (!first || pool.size >= maxInstances) return;
    const dueMs = Math.max(first.sinceMs, startedAtMs) + scaleOutDelay(typicalMs, loading !== undefined);
    scaleOutTimer = setTimeout(() => assignWaiting(startPooled()), Math.max(0, dueMs - performance.now()));
  }

  /** Assigns waiting invocations to an instance until it is fully used. */
  function assignWaiting(pooled: PooledInstance) {
    while (waiting.length > 0 && pooled.calls < callsPerInstance) waiting.shift()!.resolve(assign(pooled));
    scheduleScaleOut();
  }

  function startPooled(): PooledInstance {
    const { instance, retireAtMs } = options.start();
    const pooled = { instance, retireAtMs, calls: 0, lastUsedMs: performance.now() };
    pool.add(pooled);
    registry.add(instance);
    startedAtMs = performance.now();
    loading = pooled;
    return pooled;
  }

  function assign(pooled: PooledInstance): PooledInstance {
    pooled.calls += 1;
    clearTimeout(pooled.timer);
    return pooled;
  }

  function release(pooled: PooledInstance) {
    pooled.calls -= 1;
    pooled.lastUsedMs = performance.now();
    if (!pooled.instance.alive) pool.delete(pooled);
    const isUsable = pool.has(pooled) && options.now() < pooled.retireAtMs;
    if (!isUsable && pooled.instance.alive) retire(pooled);
    if (waiting.length > 0) assignWaiting(isUsable ? pooled : (findAvailable() ?? startPooled()));
    if (isUsable && pooled.calls === 0) scheduleStop(pooled);
  }

  function scheduleStop(pooled: PooledInstance) {
    const stopIfIdle = () => {
      const idleMs = performance.now() - pooled.lastUsedMs;
      const isKept = idleMs < idleSeconds * 1000 && !registry.stopsEarlier(pooled.instance, isRegular);
      if (isKept) return scheduleStop(pooled);
      pool.delete(pooled);
      registry.remove(pooled.instance);
      void pooled.instance.stop();
    };
    pooled.timer = setTimeout(stopIfIdle, Math.min(overLimitIdleSeconds, idleSeconds) * 1000).unref();
  }

  return {
    /** Starts an instance when there is none. Without an invocation it is stopped like others that are idle. */
    prepare(): void {
      if (pool.size === 0) scheduleStop(startPooled());
    },
    async run(event: string): Promise<Invocation> {
      if (calls++ === 0) {
        const idleMs = performance.now() - idleSinceMs;
        isRegular = idleMs > overLimitIdleSeconds * 1000 && idleMs < idleSeconds * 1000;
      }
      const pooled = await take();
      const startMs = performance.now();
      try {
        return await pooled.instance.run(event);
      } finally {
        if (pooled === loading) loading = undefined;
        else typicalMs += smoothingFactor * (performance.now() - startMs - typicalMs);
        release(pooled);
        if (--calls === 0) idleSinceMs = performance.now();
      }
    },
    async close(): Promise<void> {
      clearTimeout(scaleOutTimer);
      for (const { timer } of pool) clearTimeout(timer);
      await Promise.all([...pool, ...retired].map(({ instance }) => instance.stop()));
    },
  };
}

const isPreferred = (a: PooledInstance, b: PooledInstance): boolean =>
  a.calls === b.calls ? a.lastUsedMs > b.lastUsedMs : a.calls > b.calls;
