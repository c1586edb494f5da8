import { now, timestamp } from '../clock.ts';
import type { JobKind, JobResult } from '../jobs.ts';
import { type Job, jobRecord } from '../records.ts';
import type { Changes } from './expression.ts';
import { ConditionFailed, getItem, getItems, type Item, queryIndex, queryItems, type Write, write } from './items.ts';
import { type JobId, jobSort, type Key, keys } from './keys.ts';

/** A worker is given up when it has not called for this long, by the service's clock. */
export const leaseSeconds = 45;

/** One shard carries over a thousand queue changes a second, which is more than the largest pool makes. */
const queueShard = 'jobs';

export const findJob = (id: JobId): Promise<Job | undefined> => getItem(jobRecord, keys.job(id));

/** All jobs of a run, or those of one kind, in order of group and index. */
export async function findJobs(videoUlid: string, run: number, kind?: JobKind): Promise<Job[]> {
  const items = await queryItems(keys.jobs(videoUlid, run), kind === undefined ? '' : `${kind}#`);
  return items.map((item) => jobRecord.parse(item));
}

/** Results of finished jobs of a kind with the attempt that made them. */
export async function finishedJobs<Kind extends JobKind>(
  videoUlid: string,
  run: number,
  kind: Kind,
): Promise<{ group: number; index: number; attempt: number; result: JobResult<Kind> }[]> {
  const jobs = await findJobs(videoUlid, run, kind);
  return jobs
    .filter(({ status }) => status === 'DONE')
    .map(({ group, index, attempt, result }) => ({ group, index, attempt, result: result as JobResult<Kind> }));
}

/**
 * Where a job stands in the queue: as if its video were served by one worker from the time it was taken up. The thousandth chunk of a long video
 * then comes after the first chunk of a video that came later. The estimate rides along, since the index holds keys only.
 */
export function queuePlace(job: Pick<Job, 'kind' | 'index' | 'estimateSeconds'>, startedAt: string): string {
  const turn = job.kind === 'encode-video' ? job.index * job.estimateSeconds : 0;
  return `${timestamp(Date.parse(startedAt) + turn * 1000)}#${Math.ceil(job.estimateSeconds)}`;
}

const queued = (job: Pick<Job, 'kind' | 'index' | 'estimateSeconds'>, startedAt: string) => ({
  status: 'QUEUED',
  queueShard,
  queueOrder: queuePlace(job, startedAt),
  queuedAt: timestamp(),
});

const leaseFields = ['lease', 'leaseHolder', 'leaseExpiresAt', 'worker', 'epoch'] as const;
const queueFields = ['queueShard', 'queueOrder'] as const;

/** Puts a new job into the queue. False when it is there already. */
export const queueJob = (
  id: JobId,
  job: { kind: JobKind; taskToken: string; estimateSeconds: number; workUnits: number; startedAt: string },
) => {
  const { startedAt, ...facts } = job;
  const fields = { ...id, ...facts, attempt: 0, progress: 0 };
  const item = { ...keys.job(id), ...fields, ...queued(fields, startedAt) };
  return tried({ put: item, when: { exists: false } });
};

/** Puts a job that failed, was lost or cancelled back into the queue, to answer under a new token. */
export const requeueJob = (job: Job, taskToken: string, startedAt: string) =>
  tried({
    update: keys.job(job),
    set: { taskToken, ...queued(job, startedAt) },
    remove: [...leaseFields, 'error'],
    when: { equals: { status: job.status, attempt: job.attempt } },
  });

/** Lets a job that waits or is being worked on answer under a new token. */
export const answerUnder = (job: Job, taskToken: string) =>
  tried({ update: keys.job(job), set: { taskToken }, when: { equals: { status: job.status } } });

/** Gives a queued job to a worker: the job as leased, or undefined when another was faster. */
export async function leaseJob(
  key: Key,
  to: { lease: string; holder: string; worker: string; epoch: string },
): Promise<Job | undefined> {
  try {
    const item = await write({
      update: key,
      set: {
        status: 'LEASED',
        lease: to.lease,
        leaseHolder: to.holder,
        leaseExpiresAt: leaseEnd(),
        worker: to.worker,
        epoch: to.epoch,
      },
      add: { attempt: 1 },
      remove: queueFields,
      when: { equals: { status: 'QUEUED' } },
    });
    return jobRecord.parse(item);
  } catch (error) {
    if (error instanceof ConditionFailed) return undefined;
    throw error;
  }
}

const leaseEnd = (): string => timestamp(now() + leaseSeconds * 1000);

/** Keeps a lease alive. False when the lease is no longer this worker's. */
export const renewLease = (id: JobId, lease: string, progress: number) =>
  tried({ update: keys.job(id), set: { leaseExpiresAt: leaseEnd(), progress }, when: holding(lease) });

const holding = (lease: string) => ({ equals: { status: 'LEASED', lease } });

/** The write that ends a lease with a result or an error, if the lease still stands. */
export const jobEnd = (id: JobId, lease: string, status: 'DONE' | 'FAILED', changes: Changes): Write => ({
  update: keys.job(id),
  ...changes,
  set: { ...changes.set, status },
  remove: ['leaseHolder', 'leaseExpiresAt'],
  when: holding(lease),
});

/** Ends a job that nobody needs any more, whatever it is doing. Its worker is told at its next call. */
export const cancelJob = (job: Job) =>
  tried({
    update: keys.job(job),
    set: { status: 'CANCELLED' },
    remove: [...leaseFields, ...queueFields],
    when: { equals: { status: job.status } },
  });

/** The jobs next in the queue, at most `limit`, as keys of their items with the estimate in seconds. */
export async function nextInQueue(limit: number): Promise<{ key: Key; estimateSeconds: number; order: string }[]> {
  const items = await queryIndex('queue', queueShard, { limit });
  return items.map((item) => {
    const order = String(item.queueOrder);
    return { key: { pk: item.pk, sk: item.sk }, estimateSeconds: Number(order.split('#')[1]), order };
  });
}

/** The jobs that a node's workers hold; with `upTo`, those whose lease ends by then. */
export async function leasedJobs(holder: string, upTo?: string): Promise<Job[]> {
  const found = await queryIndex('leases', holder, upTo === undefined ? {} : { upTo });
  const items: Item[] = await getItems(found);
  return items.map((item) => jobRecord.parse(item)).filter(({ status }) => status === 'LEASED');
}

/** Text that names a job in folders, leases and logs, such as `encode-video-00-00007`. */
export const jobName = (id: Pick<JobId, 'kind' | 'group' | 'index'>): string => jobSort(id).replaceAll('#', '-');

/** A conditional write whose lost race is an answer, not an error. */
async function tried(one: Write): Promise<boolean> {
  try {
    await write(one);
    return true;
  } catch (error) {
    if (error instanceof ConditionFailed) return false;
    throw error;
  }
}
