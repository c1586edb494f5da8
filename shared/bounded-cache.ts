/** A map that forgets its oldest entries: what an instance of a function keeps between calls must not grow with all that it has seen. */
export function createBoundedCache<Value>(most: number) {
  const entries = new Map<string, Value>();
  return {
    get: (key: string): Value | undefined => entries.get(key),
    set(key: string, value: Value): void {
      entries.delete(key);
      entries.set(key, value);
      const oldest = entries.keys().next();
      if (entries.size > most && !oldest.done) entries.delete(oldest.value);
    },
  };
}
