import { type Instance, type InstanceOptions, type Invocation, startInstance } from './instance.ts';

export type PoolOptions = InstanceOptions & {
  largestSize: number;
  idleSeconds: number;
  /** Milliseconds that an event waits for an instance, by what events usually take, and while the one started last has not ended its first. */
  patience: (typicalMs: number, isLoading: boolean) => number;
};

/** Part of what events usually take that the last one makes. */
const newsShare = 0.2;

/**
 * The instances of one function. Events that find none free wait in turn. One more is started, up to `largestSize`, when an event has waited for
 * longer than `patience` says, one at a time: a thread has to load and compile the function anew, which takes the processor longer than many an event.
 * All but one are stopped after `idleSeconds` without work.
 */
export function createPool({ largestSize, idleSeconds, patience, ...options }: PoolOptions) {
  const instances = new Set<Instance>();
  let loading: Instance | undefined;
  let startedAtMs = 0;
  let typicalMs = 0;
  /** The one used last is taken first, so that the others become idle. */
  const free: { instance: Instance; timer: NodeJS.Timeout }[] = [];
  const waiting: { sinceMs: number; give: (instance: Instance) => void }[] = [];
  let growing: NodeJS.Timeout | undefined;

  function take(): Instance | Promise<Instance> {
    for (let entry = free.pop(); entry; entry = free.pop()) {
      clearTimeout(entry.timer);
      if (entry.instance.alive) return entry.instance;
      instances.delete(entry.instance);
    }
    if (instances.size === 0) return add();
    const { promise, resolve } = Promise.withResolvers<Instance>();
    waiting.push({ sinceMs: performance.now(), give: resolve });
    growInTime();
    return promise;
  }

  function growInTime() {
    clearTimeout(growing);
    const [first] = waiting;
    if (!first || instances.size >= largestSize) return;
    const dueMs = Math.max(first.sinceMs, startedAtMs) + patience(typicalMs, loading !== undefined);
    growing = setTimeout(() => serve(add()), Math.max(0, dueMs - performance.now()));
  }

  function serve(instance: Instance) {
    waiting.shift()?.give(instance);
    growInTime();
  }

  function add(): Instance {
    const instance = startInstance(options);
    instances.add(instance);
    startedAtMs = performance.now();
    loading = instance;
    return instance;
  }

  function giveBack(instance: Instance) {
    if (!instance.alive) instances.delete(instance);
    if (waiting.length > 0) return serve(instance.alive ? instance : add());
    if (instance.alive) free.push({ instance, timer: setTimeout(shrink, idleSeconds * 1000, instance).unref() });
  }

  function shrink(instance: Instance) {
    if (instances.size === 1) return;
    free.splice(
      free.findIndex((entry) => entry.instance === instance),
      1,
    );
    instances.delete(instance);
    void instance.stop();
  }

  return {
    async run(event: string): Promise<Invocation> {
      const instance = await take();
      const startMs = performance.now();
      try {
        return await instance.run(event);
      } finally {
        if (instance === loading) loading = undefined;
        else typicalMs += newsShare * (performance.now() - startMs - typicalMs);
        giveBack(instance);
      }
    },
    get size() {
      return instances.size;
    },
    async close(): Promise<void> {
      clearTimeout(growing);
      for (const { timer } of free) clearTimeout(timer);
      await Promise.all([...instances].map((instance) => instance.stop()));
    },
  };
}
