import { now } from '../../shared/clock.ts';
import { admitWaiting, freeSlots } from '../admission/admission.ts';
import { emitMetric } from '../common/emit-metric.ts';
import { forEachSettled } from '../common/for-each-settled.ts';
import { log } from '../common/log.ts';
import { expireLeases } from '../queue/expire-leases.ts';
import { getItems } from '../table/items/items.ts';
import { queuedByAll, queuedJobs, queuedUsers, usersLookedAt } from '../table/queue/queue-table.ts';
import { jobRecord } from '../table/records.ts';
import { launchWorkers } from '../workers/launch-workers.ts';

/** Every minute: gives up workers that stopped calling, starts new ones for what is queued, and videos that wait for a place. */
export async function handler(): Promise<void> {
  const reaped = { lost: 0, started: 0, freed: 0, videos: 0 };
  const counted = (what: keyof typeof reaped, act: () => Promise<number>) => async () => {
    reaped[what] = await act();
  };
  const steps = [
    counted('lost', expireLeases),
    counted('started', launchWorkers),
    counted('freed', freeSlots),
    counted('videos', admitWaiting),
    async () => {
      if (Object.values(reaped).some((count) => count > 0)) log.info('reaped', reaped);
    },
    noteQueue,
  ];
  await forEachSettled(steps, (step) => step());
}

async function noteQueue(): Promise<void> {
  emitMetric('OldestQueuedJobSeconds', await oldestWaitSeconds());
  emitMetric('QueuedJobs', (await queuedByAll(jobsCounted)).length);
}

/** More than that is as much a reason to look as that. */
const jobsCounted = 1000;

/** How long the job has waited that waits longest of those that are next of their user: the queue's delay as an uploader feels it. */
async function oldestWaitSeconds(): Promise<number> {
  const users = await queuedUsers(usersLookedAt);
  const next = (await Promise.all(users.map(({ userUlid }) => queuedJobs(userUlid, 1)))).flat();
  const items = await getItems(next.map(({ key }) => key));
  const waits = items
    .map((item) => jobRecord.parse(item))
    .filter(({ status }) => status === 'QUEUED')
    .map(({ queuedAt }) => (now() - Date.parse(queuedAt)) / 1000);
  return Math.max(0, ...waits);
}
