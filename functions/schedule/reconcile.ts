import { emitMetric } from '../common/emit-metric.ts';
import { throwAggregate } from '../common/for-each-settled.ts';
import { log } from '../common/log.ts';
import { reconcileJobs } from '../reconcile/reconcile-jobs.ts';
import { reconcileObjects } from '../reconcile/reconcile-objects.ts';
import { reconcileReservations } from '../reconcile/reconcile-reservations.ts';
import { reconcileStreamEdits } from '../reconcile/reconcile-stream-edits.ts';
import { reconcileUploads } from '../reconcile/reconcile-uploads.ts';
import { reconcileVideos } from '../reconcile/reconcile-videos.ts';

/**
 * Every 15 minutes: repairs work that a lost event or a dead process has left between two steps. A failed step stops no
 * other.
 */
export async function handler(): Promise<Record<string, number>> {
  const repaired: Record<string, number> = {};
  const failures: unknown[] = [];
  for (const reconcile of [
    reconcileUploads,
    reconcileVideos,
    async () => ({ streamEdits: await reconcileStreamEdits() }),
    reconcileJobs,
    async () => ({ reservations: await reconcileReservations() }),
    reconcileObjects,
  ]) {
    try {
      Object.assign(repaired, await reconcile());
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
