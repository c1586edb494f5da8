import { setTimeout as sleep } from 'node:timers/promises';
import { now } from '../../shared/clock.ts';
import type { Lease } from '../../shared/protocol/jobs.ts';
import { isUnavailable } from '../aws/is-unavailable.ts';
import { log } from '../common/log.ts';
import type { JobId } from '../table/job-id.ts';
import { cancelJob } from '../table/jobs/job-endings.ts';
import { leaseJob } from '../table/jobs/job-leases.ts';
import { findJob } from '../table/jobs/job-table.ts';
import { leasedJobs } from '../table/jobs/lease-lists.ts';
import { capacityFor } from '../table/nodes/node-capacity-table.ts';
import { poolNode } from '../table/nodes/pool-node.ts';
import { forgetIdleWorker } from '../table/nodes/worker-presence.ts';
import {
  fetcherQueue,
  type JobsOfUser,
  maxQueuedUsers,
  type QueuedJobEntry,
  queuedByAll,
  queuedJobs,
  queuedUsers,
  recordServed,
  transcriptionQueue,
} from '../table/queue/queue-table.ts';
import { endSpreading } from '../table/queue/spread-users.ts';
import type { Job } from '../table/records.ts';
import { freeNodes } from '../workers/node-capacity.ts';
import { isLeftToNodes } from '../workers/overflow.ts';
import type { Caller } from './caller.ts';
import { composeDeliverLease } from './deliver-lease.ts';
import { type GrantedLease, newHolder } from './granted-lease.ts';
import { composeIngestLease } from './ingest-lease.ts';
import { candidates, candidatesPerUser, missedJob } from './job-candidates.ts';
import { leaseOfVideo } from './lease-of-video.ts';
import { reportFailed } from './report-failure.ts';
import { speculativeLease } from './stragglers/speculate.ts';
import { isLeftToAnother } from './suited-worker.ts';
import { mayTranscribe } from './urgency/transcriptions-last.ts';
import { longestWaitMilliseconds, waitsForUrgentJobs } from './urgency/urgent-first.ts';

/**
 * Leases the next job to a worker: an urgent job, then any job, each time of the user with the least virtual time, the
 * job that is due first. Without queued jobs, a second lease for a straggler. Undefined when there is neither. An early
 * worker gets urgent jobs only, also those that are left to nodes: they would not be encoded sooner there. A fetcher
 * gets ingests and deliveries only, and others get none: a server that sends slowly must not hold what encodes. It is
 * the same with transcriptions, which take minutes and for which no viewer waits.
 * @param reported the lease that the worker has reported on in the same call
 */
export async function leaseNext(caller: Caller, reported?: GrantedLease): Promise<Lease | undefined> {
  if (caller.fetches) return nextOf(fetcherQueue, caller);
  if (caller.transcribes) return (await mayTranscribe()) ? nextOf(transcriptionQueue, caller) : undefined;
  const lease = await findNext(caller, reported);
  // A worker that has just reported a job was not idle.
  if (lease && !reported) await forgetIdleWorker(caller.node, caller.worker);
  return lease;
}

async function nextOf(queue: JobsOfUser, caller: Caller): Promise<Lease | undefined> {
  for (const { id, attempt } of await queuedJobs(queue, candidatesPerUser)) {
    const job = await leaseJob({ ...id, attempt }, newHolder(caller, id));
    const lease = job && (await grant(job));
    if (lease) return lease;
  }
  return undefined;
}

async function findNext(caller: Caller, reported?: GrantedLease): Promise<Lease | undefined> {
  for (let waitedMilliseconds = 0; waitedMilliseconds < longestWaitMilliseconds; ) {
    const { lease, leftJobs } = await findQueued(caller, reported);
    if (lease) return lease;
    if (!leftJobs) break;
    await sleep(leftJobsMilliseconds);
    waitedMilliseconds += leftJobsMilliseconds;
  }
  if (caller.urgentOnly) return undefined;
  const straggler = await speculativeLease(caller);
  return straggler && grant(straggler);
}

