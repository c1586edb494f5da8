import { now } from '../../shared/clock.ts';
import { log } from '../../shared/log.ts';
import { jobRecord } from '../../shared/records.ts';
import { getItem } from '../../shared/table/items.ts';
import { nextInQueue } from '../../shared/table/jobs.ts';
import { launchWorkers } from '../jobs/launch.ts';
import { loseExpired } from '../jobs/lose.ts';
import { noteMetric } from '../metrics.ts';

/** Every minute: gives up workers that stopped calling, and starts new ones for what is queued. */
export async function handler(): Promise<void> {
  const lost = await loseExpired();
  const started = await launchWorkers();
  if (lost > 0 || started > 0) log.info('reaped', { lost, started });
  noteMetric('OldestQueuedJobSeconds', 'Seconds', await oldestWaitSeconds());
}

/** How long the job that is next has waited: the queue's delay as an uploader feels it. */
async function oldestWaitSeconds(): Promise<number> {
  const [next] = await nextInQueue(1);
  const job = next && (await getItem(jobRecord, next.key));
  return job?.status === 'QUEUED' ? Math.max(0, (now() - Date.parse(job.queuedAt)) / 1000) : 0;
}
