import { JobError } from '../../shared/protocol/job-errors.ts';
import { videoJobKinds } from '../../shared/protocol/job-kinds.ts';
import type { JobKind, JobResult, JobSpec, Lease, StoredSegments } from '../../shared/protocol/jobs.ts';
import { deliver } from '../jobs/deliver.ts';
import { encodeAudio } from '../jobs/encode-audio.ts';
import { encodeVideo } from '../jobs/encode-video.ts';
import { extractText } from '../jobs/extract-text.ts';
import { ingest } from '../jobs/ingest.ts';
import type { JobContext } from '../jobs/job-context.ts';
import { packageTracks } from '../jobs/package.ts';
import { probe } from '../jobs/probe.ts';
import { measureQuality } from '../jobs/quality.ts';
import { makeThumbnails } from '../jobs/thumbnails.ts';
import { transcribe } from '../jobs/transcribe.ts';
import { cpuSecondsSince, endedChildrenCpuSeconds } from '../runtime/child-cpu.ts';
import type { Log } from '../runtime/log.ts';
import type { ProcessPriority } from '../runtime/process-priority.ts';
import { makeLeaseFolder, removeFolder } from '../runtime/work-folder.ts';
import type { SpeechFiles } from '../speech/engine-process.ts';
import { localFileError } from '../transfer/local-file.ts';
import { leaseFiles } from './lease-files.ts';
import type { Report } from './report.ts';
import type { FileCall } from './service-calls.ts';
import type { WorkerEvent } from './state.ts';

type Job<Kind extends JobKind> = (context: JobContext<Extract<JobSpec, { kind: Kind }>>) => Promise<JobResult<Kind>>;

const jobs: { [Kind in JobKind]: Job<Kind> } = {
  probe,
  quality: measureQuality,
  'encode-video': encodeVideo,
  'encode-audio': encodeAudio,
  package: packageTracks,
  thumbnails: makeThumbnails,
  text: extractText,
  ingest,
  deliver,
  transcribe,
};

type Environment = {
  workFolder: string;
  workerName: string;
  speech?: SpeechFiles | undefined;
  log: Log;
  askFiles: FileCall;
};
export type LeaseRun = Environment & {
  lease: Lease;
  signal: AbortSignal;
  reportProgress: (fraction: number) => void;
  reportStored: (stored: StoredSegments) => void;
};

/** The one job that a worker process runs at a time. */
export type JobSlot = {
  start: (lease: Lease) => void;
  /** makes the running job fail with `reason` */
  stop: (reason: JobError) => void;
  /** resolves when no job runs any more, after its `jobEnded` event */
  ended: () => Promise<void>;
  /** resolves when the folder of the last job is removed as well */
  removed: () => Promise<void>;
};

export function createJobSlot(environment: Environment, dispatch: (event: WorkerEvent) => void): JobSlot {
  let abort = new AbortController();
  let ended = Promise.resolve();
  let removed = Promise.resolve();
  return {
    start: (lease) => {
      abort = new AbortController();
      const log = environment.log.with({ lease: lease.id, kind: lease.kind });
      const reportProgress = (fraction: number): void => dispatch({ type: 'jobProgressed', fraction });
      const reportStored = (stored: StoredSegments): void =>
        dispatch({ type: 'segmentsStored', lease: lease.id, stored });
      log.info('job started');
      dispatch({ type: 'jobStarted', lease: lease.id });
      const run = { ...environment, lease, signal: abort.signal, log, reportProgress, reportStored };
      // Two jobs at a time could fill the disk.
      ended = removed
        .then(() => runLease(run))
        .then((end) => {
          removed = end.removed;
          dispatch({ type: 'jobEnded', report: end.report });
        });
    },
    stop: (reason) => abort.abort(reason),
    ended: () => ended,
    removed: () => ended.then(() => removed),
  };
}

/** `removed` resolves when the folder of the job is removed, which takes half a second for large files. */
export type LeaseEnd = { report: Report; removed: Promise<void> };

