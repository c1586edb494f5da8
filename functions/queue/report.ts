import { now } from '../../shared/clock.ts';
import { readEnvironment } from '../../shared/environment.ts';
import { fetcherJobKinds, isForFetchers } from '../../shared/protocol/job-kinds.ts';
import {
  type JobKind,
  type JobResult,
  jobResultSchemas,
  type StoredSegments,
  type SyncRequest,
} from '../../shared/protocol/jobs.ts';
import { isUnavailable } from '../aws/is-unavailable.ts';
import { isWriteRejected } from '../aws/is-write-rejected.ts';
import { ValidationFailed } from '../common/errors.ts';
import { log } from '../common/log.ts';
import { advancePlayback } from '../early-playback/advance-playback.ts';
import { expectedFiles, jobTracks, resultFiles } from '../job-results/job-files.ts';
import { storeResult } from '../job-results/job-results.ts';
import { workPart } from '../planning/work-part.ts';
import { readPlanOf } from '../stored-plans/stored-plans.ts';
import { completeJob } from '../table/jobs/job-endings.ts';
import { needsRenewal, recordStored, renewLease, restoreLease } from '../table/jobs/job-leases.ts';
import { recordProgress } from '../table/jobs/job-progress.ts';
import { poolNode } from '../table/nodes/pool-node.ts';
import type { Job, StoredByAttempt, VideoJob } from '../table/records.ts';
import { measureSpeed } from '../workers/node-capacity.ts';
import type { Caller } from './caller.ts';
import { findGrantedLease, type GrantedLease, isOpen } from './granted-lease.ts';
import { emitJobDone } from './job-metrics.ts';
import { announceDone, chargedVideo } from './job-owner.ts';
import { reportFailed } from './report-failure.ts';
import { isSlow } from './stragglers/straggler.ts';
import { countUnusedCpu, cpuMillisecondsOf } from './unused-cpu.ts';

/**
 * Renews a running lease and records what its job has stored. False when the worker should stop. A lease that had
 * expired is restored while no other worker has the job. When another worker has it, both continue, and the first
 * result counts.
 */
export async function reportRunning(
  caller: Caller,
  { lease, progress, stored: reported }: NonNullable<SyncRequest['running']>,
): Promise<boolean> {
  const granted = await findGrantedLease(lease);
  if (!granted || !isOpen(granted.job)) return false;
  const { job, attempt } = granted;
  if (job.status === 'QUEUED') {
    const { node, worker, epoch } = caller;
    await restoreLease(job, { lease, holder: node, worker, epoch });
  }
  if (job.status !== 'LEASED' || job.lease !== lease) return true;
  const furthest = Math.max(progress, job.progress);
  // A smaller step is not worth a write before the lease needs its renewal.
  const recorded = furthest - job.progress < readEnvironment('PROGRESS_STEP') ? job.progress : furthest;
  const stored = await newlyStored(job, attempt, reported);
  const straggles = mayStraggle(job);
  if (!needsRenewal(job) && !straggles && recorded === job.progress) {
    if (stored) await recordStored(job, lease, stored);
  } else if (await renewLease(job, lease, { progress: recorded, stored, straggles })) {
    const units = (recorded - job.progress) * job.workUnits;
    if ('videoOfJob' in granted) await recordProgress(granted.videoOfJob.video, workPart(job), units);
  }
  if (stored && 'videoOfJob' in granted) await advancePlayback(granted.videoOfJob, job);
  // When a write fails, the job has changed: the response to the worker's next call follows from that.
  return true;
}

/** Whether a job is to be listed as a possible straggler now. It is listed once for each lease. */
function mayStraggle({ leasedAt, estimateSeconds, straggles, speculative }: Job): boolean {
  if (straggles || speculative || leasedAt === undefined) return false;
  return isSlow({ runningSeconds: (now() - Date.parse(leasedAt)) / 1000, estimateSeconds });
}

/**
 * Stores the first result of a job, from the current lease or an earlier one. A result for a job that has ended is
 * dropped. Returns the lease with its video, since the worker's next job is usually of the same video.
 */
