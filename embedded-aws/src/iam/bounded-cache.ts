/** A map that removes its oldest entry when it holds more than `maxEntries`. */
export function createBoundedCache<Value>(maxEntries: number) {
  const entries = new Map<string, Value>();
  return {
    get: (key: string): Value | undefined => entries.get(key),
    set(key: string, value: Value): void {
      entries.delete(key);
      entries.set(key, value);
      const oldest = entries.keys().next();
      if (entries.size > maxEntries && !oldest.done) entries.delete(oldest.value);
    },
  };
}
