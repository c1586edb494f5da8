/**
 * A map that keeps the `maxEntries` keys that were set last. What a warm Lambda instance keeps between calls must not
 * grow with the number of users and videos.
 */
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
