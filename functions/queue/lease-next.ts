import { setTimeout as sleep } from 'node:timers/promises';
import { now } from '../../shared/clock.ts';
import type { Lease } from '../../shared/protocol/jobs.ts';
import { isUnavailable } from '../aws/is-unavailable.ts';
import { createBoundedCache } from '../common/bounded-cache.ts';
import { log } from '../common/log.ts';
import type { JobId } from '../table/job-id.ts';
import { cancelJob } from '../table/jobs/job-endings.ts';
import { leaseJob } from '../table/jobs/job-leases.ts';
import { findJob, type VideoOfJob } from '../table/jobs/job-table.ts';
import { leasedJobs } from '../table/jobs/lease-lists.ts';
import { poolNode } from '../table/nodes/pool-node.ts';
import { forgetIdleWorker } from '../table/nodes/worker-presence.ts';
import {
  endUrgency,
  leaveQueue,
  maxQueuedUsers,
  type QueuedJobEntry,
  queuedByAll,
  queuedJobs,
  queuedUsers,
  recordServed,
  type WaitingUser,
} from '../table/queue/queue-table.ts';
import { endSpreading } from '../table/queue/spread-users.ts';
import { inTurn } from '../table/queue/virtual-time.ts';
import type { Job, VideoJob } from '../table/records.ts';
import { findWholeVideo, moveOutput, moveStream, type WholeVideo } from '../table/videos/video-table.ts';
import { freeNodeSlots } from '../workers/node-capacity.ts';
import { isLeftToNodes } from '../workers/overflow.ts';
import type { Caller } from './caller.ts';
import { composeLease } from './compose-lease.ts';
import { type GrantedLease, isNeeded, newHolder } from './granted-lease.ts';
import { composeIngestLease } from './ingest/ingest-lease.ts';
import { reportFailed } from './report-failure.ts';
import { speculativeLease } from './speculate.ts';
import { longestWaitMilliseconds, waitsForUrgentJobs } from './urgency/urgent-first.ts';

/** How many jobs of a user a worker tries, since other workers lease the same jobs at the same time. */
const candidatesPerUser = 10;

/**
 * Leases the next job to a worker: an urgent job, then any job, each time of the user with the least virtual time, the
 * job that is due first. Without queued jobs, a second lease for a straggler. Undefined when there is neither. An early
 * worker gets urgent jobs only, also those that are left to nodes: they would not be encoded sooner there.
 * @param reported the lease that the worker has reported on in the same call
 */
