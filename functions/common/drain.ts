import { now } from '../../shared/clock.ts';
import { throwAggregate } from './concurrency.ts';
import { log } from './log.ts';

export type DrainLimits = {
  /** no action begins after this time, in milliseconds since 1970 */
  untilMilliseconds: number;
  concurrency: number;
  maxItems?: number;
};

/** Failures that are kept. A backlog may fail as a whole. */
const keptFailures = 10;

/**
 * Runs an action for each item of some pages until a limit is reached. The next run continues. Pages are read one at a
 * time, so that memory does not grow with a backlog. A failure does not stop the others.
 * @returns how many actions have succeeded
 * @throws AggregateError at the end, if any of them failed
 */
export async function drain<Item>(
  pages: AsyncIterable<readonly Item[]>,
  action: (item: Item) => Promise<unknown>,
  { untilMilliseconds, concurrency, maxItems = Number.POSITIVE_INFINITY }: DrainLimits,
): Promise<number> {
  const failures: unknown[] = [];
  let [begun, failed] = [0, 0];
  const mayBegin = (): boolean => begun < maxItems && now() < untilMilliseconds;
  for await (const page of pages) {
    const remaining = page.values();
    const worker = async (): Promise<void> => {
      while (mayBegin()) {
        const next = remaining.next();
        if (next.done) return;
        begun++;
        await action(next.value).catch((error: unknown) => {
          failed++;
          if (failures.length < keptFailures) failures.push(error);
        });
      }
    };
    await Promise.all(Array.from({ length: concurrency }, worker));
    if (!mayBegin()) break;
  }
  for (const error of failures) log.error('an item failed', { error: error as Error });
  throwAggregate(failures);
  return begun - failed;
}
