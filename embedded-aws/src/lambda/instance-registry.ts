import type { Instance } from './lambda-instance.ts';

/**
 * The number of instances of all functions above which idle ones are stopped earlier, except as many of those that are
 * invoked at regular intervals. An instance takes 25 MB. One less than there are functions that run each minute: one of
 * them starts each minute, which takes 0.2 % of a core.
 */
export const maxInstances = 4;
/** Longer than a minute: the instance of a function that runs each minute lives until the next event. */
export const defaultIdleSeconds = 75;
/**
 * Twice the time between two deliveries of an access log. The function that reads them would otherwise be stopped just
 * before the next one while a video is processed, and the steps of a video follow each other in less time too.
 */
export const defaultOverLimitIdleSeconds = 20;

/**
 * The instances of all functions. Over the limit, idle instances are stopped earlier. As many as the limit are kept of
 * those that are expected to be used again before the usual time.
 */
export function createInstanceRegistry() {
  const instances = new Set<Instance>();
  const kept = new Set<Instance>();
  const remove = (instance: Instance): void => {
    instances.delete(instance);
    kept.delete(instance);
  };
  return {
    add(instance: Instance): void {
      instances.add(instance);
      void instance.ended.then(() => remove(instance));
    },
    /** Removes an instance from the count, also before its thread has ended. */
    remove,
    /** Whether an idle instance is stopped earlier. If not, it may take one of the places of those that are kept. */
    stopsEarlier(instance: Instance, isExpected: boolean): boolean {
      if (instances.size <= maxInstances) return false;
      if (isExpected && kept.size < maxInstances) kept.add(instance);
      return !isExpected || !kept.has(instance);
    },
    get size(): number {
      return instances.size;
    },
  };
}

export type InstanceRegistry = ReturnType<typeof createInstanceRegistry>;