/** After how long a worker tries again when all queued jobs wait for urgent ones. */
const leftJobsMilliseconds = 50;

async function findQueued(
  caller: Caller,
  reported?: GrantedLease,
): Promise<{ lease?: Lease | undefined; leftJobs: boolean }> {
  const mayClaim = await claimFilter(caller);
  const users = await queuedUsers(maxQueuedUsers);
  await endSpreading();
  let leftJobs = false;
  for await (const { user, jobs } of candidates(users, caller)) {
    for (const queued of jobs) {
      const { id } = queued;
      if (!(await mayClaim(queued))) continue;
      if (await isLeft(id)) {
        leftJobs = true;
        continue;
      }
      const job = await leaseJob({ ...id, attempt: queued.attempt }, newHolder(caller, id));
      if (!job) {
        missedJob();
        continue;
      }
      await recordServed(user, queued, users.length);
      const lease = await grant(job, reported);
      if (lease) return { lease, leftJobs };
    }
  }
  return { leftJobs };
}

async function isLeft(id: JobId): Promise<boolean> {
  try {
    return await waitsForUrgentJobs(id);
  } catch (error) {
    if (isUnavailable(error)) throw error;
    // The job is leased, and fails with the cause.
    return false;
  }
}

/** The lease of a worker that runs nothing: it was granted in a response that did not reach the worker. */
export async function heldLease({ node, worker, epoch }: Caller): Promise<Lease | undefined> {
  for (const job of await leasedJobs(node, worker)) {
    const lease = job.epoch === epoch ? await grant(job) : undefined;
    if (lease) return lease;
  }
  return undefined;
}

/**
 * Which jobs a worker may claim. The pool is the overflow of the nodes: its workers leave jobs to nodes with free
 * workers that hold them. All workers leave jobs that need more memory than they have, or other encoders.
 */
async function claimFilter(caller: Caller): Promise<(queued: QueuedJobEntry) => Promise<boolean>> {
  const isOverflow = caller.node === poolNode && !caller.urgentOnly;
  const { slots: freeNodeSlots, capacity } = isOverflow ? await freeNodes() : { slots: 0, capacity: undefined };
  if (!capacity || freeNodeSlots === 0) return async (queued) => !(await isLeftToAnother(queued, caller));
  const queuedJobs = (await queuedByAll(freeNodeSlots + 1)).length;
  return async (queued) => {
    const { id, memoryMib } = queued;
    if (memoryMib === undefined || capacityFor(capacity, memoryMib) > 0) {
      const job = await findJob(id);
      if (!job) return false;
      const waitedSeconds = (now() - Date.parse(job.queuedAt)) / 1000;
      if (isLeftToNodes({ freeNodeSlots, queuedJobs, waitedSeconds })) return false;
    }
    return !(await isLeftToAnother(queued, caller));
  };
}

function compose(job: Job, reported?: GrantedLease): Promise<Lease | undefined> {
  if (job.kind === 'ingest') return composeIngestLease(job);
  return job.kind === 'deliver' ? composeDeliverLease(job) : leaseOfVideo(job, reported);
}

/**
 * Composes the lease of a leased job. Undefined when nothing needs the job, which is cancelled, or the lease
 * cannot be composed: then the job fails. Throws when the store is unavailable; the worker keeps the lease and gets it
 * with its next call.
 */
async function grant(job: Job, reported?: GrantedLease): Promise<Lease | undefined> {
  const lease = job.lease ?? '';
  try {
    const composed = await compose(job, reported);
    // Nothing waits for the job: the execution was stopped or has ended, or the ingest or the video was deleted.
    if (!composed) await cancelJob(job);
    return composed;
  } catch (error) {
    if (isUnavailable(error)) throw error;
    log.error('a lease could not be composed', { lease, error: error as Error });
    await reportFailed({ lease, code: 'INTERNAL', fatal: false, message: 'The lease could not be composed.' });
    return undefined;
  }
}
