import type { Instance } from './lambda-instance.ts';

/** The instances of all functions. More than `most` may work at a time; when some of them are idle, they are stopped sooner. */
export function createInstanceRegistry(most: number) {
  const instances = new Set<Instance>();
  return {
    add(instance: Instance): void {
      instances.add(instance);
      void instance.ended.then(() => instances.delete(instance));
    },
    /** Counts an instance no more, before its thread has ended. */
    remove: (instance: Instance) => void instances.delete(instance),
    get isOverLimit(): boolean {
      return instances.size > most;
    },
    get size(): number {
      return instances.size;
    },
  };
}

export type InstanceRegistry = ReturnType<typeof createInstanceRegistry>;
