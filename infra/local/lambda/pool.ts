import { type Instance, type InstanceOptions, type Invocation, startInstance } from './instance.ts';

export type PoolOptions = InstanceOptions & { largestSize: number; idleSeconds: number };

/**
 * The instances of one function. One more is started whenever an event finds none free, up to `largestSize`; further events wait in turn. All but
 * one are stopped after `idleSeconds` without work.
 */
export function createPool({ largestSize, idleSeconds, ...options }: PoolOptions) {
  const instances = new Set<Instance>();
  /** The one used last is taken first, so that the others become idle. */
  const free: { instance: Instance; timer: NodeJS.Timeout }[] = [];
  const waiting: ((instance: Instance) => void)[] = [];

  function take(): Instance | Promise<Instance> {
    for (let entry = free.pop(); entry; entry = free.pop()) {
      clearTimeout(entry.timer);
      if (entry.instance.alive) return entry.instance;
      instances.delete(entry.instance);
    }
    return instances.size < largestSize ? add() : new Promise((resolve) => waiting.push(resolve));
  }

  function add(): Instance {
    const instance = startInstance(options);
    instances.add(instance);
    return instance;
  }

  function giveBack(instance: Instance) {
    if (!instance.alive) instances.delete(instance);
    const next = waiting.shift();
    if (next) return next(instance.alive ? instance : add());
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
      try {
        return await instance.run(event);
      } finally {
        giveBack(instance);
      }
    },
    get size() {
      return instances.size;
    },
    async close(): Promise<void> {
      for (const { timer } of free) clearTimeout(timer);
      await Promise.all([...instances].map((instance) => instance.stop()));
    },
  };
}