export async function reportDone(
  caller: Caller,
  { lease, result }: NonNullable<SyncRequest['done']>,
): Promise<GrantedLease | undefined> {
  for (;;) {
    const granted = await findGrantedLease(lease);
    if (!granted) {
      await countDropped(lease, result);
      return undefined;
    }
    const { job, attempt } = granted;
    // The worker got no response to its first report, and the state machine may not have got the task's success.
    if (job.status === 'DONE' && job.attempt === attempt) {
      await announceDone(job);
      return granted;
    }
    if (!isOpen(job)) {
      await countDropped(lease, result);
      return granted;
    }

    const parsed = jobResultSchemas[job.kind].safeParse(result);
    if (!parsed.success) return refuse(lease, { issues: parsed.error.issues.slice(0, 10) });
    const cpuMilliseconds = cpuMillisecondsOf(parsed.data.cpuSeconds);
    try {
      const unexpected = isOfVideo(job) ? await unexpectedFiles({ ...job, attempt }, parsed.data) : [];
      if (unexpected.length > 0) return refuse(lease, { unexpected: unexpected.slice(0, 10) });
      const stored = await storeResult({ ...job, attempt }, parsed.data);
      const video = chargedVideo(granted);
      const completion = { job, attempt, stored, video, cpuMilliseconds, part: workPart(job) };
      // Another worker has ended the job, or it has another task token: read it again.
      if (!(await completeJob(completion))) continue;
    } catch (error) {
      if (isUnavailable(error) || !isWriteRejected(error)) throw error;
      return refuse(lease, { error: error as Error });
    }
    await announceDone(job);
    if ('videoOfJob' in granted) await advancePlayback(granted.videoOfJob, job);
    if (job.lease === lease) await measure(caller, job);
    return granted;
  }
}

/** Metrics of a job that the current lease has completed. */
async function measure({ node }: Caller, job: Job): Promise<void> {
  await emitJobDone(job);
  if (node === poolNode || !job.leasedAt || unmeasured.includes(job.kind)) return;
  await measureSpeed(node, job.estimateSeconds, (now() - Date.parse(job.leasedAt)) / 1000);
}

/**
 * The speed of a fetcher is that of a network. A measurement of quality uses one core for a part of its time, and a
 * transcription all of its time, beside other jobs.
 */
const unmeasured: readonly JobKind[] = [...fetcherJobKinds, 'quality', 'transcribe'];

const countDropped = (lease: string, result: unknown): Promise<void> =>
  countUnusedCpu(lease, (result as { cpuSeconds?: unknown } | null)?.cpuSeconds);

/**
 * Fails an attempt whose result cannot be stored. The worker gets an error for its call and continues with other jobs.
 */
async function refuse(lease: string, reason: Record<string, unknown> & { error?: Error }): Promise<never> {
  log.error('the result of a job was refused', { lease, ...reason });
  await reportFailed({ lease, code: 'RESULT_REFUSED', fatal: false, message: 'The result could not be stored.' });
  throw new ValidationFailed({ 'done.result': ['The result cannot be stored.'] });
}

const isOfVideo = (job: Job): job is VideoJob => !isForFetchers(job.kind);

/** Files of a result that the worker has no URLs for. */
async function unexpectedFiles(job: VideoJob, result: JobResult): Promise<string[]> {
  const expected = new Set(await expectedFiles(job));
  return resultFiles(result).filter((file) => !expected.has(file));
}

/**
 * What a report adds to the stored segments of a job. Undefined when it adds nothing: the count only grows, until the
 * encoder runs a second time or the job has another attempt.
 * @throws ValidationFailed when the job does not make what is reported
 */
async function newlyStored(
  job: Job,
  attempt: number,
  reported: StoredSegments | undefined,
): Promise<StoredByAttempt | undefined> {
  if (!reported || !isMore(reported, job.stored?.attempt === attempt ? job.stored : undefined)) return undefined;
  const fault = await faultOf(job, reported);
  if (fault !== undefined) throw new ValidationFailed({ 'running.stored': [fault] });
  return { attempt, ...reported };
}

const isMore = (reported: StoredSegments, known: StoredSegments | undefined): boolean =>
  !known || reported.run > known.run || (reported.run === known.run && reported.segments > known.segments);

async function faultOf(job: Job, { segments, codecs }: StoredSegments): Promise<string | undefined> {
  if (job.kind !== 'encode-video' && job.kind !== 'encode-audio') return 'Only jobs that encode store segments.';
  const planned = jobTracks(await readPlanOf(job), job);
  if (segments > planned.segments.length) return `The job has only ${planned.segments.length} segments.`;
  const isComplete = planned.names.every((name) => Object.hasOwn(codecs, name));
  return isComplete && Object.keys(codecs).length === planned.names.length
    ? undefined
    : `The codecs must be those of ${planned.names.join(', ')}.`;
}
