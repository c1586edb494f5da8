type NodeProperties = { type: 'worker' | 'proxy'; hostname: string | null; cdnMode: boolean; workers: number };

/** What is wrong with a node as a whole, by field of the interface, though each field may be well by itself. */
export function nodeFieldErrors({ type, hostname, cdnMode, workers }: NodeProperties): Record<string, string[]> {
  const faults = {
    hostname: type === 'proxy' && hostname === null && 'The hostname field is required for a proxy.',
    workers: type === 'proxy' && workers !== 1 && 'The workers field must be 1 for a proxy.',
    cdn_mode: type === 'worker' && cdnMode && 'The cdn mode field must be false for a worker.',
  };
  return Object.fromEntries(Object.entries(faults).flatMap(([field, fault]) => (fault ? [[field, [fault]]] : [])));
}
