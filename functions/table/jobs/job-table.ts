import { now, timestamp } from '../../../shared/clock.ts';
import type { JobKind } from '../../../shared/protocol/jobs.ts';
import {
  ConditionFailed,
  countIndex,
  getItem,
  getItems,
  type Item,
  queryIndex,
  queryItems,
  type Write,
  write,
} from '../items/items.ts';
import { type JobId, jobSort, keys } from '../items/keys.ts';
import { joinQueue, queuePlace } from '../queue/queue-table.ts';
import { type Job, jobRecord } from '../records.ts';
import { jobTransitions, statusesBefore } from '../statuses.ts';

/** A lease lives this long; calls keep it once less than `leaseKeptSeconds` are left, so that a worker is given up when it has not called for as long. */
const leaseSeconds = 75;
const leaseKeptSeconds = 45;

export const findJob = (id: JobId): Promise<Job | undefined> => getItem(jobRecord, keys.job(id));

/** The jobs with these ids that exist, in their order. */
export const findJobsById = async (ids: JobId[]): Promise<Job[]> =>
  (await getItems(ids.map(keys.job))).map((item) => jobRecord.parse(item));

/** All jobs of a run, or those of one kind, in order of group and index. */
export async function findJobs(videoUlid: string, planNumber: number, kind?: JobKind): Promise<Job[]> {
  const items = await queryItems(keys.jobs(videoUlid, planNumber), kind === undefined ? '' : `${kind}#`);
  return items.map((item) => jobRecord.parse(item));
}

/** How a job is queued: under its user, at its turn, with what it is thought to cost in seconds. */
export type Queueing = { ownerUlid: string; turnSeconds: number };

const queued = ({ ownerUlid, turnSeconds }: Queueing, job: Pick<Job, 'estimateSeconds' | 'attempt'>) => ({
  status: 'QUEUED',
  ...queuePlace(ownerUlid, { turnSeconds, estimateSeconds: job.estimateSeconds, attempt: job.attempt }),
  queuedAt: timestamp(),
});

const leaseFields = ['leaseHolder', 'leaseExpiresAt', 'leasedAt', 'spare'] as const;
const queueFields = ['queueShard', 'queueOrder'] as const;

/** Puts a new job into the queue. False when it is there already. */
export async function queueJob(
  id: JobId,
  job: { kind: JobKind; taskToken: string; estimateSeconds: number; workUnits: number } & Queueing,
): Promise<boolean> {
  const { ownerUlid, turnSeconds, ...facts } = job;
  await joinQueue(ownerUlid);
  const fields = { ...id, ...facts, attempt: 0, leases: {}, progress: 0 };
  const item = { ...keys.job(id), ...fields, ...queued({ ownerUlid, turnSeconds }, fields) };
  return tried({ put: item, when: { exists: false } });
}

/** Puts a job that failed, was lost or cancelled back into the queue, to answer under a new token. */
export async function requeueJob(job: Job, taskToken: string, to: Queueing): Promise<boolean> {
  await joinQueue(to.ownerUlid);
  return tried({
    update: keys.job(job),
    set: { taskToken, ...queued(to, job) },
    // A job that has failed for good is asked for again by somebody: what was refused may be taken by now.
    remove: [...leaseFields, 'lease', 'worker', 'epoch', 'error', ...(job.error?.fatal ? ['refusals'] : [])],
    when: { equals: { status: job.status, attempt: job.attempt } },
  });
}

/** Lets a job that waits or is being worked on answer under a new token. */
export const setTaskToken = (job: Job, taskToken: string) =>
  tried({ update: keys.job(job), set: { taskToken }, when: { equals: { status: job.status } } });

export type Holder = { lease: string; holder: string; worker: string; epoch: string };

const leaseEnd = (worker: string): string => `${timestamp(now() + leaseSeconds * 1000)}#${worker}`;

