import { now } from '../../shared/clock.ts';
import { admitWaiting, checkSlots } from '../admission/admission.ts';
import { startIngests, startStorageDeliveries, startTranscriptions } from '../aws/background-functions.ts';
import { forEachSettled } from '../common/concurrency.ts';
import { emitMetric } from '../common/emit-metric.ts';
import { log } from '../common/log.ts';
import { expireLeases } from '../queue/expire-leases.ts';
import { listIngestingUsers } from '../table/ingests/ingest-slots.ts';
import { findJobsById } from '../table/jobs/job-table.ts';
import {
  fetcherQueue,
  maxQueuedUsers,
  queuedByAll,
  queuedJobs,
  queuedUsers,
  transcriptionQueue,
} from '../table/queue/queue-table.ts';
import { listDeliveringUsers } from '../table/storage-deliveries/open-deliveries.ts';
import { dueTranscriptions } from '../table/videos/pending-captions.ts';
import { launchWorkers } from '../workers/launch-workers.ts';

/**
 * Every minute: expires leases of silent workers, launches workers for queued jobs, starts waiting videos on free
 * slots, and has ingests, storage deliveries and captions from speech continued.
 */
export async function handler(): Promise<void> {
  const counts = { expiredLeases: 0, launchedTasks: 0, freedSlots: 0, startedVideos: 0 };
  const counted = (name: keyof typeof counts, step: () => Promise<number>) => async () => {
    counts[name] += await step();
  };
  const steps = [
    counted('expiredLeases', expireLeases),
    counted('launchedTasks', launchWorkers),
    async () => {
      const { freed, started } = await checkSlots();
      counts.freedSlots += freed;
      counts.startedVideos += started;
    },
    counted('startedVideos', admitWaiting),
    async () => {
      if (Object.values(counts).some((count) => count > 0)) log.info('reaped', counts);
    },
    continueIngests,
    continueStorageDeliveries,
    continueTranscriptions,
    emitQueueMetrics,
  ];
  await forEachSettled(steps, (step) => step());
}

const parallelCalls = 10;

/** For calls that were lost, servers that are tried again, and lists. A call each: nobody waits for others. */
const continueIngests = async (): Promise<void> =>
  forEachSettled(await listIngestingUsers(), (userUlid) => startIngests({ userUlid }), parallelCalls);

/** For calls that were lost, storages that are tried again, and videos that were deleted. */
const continueStorageDeliveries = async (): Promise<void> =>
  forEachSettled(await listDeliveringUsers(), (userUlid) => startStorageDeliveries({ userUlid }), parallelCalls);

/** For calls that were lost. */
async function continueTranscriptions(): Promise<void> {
  for await (const videos of dueTranscriptions()) {
    await forEachSettled(videos, (videoUlid) => startTranscriptions(videoUlid, true), parallelCalls);
  }
}

async function emitQueueMetrics(): Promise<void> {
  emitMetric('OldestQueuedJobSeconds', await oldestWaitSeconds());
  const lines = [
    queuedByAll(maxCountedJobs),
    queuedJobs(fetcherQueue, maxCountedJobs),
    queuedJobs(transcriptionQueue, maxCountedJobs),
  ];
  emitMetric('QueuedJobs', (await Promise.all(lines)).flat().length);
}

/** Counting stops here: alarms need no higher value. */
const maxCountedJobs = 1000;

/**
 * The longest wait of the jobs that are next for their user: the delay that uploaders see. A user's later jobs wait for
 * the first. Transcriptions wait for all others, and nobody for them.
 */
async function oldestWaitSeconds(): Promise<number> {
  const users = [...(await queuedUsers(maxQueuedUsers)), fetcherQueue];
  const next = (await Promise.all(users.map((user) => queuedJobs(user, 1)))).flat();
  const jobs = await findJobsById(next.map(({ id }) => id));
  const waits = jobs
    .filter(({ status }) => status === 'QUEUED')
    .map(({ queuedAt }) => (now() - Date.parse(queuedAt)) / 1000);
  return Math.max(0, ...waits);
}
