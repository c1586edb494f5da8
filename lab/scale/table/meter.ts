import { type CapacityUse, ServiceError } from 'embedded-aws/testing';

/** The use of one partition key by an operation. */
export type KeyUse = { name: string; reads: number; writes: number };
export type Counted = { requests: number; readUnits: number; writeUnits: number; keys: KeyUse[] };

/** Adds up the requests and capacity units since its last start, by partition key of the table and of each index. */
export function createMeter() {
  let keys = new Map<string, KeyUse>();
  let calls = 0;
  let maxCalls = Number.POSITIVE_INFINITY;

  return {
    start(limit = Number.POSITIVE_INFINITY): void {
      keys = new Map();
      calls = 0;
      maxCalls = limit;
    },
    add(_operation: string, uses: readonly CapacityUse[]): void {
      calls += 1;
      // Clients do not repeat a request with this error.
      if (calls > maxCalls) throw new ServiceError('com.amazon.coral.validate#ValidationException', 'stopped');
      for (const { kind, index, partition, units } of uses) {
        const name = `${index ?? 'table'} ${partition}`;
        const use = keys.get(name) ?? { name, reads: 0, writes: 0 };
        keys.set(name, use);
        use[kind === 'read' ? 'reads' : 'writes'] += units;
      }
    },
    isStopped: (): boolean => calls > maxCalls,
    counted(): Counted {
      const used = [...keys.values()];
      const sum = (kind: 'reads' | 'writes') => used.reduce((total, use) => total + use[kind], 0);
      return { requests: calls, readUnits: sum('reads'), writeUnits: sum('writes'), keys: used };
    },
  };
}

export type Meter = ReturnType<typeof createMeter>;
