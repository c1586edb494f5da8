import { emitMetric } from '../common/emit-metric.ts';
import { throwAggregate } from '../common/for-each-settled.ts';
import { log } from '../common/log.ts';
import { reconcileJobs } from '../reconcile/reconcile-jobs.ts';
import { reconcileObjects } from '../reconcile/reconcile-objects.ts';
import { reconcileStreamEdits } from '../reconcile/reconcile-stream-edits.ts';
import { reconcileUploads } from '../reconcile/reconcile-uploads.ts';
import { reconcileVideos } from '../reconcile/reconcile-videos.ts';

/** Every quarter of an hour: finds what fell between two steps, and takes it on or ends it. One kind that cannot be mended now holds up no other. */
export async function handler(): Promise<Record<string, number>> {
  const mended: Record<string, number> = {};
  const failures: unknown[] = [];
  for (const mend of [
    reconcileUploads,
    reconcileVideos,
    async () => ({ changes: await reconcileStreamEdits() }),
    reconcileJobs,
    reconcileObjects,
  ]) {
    try {
      Object.assign(mended, await mend());
    } catch (error) {
      log.error('something could not be mended', { error: error as Error });
      failures.push(error);
    }
  }
  log.info('reconciled', mended);
  emitMetric(
    'Repaired',
    Object.values(mended).reduce((sum, count) => sum + count, 0),
  );
  throwAggregate(failures);
  return mended;
}
