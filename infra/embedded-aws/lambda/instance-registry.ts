import type { Instance } from './lambda-instance.ts';

/** The instances of all functions. Over the limit, idle instances are stopped earlier. */
export function createInstanceRegistry(maxInstances: number) {
  const instances = new Set<Instance>();
  return {
    add(instance: Instance): void {
      instances.add(instance);
      void instance.ended.then(() => instances.delete(instance));
    },
    /** Removes an instance from the count before its thread has ended. */
    remove: (instance: Instance) => void instances.delete(instance),
    get isOverLimit(): boolean {
      return instances.size > maxInstances;
    },
    get size(): number {
      return instances.size;
    },
  };
}

export type InstanceRegistry = ReturnType<typeof createInstanceRegistry>;
