import { now } from '../../shared/clock.ts';
import type { Lease } from '../../shared/protocol/jobs.ts';
import { isUnavailable } from '../aws/is-unavailable.ts';
import { createBoundedCache } from '../common/bounded-cache.ts';
import { log } from '../common/log.ts';
import type { JobId } from '../table/items/keys.ts';
import type { VideoOfJob } from '../table/jobs/job-and-video.ts';
import { cancelJob, findJob, leasedJobs, leaseJob } from '../table/jobs/job-table.ts';
import {
  leaveQueue,
  noteServed,
  queuedByAll,
  queuedJobs,
  queuedUsers,
  usersLookedAt,
} from '../table/queue/queue-table.ts';
import type { Job } from '../table/records.ts';
import { findWholeVideo, moveOutput, moveStream, type WholeVideo } from '../table/videos/video-table.ts';
import { freeNodeSlots } from '../workers/node-capacity.ts';
import { leftToNodes } from '../workers/overflow.ts';
import { type Caller, poolNode } from './caller.ts';
import { composeLease } from './compose-lease.ts';
import type { GivenLease } from './given-lease.ts';
import { newHolder } from './lease-id.ts';
import { isWanted } from './needs-work.ts';
import { reportFailed } from './report.ts';
import { speculativeLease } from './speculate.ts';

/** How far down a user's queue a worker looks when others are taking the same jobs. */
const candidates = 10;

/**
 * The next job for a worker: of the user who had least, the one whose turn it is. Undefined when there is none.
 * @param reported what was found out just now of the job that the worker had
 */
export async function leaseNext(caller: Caller, reported?: GivenLease): Promise<Lease | undefined> {
  const mayTake = await takingOf(caller);
  const users = await queuedUsers(usersLookedAt);
  for (const user of users) {
    const jobs = await queuedJobs(user.userUlid, candidates);
    if (jobs.length === 0) await leaveQueue(user.userUlid);
    for (const queued of fromNearTheFront(jobs)) {
      const { id } = queued;
      if (!(await mayTake(id))) continue;
      const job = await leaseJob({ ...id, attempt: queued.attempt }, newHolder(caller, id));
      if (!job) continue;
      await noteServed(user, queued, users.length);
      const lease = await handOut(job, reported);
      if (lease) return lease;
    }
  }
  const spare = await speculativeLease(caller);
  return spare && handOut(spare);
}

/** What a worker that runs nothing holds all the same: it was given in an answer that did not reach it. */
export async function heldLease({ node, worker, epoch }: Caller): Promise<Lease | undefined> {
  for (const job of await leasedJobs(node, { worker })) {
    const lease = job.epoch === epoch ? await handOut(job) : undefined;
    if (lease) return lease;
  }
  return undefined;
}

/** Workers that ask at the same moment see the same list. Each begins a little elsewhere, so that not all but one of them ask in vain. */
const front = 4;

function fromNearTheFront<Job>(jobs: Job[]): Job[] {
  const first = Math.floor(Math.random() * Math.min(front, jobs.length));
  return [...jobs.slice(first), ...jobs.slice(0, first)];
}

/** Tasks are the overflow: what the nodes have room for is left to them, unless they do not come for it. */
async function takingOf({ node }: Caller): Promise<(id: JobId) => Promise<boolean>> {
  const freeSlots = node === poolNode ? await freeNodeSlots() : 0;
  if (freeSlots === 0) return async () => true;
  const queuedCount = (await queuedByAll(freeSlots + 1)).length;
  return async (id) => {
    const job = await findJob(id);
    if (!job) return false;
    const waitedSeconds = (now() - Date.parse(job.queuedAt)) / 1000;
    return !leftToNodes({ freeNodeSlots: freeSlots, queuedJobs: queuedCount, waitedSeconds });
  };
}

/**
 * What the worker is told of a job that it holds now. Undefined when the job is of no use any more, or cannot be described; then it is ended. Throws
 * when the store is away: the worker calls again and is given the same job.
 */
async function handOut(job: Job, reported?: GivenLease): Promise<Lease | undefined> {
  const lease = job.lease ?? '';
  try {
    const about = await videoOf(job, reported);
    if (!about || !isWanted(about, job)) {
      // Nobody waits for the answer: the execution was stopped, or has ended.
      await cancelJob(job);
      return undefined;
    }
    return await composeLease(job, about.video);
  } catch (error) {
    if (isUnavailable(error)) throw error;
    log.error('a job could not be handed out', { lease, error: error as Error });
    await reportFailed({ lease, code: 'INTERNAL', fatal: false, message: 'The job could not be handed out.' });
    return undefined;
  }
}

/** Runs that are known to show as started. */
const started = createBoundedCache<true>(100);

/**
 * The video that a job is for. What the report before found of the same run will do, but for the first job of a run that this instance hands out: one
 * that was deleted since costs its worker no more than one that is deleted right after.
 */
async function videoOf(job: Job, reported?: GivenLease): Promise<VideoOfJob | undefined> {
  const { videoUlid, planNumber, kind } = job;
  const name = `${videoUlid} ${planNumber}`;
  const isSame = reported?.job.videoUlid === videoUlid && reported.job.planNumber === planNumber;
  if (isSame && started.get(name)) return reported.about;
  const whole = await findWholeVideo(videoUlid);
  if (whole && isWanted(whole, job) && (kind === 'encode-video' || kind === 'encode-audio')) {
    await markStarted(whole);
    started.set(name, true);
  }
  return whole;
}

/** The first job of a video that encodes shows in its outputs and streams. Later ones find nothing pending and write nothing. */
async function markStarted({ video, outputs, streams }: WholeVideo): Promise<void> {
  await Promise.all([
    ...outputs.filter(({ status }) => status === 'pending').map(({ ulid }) => moveOutput(video.ulid, ulid, 'running')),
    ...streams.filter(({ status }) => status === 'pending').map(({ ulid }) => moveStream(video.ulid, ulid, 'running')),
  ]);
}