const leased = ({ lease, holder, worker, epoch }: Holder) => ({
  status: 'LEASED',
  lease,
  leaseHolder: holder,
  leaseExpiresAt: leaseEnd(worker),
  worker,
  epoch,
});

/** Gives a queued job to a worker: the job as leased, or undefined when another was faster. */
export const leaseJob = (job: JobId & Pick<Job, 'attempt'>, to: Holder): Promise<Job | undefined> =>
  changed({
    update: keys.job(job),
    set: { ...leased(to), leasedAt: timestamp(), [`leases.${job.attempt + 1}`]: to.lease },
    add: { attempt: 1 },
    remove: queueFields,
    when: { equals: { status: 'QUEUED', attempt: job.attempt } },
  });

/** Gives a job that takes too long to a second worker. The first holder goes on and may still be first to finish. Once for each time a job is queued. */
export const leaseSpeculative = (job: Job, to: Holder): Promise<Job | undefined> =>
  changed({
    update: keys.job(job),
    set: { ...leased(to), leasedAt: timestamp(), spare: true, [`leases.${job.attempt + 1}`]: to.lease },
    add: { attempt: 1 },
    when: { equals: { status: 'LEASED', attempt: job.attempt }, absent: ['spare'] },
  });

/** Gives a job that was taken from a worker for its silence back to it, unless somebody else has it by now. */
export const takeBack = (job: Job, to: Holder): Promise<Job | undefined> =>
  changed({
    update: keys.job(job),
    set: leased(to),
    remove: queueFields,
    when: { equals: { status: 'QUEUED', attempt: job.attempt } },
  });

/** Which attempt a lease was given for; undefined when it was never given. */
export function attemptOf(job: Job, lease: string): number | undefined {
  const found = Object.entries(job.leases).find(([, given]) => given === lease);
  return found && Number(found[0]);
}

/** Notes the CPU time of an attempt whose result does not count. False when that was noted before. */
export const markSpent = (job: Job, attempt: number, cpuMs: number): Promise<boolean> =>
  tried({
    update: keys.job(job),
    set: { [`spentMs${attempt}`]: cpuMs },
    when: { exists: true, absent: [`spentMs${attempt}`] },
  });

/** A job whose lease has that little left is to be kept by a write. */
export const needsRenewal = (job: Job): boolean =>
  (job.leaseExpiresAt ?? '') < timestamp(now() + leaseKeptSeconds * 1000);

/** Keeps a lease alive. False when the lease is no longer this worker's. */
export const renewLease = (job: Job, lease: string, progress: number): Promise<boolean> =>
  tried({
    update: keys.job(job),
    set: { leaseExpiresAt: leaseEnd(job.worker ?? ''), progress },
    when: { equals: { status: 'LEASED', lease } },
  });

/** The write that ends a lease with an error, if the lease still stands. */
export const jobFailure = (job: Job, lease: string, error: NonNullable<Job['error']>): Write => ({
  update: keys.job(job),
  set: { status: 'FAILED', error, endedAt: timestamp() },
  ...(error.code === 'RESULT_REFUSED' && { add: { refusals: 1 } }),
  remove: leaseFields,
  when: { equals: { status: 'LEASED', lease } },
});

/**
 * Ends a lease whose worker is gone. The job stays in the list of leases until it is queued again or `forgetLoss` is called: whoever dies before the
 * state machine is told leaves it for the next who looks. False when the lease does not stand.
 */
export const expireLease = (job: Job, error: NonNullable<Job['error']>): Promise<boolean> =>
  tried({
    update: keys.job(job),
    set: { status: 'FAILED', error, endedAt: timestamp() },
    remove: ['leasedAt', 'spare'],
    when: { equals: { status: 'LEASED', lease: job.lease ?? '' } },
  });

/** Takes a lost job that nobody waits for from the list of leases. */
export const clearExpiredLease = (job: Job): Promise<boolean> =>
  tried({
    update: keys.job(job),
    remove: leaseFields,
    when: { equals: { status: 'FAILED', lease: job.lease ?? '' } },
  });

