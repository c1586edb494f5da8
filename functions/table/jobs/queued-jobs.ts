import { now, timestamp } from '../../../shared/clock.ts';
import { jobTransitions, statusesBefore } from '../../contracts/statuses.ts';
import { tryTransact, tryWrite } from '../items/conditional.ts';
import type { Write } from '../items/items.ts';
import { keys } from '../items/keys.ts';
import { deliverJobId, ingestJobId, type JobId } from '../job-id.ts';
import {
  fetcherQueue,
  type JobsOfUser,
  joinQueue,
  queuePosition,
  spreadManyJobs,
  transcriptionQueue,
} from '../queue/queue-table.ts';
import type { DeliverJob, IngestJob, Job, TranscribeJob } from '../records.ts';
import { leaseFields } from '../writes/job-fields.ts';

/** Where a job is queued: below its owner, at a virtual time. Urgent jobs come first. */
export type Queueing = { ownerUlid: string; virtualTimeSeconds: number; isUrgent?: boolean };

const queued = (user: JobsOfUser, order: Order, { estimateSeconds, attempt, memoryMib, codecs }: JobSize) => ({
  ...queuePosition(user, { ...order, estimateSeconds, attempt, memoryMib, codecs }),
  queuedAt: timestamp(),
});

type Order = { virtualTimeSeconds: number; isUrgent: boolean };

type JobSize = Pick<Job, 'estimateSeconds' | 'attempt' | 'memoryMib' | 'codecs'>;

type NewJob = Pick<Job, 'taskToken' | 'workUnits' | 'tracks' | 'speech'> & Omit<JobSize, 'attempt'> & Queueing;

/** Creates a job and queues it. False when it exists. */
export async function queueJob(id: JobId, { ownerUlid, ...job }: NewJob): Promise<boolean> {
  const { virtualTimeSeconds, isUrgent = false, ...properties } = job;
  const user = await spreadManyJobs(await joinQueue(ownerUlid, isUrgent));
  return tryWrite(newJob(id, properties, user, { virtualTimeSeconds, isUrgent }));
}

function newJob(id: JobId, properties: Omit<NewJob, keyof Queueing>, user: JobsOfUser, order: Order): Write {
  const fields = { ...id, ...properties, attempt: 0, attempts: {}, progress: 0, createdAt: timestamp() };
  const item = { ...keys.job(id), ...fields, status: 'QUEUED', ...queued(user, order, fields) };
  return { put: item, when: { exists: false } };
}

/** Queues a failed or cancelled job again, under a new task token. False when the job changed after it was read. */
export async function requeueJob(job: Job, taskToken: string, to: Queueing): Promise<boolean> {
  const { ownerUlid, virtualTimeSeconds, isUrgent = false } = to;
  const user = await joinQueue(ownerUlid, isUrgent);
  return tryWrite(requeued(job, taskToken, queued(user, { virtualTimeSeconds, isUrgent }, job)));
}

const requeued = (job: Job, taskToken: string, order: ReturnType<typeof queued>) => ({
  update: keys.job(job),
  set: { taskToken, status: 'QUEUED', ...(job.tracks && { tracks: job.tracks }), ...order },
  // A user has asked for a job that has failed for good: refused results may be accepted by now.
  remove: [
    ...leaseFields,
    'lease',
    'worker',
    'epoch',
    'error',
    ...(job.error?.fatal ? ['refusals'] : []),
    ...(job.tracks ? [] : ['tracks']),
  ],
  when: {
    equals: { status: job.status, attempt: job.attempt },
    oneOf: { status: statusesBefore(jobTransitions, 'QUEUED') },
  },
});

const comesAt = (virtualTimeSeconds: number): Order => ({ virtualTimeSeconds, isUrgent: false });
const comesNow = (): Order => comesAt(now() / 1000);

/**
 * Queues the job of an ingest, or queues it again. False when another call has done it, or the upload of the ingest was
 * closed.
 */
export const queueIngestJob = (uploadUlid: string, job: IngestJob | undefined, estimateSeconds: number) =>
  queueForFetchers(ingestJobId(uploadUlid), job, estimateSeconds, {
    check: keys.upload(uploadUlid),
    when: { equals: { status: 'open' } },
  });

/** The same for the job of a storage delivery. */
export const queueDeliverJob = (deliveryUlid: string, job: DeliverJob | undefined, estimateSeconds: number) =>
  queueForFetchers(deliverJobId(deliveryUlid), job, estimateSeconds, {
    check: keys.storageDelivery(deliveryUlid),
    when: { equals: { status: 'running' } },
  });

function queueForFetchers(id: JobId, job: Job | undefined, estimateSeconds: number, isNeeded: Write) {
  if (job) return tryWrite(requeued(job, '', queued(fetcherQueue, comesNow(), job)));
  const properties = { taskToken: '', estimateSeconds, workUnits: 1 };
  return tryTransact([newJob(id, properties, fetcherQueue, comesNow()), isNeeded]);
}

/**
 * Queues the job of a part of speech, or queues it again. False when another call has done it, or the video was
 * deleted.
 * @param atSeconds since 1970: behind the jobs that are queued by then
 */
export function queueTranscribeJob(
  id: JobId<'transcribe'>,
  job: TranscribeJob | undefined,
  {
    atSeconds,
    ...properties
  }: { estimateSeconds: number; speech: NonNullable<TranscribeJob['speech']>; atSeconds: number },
) {
  const order = comesAt(atSeconds);
  if (!job) {
    return tryTransact([
      newJob(id, { taskToken: '', workUnits: 1, ...properties }, transcriptionQueue, order),
      { check: keys.video(id.videoUlid), when: { exists: true, absent: ['deletedAt'] } },
    ]);
  }
  const { set, ...write } = requeued(job, '', queued(transcriptionQueue, order, job));
  return tryWrite({ ...write, set: { ...set, speech: properties.speech } });
}

/** Replaces the task token of a job. False when the job's status changed after it was read. */
export const setTaskToken = (job: Job, taskToken: string): Promise<boolean> =>
  tryWrite({ update: keys.job(job), set: { taskToken }, when: { equals: { status: job.status } } });
