import * as z from 'zod';
import { now, nowSeconds, timestamp } from '../../../shared/clock.ts';
import { createBoundedCache } from '../../common/bounded-cache.ts';
import { type Item, queryItems, write } from '../items/items.ts';
import { keys } from '../items/keys.ts';

const presenceRecord = z.object({ node: z.string(), worker: z.string(), lastCallAt: z.string() });
export type WorkerPresence = z.infer<typeof presenceRecord>;

/** Each instance of the function records an idle worker this often. The leases of busy workers show their calls. */
const recordMilliseconds = 60_000;
/**
 * A worker without a job calls after a second, and then less and less often. Calls after this time are all recorded,
 * since such a worker takes the next job soon: no other has to be started for it.
 */
export const readyMilliseconds = 2_000;
/** A worker without a job calls every 20 s at most, and its calls are recorded once a minute. */
export const liveMilliseconds = 150_000;

const recordedAt = createBoundedCache<number>(1000);
const calledAt = createBoundedCache<number>(1000);

const isWithin = (milliseconds: number, since = 0): boolean => Math.abs(now() - since) < milliseconds;

/** Records that a worker without a job has called. The table deletes the record of a worker that has stopped. */
export async function recordIdleWorker(node: string, worker: string): Promise<void> {
  const name = `${node} ${worker}`;
  const isFrequent = isWithin(readyMilliseconds, calledAt.get(name));
  calledAt.set(name, now());
  if (!isFrequent && isWithin(recordMilliseconds, recordedAt.get(name))) return;
  recordedAt.set(name, now());
  const expiresAt = nowSeconds() + (2 * liveMilliseconds) / 1000;
  const item: Item = { ...keys.worker(node, worker), kind: 'worker', node, worker, lastCallAt: timestamp(), expiresAt };
  await write({ put: item });
}

/** Idle workers of all nodes that have called within `liveMilliseconds`, in order of node and name. */
export async function listIdleWorkers(): Promise<WorkerPresence[]> {
  const known = (await queryItems(keys.workers())).map((item) => presenceRecord.parse(item));
  return known.filter(({ lastCallAt }) => lastCallAt > timestamp(now() - liveMilliseconds));
}
