import * as z from 'zod';
import { now } from '../../shared/clock.ts';
import { throwAggregate } from '../common/concurrency.ts';
import type { DrainLimits } from '../common/drain.ts';
import { emitMetric } from '../common/emit-metric.ts';
import { log } from '../common/log.ts';
import { reconcileCaptions } from '../reconcile/reconcile-captions.ts';
import { reconcileObjects } from '../reconcile/reconcile-objects.ts';
import { reconcileReservations } from '../reconcile/reconcile-reservations.ts';
import { reconcileStorageSecrets } from '../reconcile/reconcile-storage-secrets.ts';
import { reconcileStreamEdits } from '../reconcile/reconcile-stream-edits.ts';
import { reconcileUploads } from '../reconcile/reconcile-uploads.ts';
import { reconcileVideos } from '../reconcile/reconcile-videos.ts';

type Step = {
  reconcile(limits: DrainLimits, isScheduled: boolean, isConfirmed: boolean): Promise<Record<string, number>>;
  /** its part of the ten minutes that the function may run: a backlog of one step leaves the others their time */
  seconds: number;
  concurrency: number;
};

const steps: readonly Step[] = [
  { reconcile: reconcileUploads, seconds: 120, concurrency: 20 },
  { reconcile: reconcileVideos, seconds: 120, concurrency: 5 },
  { reconcile: reconcileStreamEdits, seconds: 60, concurrency: 2 },
  { reconcile: async (limits) => ({ captions: await reconcileCaptions(limits) }), seconds: 60, concurrency: 4 },
  {
    reconcile: async (limits) => ({ reservations: await reconcileReservations(limits) }),
    seconds: 30,
    concurrency: 10,
  },
  {
    reconcile: async (limits) => ({ secrets: await reconcileStorageSecrets(limits) }),
    seconds: 30,
    concurrency: 4,
  },
  { reconcile: reconcileObjects, seconds: 180, concurrency: 10 },
];

/**
 * `scheduled`: the bucket is scanned once a day. An invocation without it, by an operator, scans it from the start.
 * `confirmRemoval`: files without a video are removed, although these are many or most.
 */
const input = z.object({ scheduled: z.literal(true).optional(), confirmRemoval: z.literal(true).optional() });

/**
 * Every 15 minutes: repairs work that a lost event or a dead process has left between two steps. A failed step stops no
 * other. Each step continues in the next run where its time has ended.
 */
export async function handler(raw?: unknown): Promise<Record<string, number>> {
  const { scheduled: isScheduled = false, confirmRemoval: isConfirmed = false } = input.parse(raw ?? {});
  const repaired: Record<string, number> = {};
  const failures: unknown[] = [];
  for (const { reconcile, seconds, concurrency } of steps) {
    try {
      const counts = await reconcile(
        { untilMilliseconds: now() + seconds * 1000, concurrency },
        isScheduled,
        isConfirmed,
      );
      for (const [name, count] of Object.entries(counts)) repaired[name] = (repaired[name] ?? 0) + count;
    } catch (error) {
      log.error('a reconcile step failed', { error: error as Error });
      failures.push(error);
    }
  }
  log.info('reconciled', repaired);
  emitMetric(
    'Repaired',
    Object.values(repaired).reduce((sum, count) => sum + count, 0),
  );
  throwAggregate(failures);
  return repaired;
}
