import * as z from 'zod';
import { now, nowSeconds, timestamp } from '../../../shared/clock.ts';
import { createBoundedCache } from '../../common/bounded-cache.ts';
import { type DueKind, due } from '../items/due-keys.ts';
import { duePages, firstDue } from '../items/due-pages.ts';
import { getItems, type Item, write } from '../items/items.ts';
import { keys } from '../items/keys.ts';
import { earlyWorkerName } from './early-worker-token.ts';
import { poolNode } from './pool-node.ts';

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
const freeMilliseconds = 90_000;
const liveMilliseconds = 150_000;

const recorded = createBoundedCache<{ kind: DueKind; atMilliseconds: number } | undefined>(1000);
const calledAt = createBoundedCache<number>(1000);

const isWithin = (milliseconds: number, since = 0): boolean => Math.abs(now() - since) < milliseconds;

/**
 * Records that a worker without a job has called. The table deletes the record of a worker that has stopped.
 * @param takesMore whether it takes the next job
 */
export async function recordIdleWorker(node: string, worker: string, takesMore = true): Promise<void> {
  const name = `${node} ${worker}`;
  const isFrequent = isWithin(readyMilliseconds, calledAt.get(name));
  calledAt.set(name, now());
  const kind = idleKind(node, worker, takesMore);
  const last = recorded.get(name);
  // The workers of a node that becomes active or is drained take other jobs from then on.
  if (!isFrequent && last?.kind === kind && isWithin(recordMilliseconds, last.atMilliseconds)) return;
  recorded.set(name, { kind, atMilliseconds: now() });
  const lastCallAt = timestamp();
  const expiresAt = nowSeconds() + (2 * liveMilliseconds) / 1000;
  const position = due(kind, name, lastCallAt);
  const item: Item = { ...keys.worker(node, worker), kind: 'worker', node, worker, lastCallAt, expiresAt, ...position };
  await write({ put: item });
}

/** An early worker takes urgent jobs of any video only. */
function idleKind(node: string, worker: string, takesMore: boolean): DueKind {
  if (!takesMore || worker.startsWith(earlyWorkerName(''))) return 'idle-other';
  return node === poolNode ? 'idle-pool' : 'idle-node';
}

/** Removes the record of a worker that has got a job, or leaves. */
export async function forgetIdleWorker(node: string, worker: string): Promise<void> {
  const name = `${node} ${worker}`;
  calledAt.set(name, 0);
  recorded.set(name, undefined);
  await write({ delete: keys.worker(node, worker) });
}

/** How many workers of nodes have no job and take the next one. Counting stops at `limit`. */
export async function countFreeNodeWorkers(limit: number): Promise<number> {
  return (await firstDue('idle-node', limit, { from: timestamp(now() - freeMilliseconds) })).length;
}

/** Whether a worker without a job has called within `readyMilliseconds` and takes any job. */
export async function isWorkerReady(): Promise<boolean> {
  const range = { from: timestamp(now() - readyMilliseconds + 1), latestFirst: true };
  const found = await Promise.all((['idle-pool', 'idle-node'] as const).map((kind) => firstDue(kind, 5, range)));
  // The index lags behind the records: a worker may have got a job.
  return (await getItems(found.flat())).length > 0;
}

/** Idle workers of all nodes that have called within the last minutes. */
export async function listIdleWorkers(): Promise<WorkerPresence[]> {
  const known: WorkerPresence[] = [];
  for await (const page of duePages(['idle-pool', 'idle-node', 'idle-other'], '9999')) {
    known.push(...(await getItems(page)).map((item) => presenceRecord.parse(item)));
  }
  return known.filter(({ lastCallAt }) => lastCallAt > timestamp(now() - liveMilliseconds));
}