/** A result in the job's item, or the key of the object that has it; what it says of the source is in the item either way. */
export type StoredResult = Pick<Job, 'result' | 'resultKey' | 'warnings'>;

/**
 * The write that takes the result of an attempt, of the present holder or an earlier one: whoever is first. It fails when the job has ended, or is to
 * answer under another token than the one that was read.
 */
export const jobResult = (job: Job, attempt: number, stored: StoredResult): Write => ({
  update: keys.job(job),
  set: {
    status: 'DONE',
    ...stored,
    attempt,
    progress: 1,
    endedAt: timestamp(),
    ...(attempt === job.attempt && job.leasedAt && { tookSeconds: (now() - Date.parse(job.leasedAt)) / 1000 }),
  },
  remove: [...leaseFields, ...queueFields, 'error'],
  when: { equals: { taskToken: job.taskToken }, oneOf: { status: statusesBefore(jobTransitions, 'DONE') } },
});

/** Ends a job that nobody needs any more, whatever it is doing. Its worker is told at its next call. */
export const cancelJob = (job: Job) =>
  tried({
    update: keys.job(job),
    set: { status: 'CANCELLED', endedAt: timestamp() },
    remove: [...leaseFields, ...queueFields],
    when: { equals: { status: job.status } },
  });

/** The write that has a finished job done again when it is next asked for. */
export const jobAgain = (job: Job): Write => ({
  update: keys.job(job),
  set: { status: 'CANCELLED' },
  when: { equals: { status: 'DONE', attempt: job.attempt } },
});

type Leases = { expired?: boolean; worker?: string };

/** The jobs that a node's workers hold; `expired` only those whose lease has run out, `worker` only those of one worker. */
export const leasedJobs = async (holder: string, which: Leases = {}): Promise<Job[]> =>
  (await listedLeases(holder, which)).filter(({ status }) => status === 'LEASED');

/** The same with jobs that were lost and are in the list still. */
export async function listedLeases(holder: string, { expired = false, worker }: Leases): Promise<Job[]> {
  const found = await queryIndex('leases', holder, expired ? { upTo: timestamp() } : {});
  const wanted = found.filter(({ leaseExpiresAt }) => worker === undefined || workerIn(leaseExpiresAt) === worker);
  const jobs = (await getItems(wanted)).map((item) => jobRecord.parse(item));
  // The index may be behind: a job that was queued again is nobody's.
  return jobs.filter(
    ({ status, leaseHolder }) => status === 'LEASED' || (status === 'FAILED' && leaseHolder === holder),
  );
}

const workerIn = (leaseExpiresAt: unknown): string => String(leaseExpiresAt).split('#')[1] ?? '';

/** How many jobs a node's workers hold. */
export const countLeases = (holder: string): Promise<number> => countIndex('leases', holder);

/** Text that names a job in folders, leases and logs, such as `encode-video-00-00007`. */
export const jobName = (id: Pick<JobId, 'kind' | 'group' | 'index'>): string => jobSort(id).replaceAll('#', '-');

/** What the names of a group's jobs begin with, such as `package-01-`. */
export const jobGroupPrefix = (id: Pick<JobId, 'kind' | 'group'>): string =>
  jobName({ ...id, index: 0 }).slice(0, -'00000'.length);

/** Conditional writes whose lost race is an answer, not an error. */
const tried = async (one: Write): Promise<boolean> => (await unlessLost(one)) !== undefined;

const changed = async (one: Write): Promise<Job | undefined> => {
  const item = await unlessLost(one);
  return item && jobRecord.parse(item);
};

async function unlessLost(one: Write): Promise<Item | undefined> {
  try {
    return await write(one);
  } catch (error) {
    if (error instanceof ConditionFailed) return undefined;
    throw error;
  }
}