/** Runs the job of a lease in a temporary folder. Never throws: a failure is a report. */
export async function runLease(run: LeaseRun): Promise<LeaseEnd> {
  const { lease, workFolder, workerName, speech, signal, log, reportProgress, reportStored, askFiles } = run;
  const startedMs = Date.now();
  const cpu = cpuMeter(lease.kind);
  const { wallSeconds } = lease.limits;
  const limit = new AbortController();
  const timer = setTimeout(
    () => limit.abort(new JobError('TIME_LIMIT', `the job took longer than ${wallSeconds} s`)),
    wallSeconds * 1000,
  );
  const anyStop = AbortSignal.any([signal, limit.signal]);
  let folder: string | undefined;
  const end = (report: Report): LeaseEnd => {
    clearTimeout(timer);
    // a failed job may leave uploads running
    limit.abort(new Error('the job has ended'));
    return { report, removed: removeJobFolder(folder, log) };
  };
  try {
    folder = await makeLeaseFolder(workFolder, workerName);
    const job = jobs[lease.kind] as ((context: JobContext) => Promise<JobResult>) | undefined;
    if (!job) throw new JobError('INTERNAL', `this worker does not support ${lease.kind} jobs`);
    const { spec, limits, nearStore: isNearStore = false } = lease;
    const priority = priorityOf(lease);
    const files = leaseFiles(lease, (request) => askFiles(request, anyStop));
    const reports = { log, reportProgress, reportStored, countCpu: cpu.count };
    const result = await job({
      spec,
      ...files,
      limits,
      priority,
      isNearStore,
      speech,
      folder,
      signal: anyStop,
      ...reports,
    });
    log.info('job done', { seconds: (Date.now() - startedMs) / 1000, cpuSeconds: cpu.seconds() });
    return end({ done: { lease: lease.id, result } });
  } catch (error) {
    const { code, fatal, message } = asJobError(anyStop.aborted ? anyStop.reason : error, folder);
    const isInternal = code === 'INTERNAL';
    // The uploader is told to ask the operator, who has to find the cause.
    const isForOperator = isInternal || code === 'MODEL_UNUSABLE';
    const cpuSeconds = cpu.seconds();
    const ended = { code, fatal, reason: message, cpuSeconds };
    log[isForOperator ? 'error' : 'warn']('job failed', { ...ended, ...(isInternal && { error }) });
    return end({ failed: { lease: lease.id, code, fatal, message: message.slice(0, 2000), cpuSeconds } });
  }
}

/**
 * The processor time of a job that has ended. Those that run beside another job count their own: the child processes
 * that end meanwhile are mostly of that one.
 */
function cpuMeter(kind: JobKind): { count: (seconds: number) => void; seconds: () => number } {
  const before = endedChildrenCpuSeconds();
  const isBeside = !videoJobKinds.some((one) => one === kind);
  let counted = 0;
  return {
    count: (seconds) => {
      counted += seconds;
    },
    seconds: () => (isBeside ? Math.round(counted * 100) / 100 : cpuSecondsSince(before)),
  };
}

/** Viewers wait for the first chunk, and for the first second of the audio that is encoded beside it. */
function priorityOf({ kind, urgent = false }: Lease): ProcessPriority {
  if (!urgent) return 'low';
  return kind === 'encode-audio' ? 'reduced' : 'normal';
}

const removeJobFolder = async (folder: string | undefined, log: Log): Promise<void> => {
  if (!folder) return;
  await removeFolder(folder).catch((error) => log.error('the job folder could not be removed', { error }));
};

function asJobError(error: unknown, folder: string | undefined): JobError {
  if (error instanceof JobError) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT') return new JobError('DISK_FULL', 'the worker ran out of disk space');
  // the box reader failed, so the encoder's files are incomplete
  if (error instanceof RangeError) return new JobError('OUTPUT_MISMATCH', message);
  const local = folder === undefined ? undefined : localFileError(error, folder);
  if (local) return local;
  return new JobError('INTERNAL', 'internal error of the worker', { cause: error });
}
