import { JobError } from '../../shared/protocol/job-errors.ts';
import type { JobKind, JobResult, JobSpec, Lease, SyncRequest } from '../../shared/protocol/jobs.ts';
import { encodeAudio } from '../jobs/encode-audio.ts';
import { encodeVideo } from '../jobs/encode-video.ts';
import type { JobContext } from '../jobs/job-context.ts';
import { packageTracks } from '../jobs/package.ts';
import { probe } from '../jobs/probe.ts';
import { makeThumbnails } from '../jobs/thumbnails.ts';
import { cpuSecondsSince, endedChildrenCpuSeconds } from '../runtime/child-cpu.ts';
import type { Log } from '../runtime/log.ts';
import { dropFolder, makeLeaseFolder } from '../runtime/work-folder.ts';
import { localFileError } from '../transfer/local-file.ts';
import { leaseFiles } from './lease-files.ts';
import type { FileCall } from './service-calls.ts';

/** How a lease ended, as the next call reports it. */
export type Report = { done: NonNullable<SyncRequest['done']> } | { failed: NonNullable<SyncRequest['failed']> };

type Job<Kind extends JobKind> = (context: JobContext<Extract<JobSpec, { kind: Kind }>>) => Promise<JobResult<Kind>>;

const jobs: { [Kind in JobKind]: Job<Kind> } = {
  probe,
  'encode-video': encodeVideo,
  'encode-audio': encodeAudio,
  package: packageTracks,
  thumbnails: makeThumbnails,
};

export type LeaseRun = {
  lease: Lease;
  workFolder: string;
  workerName: string;
  signal: AbortSignal;
  log: Log;
  reportProgress: (fraction: number) => void;
  askFiles: FileCall;
};

/** Runs a lease in a folder of its own, which is gone when this resolves. Never throws: what went wrong is the report. */
export async function runLease({
  lease,
  workFolder,
  workerName,
  signal,
  log,
  reportProgress,
  askFiles,
}: LeaseRun): Promise<Report> {
  const startedMs = Date.now();
  const cpuBefore = endedChildrenCpuSeconds();
  const { wallSeconds } = lease.limits;
  const stop = new AbortController();
  const wall = setTimeout(
    () => stop.abort(new JobError('TIME_LIMIT', `the job took longer than ${wallSeconds} s`)),
    wallSeconds * 1000,
  );
  const anyStop = AbortSignal.any([signal, stop.signal]);
  let folder: string | undefined;
  try {
    folder = await makeLeaseFolder(workFolder, workerName);
    const job = jobs[lease.kind] as ((context: JobContext) => Promise<JobResult>) | undefined;
    if (!job) throw new JobError('INTERNAL', `this worker knows no job ${lease.kind}`);
    const { spec, limits } = lease;
    const files = leaseFiles(lease, (request) => askFiles(request, anyStop));
    const result = await job({ spec, ...files, limits, folder, signal: anyStop, log, reportProgress });
    log.info('job done', { seconds: (Date.now() - startedMs) / 1000 });
    return { done: { lease: lease.id, result } };
  } catch (error) {
    const { code, fatal, message } = asJobError(anyStop.aborted ? anyStop.reason : error, folder);
    const isOurs = code === 'INTERNAL';
    log[isOurs ? 'error' : 'warn']('job failed', { code, fatal, reason: message, ...(isOurs && { error }) });
    const cpuSeconds = cpuSecondsSince(cpuBefore);
    return { failed: { lease: lease.id, code, fatal, message: message.slice(0, 2000), cpuSeconds } };
  } finally {
    clearTimeout(wall);
    // uploads that a failure left under way
    stop.abort(new Error('the job has ended'));
    if (folder) await dropFolder(folder).catch((error) => log.error('a folder could not be removed', { error }));
  }
}

function asJobError(error: unknown, folder: string | undefined): JobError {
  if (error instanceof JobError) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT') return new JobError('DISK_FULL', 'the worker ran out of disk');
  // a reader of our own boxes stopped: the encoder's files are not whole
  if (error instanceof RangeError) return new JobError('OUTPUT_MISMATCH', message);
  const local = folder === undefined ? undefined : localFileError(error, folder);
  if (local) return local;
  return new JobError('INTERNAL', 'the worker made an error', { cause: error });
}
