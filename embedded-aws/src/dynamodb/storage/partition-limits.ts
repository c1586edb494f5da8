import { ServiceError } from '../../control/json-protocol.ts';
import type { CapacityUse } from './capacity-units.ts';
import type { DynamoChaos } from './dynamo-chaos.ts';

export const THROTTLED = 'com.amazonaws.dynamodb.v20120810#ThrottlingException';

type Kind = CapacityUse['kind'];
type Use = { kind: Kind; second: number; units: number; peak: number; throttled: number };

export type PartitionLimits = ReturnType<typeof createPartitionLimits>;

/**
 * Counts the units that each partition key of tables and indexes uses in a second, and throttles what exceeds the
 * limits.
 */
export function createPartitionLimits(chaos: DynamoChaos, nowMs: () => number) {
  const uses = new Map<string, Use>();
  const limits = { read: chaos.readUnitsPerSecond, write: chaos.writeUnitsPerSecond };

  function consumeOne({ kind, table, index, partition, units }: CapacityUse): void {
    const name = `${index ?? table} ${partition} (${kind})`;
    const second = Math.floor(nowMs() / 1000);
    const use = uses.get(name) ?? { kind, second, units: 0, peak: 0, throttled: 0 };
    uses.set(name, use);
    if (use.second !== second) Object.assign(use, { second, units: 0 });
    if (use.units >= limits[kind]) {
      use.throttled += 1;
      throw new ServiceError(
        THROTTLED,
        `Throughput exceeds the limit of the partition key: ${limits[kind]} ${kind} units a second`,
      );
    }
    use.units += units;
    use.peak = Math.max(use.peak, use.units);
  }

  return {
    /** @throws ThrottlingException when a partition key has used its units of this second */
    consume: (consumed: readonly CapacityUse[]): void => consumed.forEach(consumeOne),
    /** The hottest partition keys: those that were throttled, or came to a tenth of a limit. */
    report: (): string[] =>
      [...uses]
        .filter(([, { kind, peak }]) => peak >= limits[kind] / 10)
        .toSorted(([, one], [, other]) => other.throttled - one.throttled || other.peak - one.peak)
        .slice(0, 5)
        .map(([name, { peak, throttled }]) => `${name}: ${peak} units a second, ${throttled} requests throttled`),
  };
}