export async function leaseNext(caller: Caller, reported?: GrantedLease): Promise<Lease | undefined> {
  const lease = await findNext(caller, reported);
  // A worker that has just reported a job was not idle.
  if (lease && !reported) await forgetIdleWorker(caller.node, caller.worker);
  return lease;
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
      if (!(await mayClaim(id))) continue;
      if (await isLeft(id)) {
        leftJobs = true;
        continue;
      }
      const job = await leaseJob({ ...id, attempt: queued.attempt }, newHolder(caller, id));
      if (!job) {
        lastMissedAt = now();
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

/** The first jobs of each user in the order in which they are tried. A user's jobs are read once. */
async function* candidates(
  users: WaitingUser[],
  { urgentOnly }: Caller,
): AsyncGenerator<{ user: WaitingUser; jobs: QueuedJobEntry[] }> {
  const read = new Map<string, QueuedJobEntry[]>();
  const { urgent, all } = inTurn(users);
  for (const user of urgent.filter(mayBeUrgent)) {
    const jobs = await queuedJobs(user, candidatesPerUser);
    read.set(user.userUlid, jobs);
    // The order of a video's first jobs matters to its viewers, so that it is not rotated.
    const first = jobs.filter(({ isUrgent }) => isUrgent);
    if (first.length > 0) yield { user, jobs: first };
    else await notUrgent(user);
  }
  if (urgentOnly) return;
  for (const user of all) {
    const jobs = read.get(user.userUlid) ?? (await queuedJobs(user, candidatesPerUser));
    if (jobs.length === 0) await leaveQueue(user.userUlid);
    yield { user, jobs: isCrowded() ? rotateHead(jobs) : jobs };
  }
}

/** Users without urgent jobs as this instance has found: when, and when their last one was queued. */
const foundWithout = createBoundedCache<{ atMilliseconds: number; urgentAtMilliseconds: number | undefined }>(1000);
/** The index may list a new urgent job later: after this, the user's jobs are read again. */
const foundMilliseconds = 1_000;

function mayBeUrgent({ userUlid, urgentAtMilliseconds }: WaitingUser): boolean {
  const found = foundWithout.get(userUlid);
  if (found?.urgentAtMilliseconds !== urgentAtMilliseconds) return true;
  return found === undefined || Math.abs(now() - found.atMilliseconds) > foundMilliseconds;
}

async function notUrgent(user: WaitingUser): Promise<void> {
  const { userUlid, urgentAtMilliseconds } = user;
  foundWithout.set(userUlid, { atMilliseconds: now(), urgentAtMilliseconds });
  await endUrgency(user);
}

/** The lease of a worker that runs nothing: it was granted in an answer that did not reach the worker. */
export async function heldLease({ node, worker, epoch }: Caller): Promise<Lease | undefined> {
  for (const job of await leasedJobs(node, worker)) {
    const lease = job.epoch === epoch ? await grant(job) : undefined;
    if (lease) return lease;
  }
  return undefined;
}

/** When this instance last tried a job that another worker had just leased. */
let lastMissedAt = 0;
const crowdedMilliseconds = 5_000;

/** Whether many workers ask at the same time. */
const isCrowded = (): boolean => now() - lastMissedAt < crowdedMilliseconds;

const headSize = 4;

/**
 * Rotates the list by a random number of its first jobs. Workers that ask at the same time see the same list, and would
 * all try the same job. Few workers keep the order, in which a viewer of a running video needs the jobs.
 */
function rotateHead<Entry>(jobs: Entry[]): Entry[] {
  const first = Math.floor(Math.random() * Math.min(headSize, jobs.length));
  return [...jobs.slice(first), ...jobs.slice(0, first)];
}

/**
 * Which jobs a worker may claim. The pool is the overflow of the nodes: its workers leave jobs to nodes with free
 * workers.
 */
async function claimFilter({ node, urgentOnly }: Caller): Promise<(id: JobId) => Promise<boolean>> {
  const freeSlots = node === poolNode && !urgentOnly ? await freeNodeSlots() : 0;
  if (freeSlots === 0) return async () => true;
  const queuedCount = (await queuedByAll(freeSlots + 1)).length;
  return async (id) => {
    const job = await findJob(id);
    if (!job) return false;
    const waitedSeconds = (now() - Date.parse(job.queuedAt)) / 1000;
    return !isLeftToNodes({ freeNodeSlots: freeSlots, queuedJobs: queuedCount, waitedSeconds });
  };
}

/**
 * Composes the lease of a leased job. Undefined when nothing needs the job, which is cancelled, or the lease
 * cannot be composed: then the job fails. Throws when the store is unavailable; the worker keeps the lease and gets it
 * with its next call.
 */
async function grant(job: Job, reported?: GrantedLease): Promise<Lease | undefined> {
  const lease = job.lease ?? '';
  try {
    const composed = await (job.kind === 'ingest' ? composeIngestLease(job) : leaseOfVideo(job, reported));
    // Nothing waits for the job: the execution was stopped or has ended, or the ingest was deleted.
    if (!composed) await cancelJob(job);
    return composed;
  } catch (error) {
    if (isUnavailable(error)) throw error;
    log.error('a lease could not be composed', { lease, error: error as Error });
    await reportFailed({ lease, code: 'INTERNAL', fatal: false, message: 'The lease could not be composed.' });
    return undefined;
  }
}

async function leaseOfVideo(job: VideoJob, reported?: GrantedLease): Promise<Lease | undefined> {
  const videoOfJob = await findVideoOfJob(job, reported);
  return videoOfJob && isNeeded(videoOfJob, job) ? composeLease(job, videoOfJob.video) : undefined;
}

/** Plans whose streams and outputs this instance knows to be running. */
const startedPlans = createBoundedCache<true>(100);

/**
 * The video of a job. What the worker's report has read of the same plan is used again, once this instance knows that
 * the plan is started. When the video was deleted since, the worker loses no more than if it were deleted right after.
 */
async function findVideoOfJob(job: VideoJob, reported?: GrantedLease): Promise<VideoOfJob | undefined> {
  const { videoUlid, planNumber, kind } = job;
  const plan = `${videoUlid} ${planNumber}`;
  const isSamePlan = reported?.job.videoUlid === videoUlid && reported.job.planNumber === planNumber;
  if (isSamePlan && 'videoOfJob' in reported && startedPlans.get(plan)) return reported.videoOfJob;
  const whole = await findWholeVideo(videoUlid);
  if (whole && isNeeded(whole, job) && (kind === 'encode-video' || kind === 'encode-audio')) {
    await markRunning(whole);
    startedPlans.set(plan, true);
  }
  return whole;
}

/**
 * Moves pending outputs and streams to running with the first encode job of a plan. Nothing is pending for later jobs.
 */
async function markRunning({ video, outputs, streams }: WholeVideo): Promise<void> {
  await Promise.all([
    ...outputs.filter(({ status }) => status === 'pending').map(({ ulid }) => moveOutput(video, ulid, 'running')),
    ...streams.filter(({ status }) => status === 'pending').map(({ ulid }) => moveStream(video, ulid, 'running')),
  ]);
}
