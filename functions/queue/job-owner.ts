import { stateErrors } from '../../shared/protocol/job-errors.ts';
import { startIngests, startStorageDeliveries, startTranscriptions } from '../aws/background-functions.ts';
import { sendTaskFailure, sendTaskSuccess } from '../aws/executions.ts';
import { probePlanNumber } from '../table/job-id.ts';
import type { JobCompletion, JobFailure } from '../table/jobs/job-endings.ts';
import type { Job } from '../table/records.ts';
import type { GrantedLease } from './granted-lease.ts';

// A job belongs to a plan of a video, for which a state of an execution waits, or to an ingest, a storage delivery or
// captions from speech, which functions continue.

type EndedJob = Pick<Job, 'kind' | 'taskToken' | 'videoUlid'>;

/** Reports that a job is done to what waits for it. False when nothing waits. */
export const announceDone = (job: EndedJob): Promise<boolean> => continueOwner(job) ?? sendTaskSuccess(job.taskToken);

/** Reports a job's failure to what waits for the job. False when nothing waits. */
export const announceFailed = (job: EndedJob, failure: JobFailure): Promise<boolean> =>
  continueOwner(job) ?? sendTaskFailure(job.taskToken, errorName(failure), `${failure.code}: ${failure.message}`);

/** Undefined for a kind of job that a state waits for. */
function continueOwner({ kind, videoUlid: ulid }: EndedJob): Promise<boolean> | undefined {
  if (kind === 'ingest') return startIngests({ ulid });
  if (kind === 'deliver') return startStorageDeliveries({ ulid });
  return kind === 'transcribe' ? startTranscriptions(ulid) : undefined;
}

function errorName({ code, fatal }: JobFailure): string {
  if (fatal) return stateErrors.jobFatal;
  return code === 'WORKER_STOPPED' ? stateErrors.workerLost : stateErrors.jobTransient;
}

/** The video that the work of a job is counted for; of an ingest, the video that is made of it. */
export function chargedVideo(granted: GrantedLease): JobCompletion['video'] {
  if ('videoOfJob' in granted) return granted.videoOfJob.video;
  if ('delivery' in granted) {
    const { videoUlid, ownerUlid, externalUserId } = granted.delivery;
    return { ulid: videoUlid, ownerUlid, externalUserId, planNumber: probePlanNumber };
  }
  const { ulid, ownerUlid, externalUserId } = granted.ingestOfJob.upload;
  return { ulid, ownerUlid, externalUserId, planNumber: probePlanNumber };
}
