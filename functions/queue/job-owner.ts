import { stateErrors } from '../../shared/protocol/job-errors.ts';
import { startIngests, startTranscriptions } from '../aws/background-functions.ts';
import { sendTaskFailure, sendTaskSuccess } from '../aws/executions.ts';
import { probePlanNumber } from '../table/job-id.ts';
import type { JobCompletion, JobFailure } from '../table/jobs/job-endings.ts';
import type { Job } from '../table/records.ts';
import type { GrantedLease } from './granted-lease.ts';

// A job belongs to a plan of a video, for which a state of an execution waits, or to an ingest or captions from speech,
// which a function continues.

type EndedJob = Pick<Job, 'kind' | 'taskToken' | 'videoUlid'>;

/** Reports that a job is done to what waits for it. False when nothing waits. */
export const announceDone = ({ kind, taskToken, videoUlid }: EndedJob): Promise<boolean> =>
  continueWithout(kind, videoUlid) ?? sendTaskSuccess(taskToken);

/** Reports a job's failure to what waits for the job. False when nothing waits. */
export const announceFailed = ({ kind, taskToken, videoUlid }: EndedJob, failure: JobFailure): Promise<boolean> =>
  continueWithout(kind, videoUlid) ??
  sendTaskFailure(taskToken, errorName(failure), `${failure.code}: ${failure.message}`);

/** Undefined for a kind of job that a state waits for. */
function continueWithout(kind: Job['kind'], videoUlid: string): Promise<boolean> | undefined {
  if (kind === 'ingest') return startIngests({ ulid: videoUlid });
  return kind === 'transcribe' ? startTranscriptions(videoUlid) : undefined;
}

function errorName({ code, fatal }: JobFailure): string {
  if (fatal) return stateErrors.jobFatal;
  return code === 'WORKER_STOPPED' ? stateErrors.workerLost : stateErrors.jobTransient;
}

/** The video that the work of a job is counted for; of an ingest, the video that is made of it. */
export function chargedVideo(granted: GrantedLease): JobCompletion['video'] {
  if ('videoOfJob' in granted) return granted.videoOfJob.video;
  const { ulid, ownerUlid, externalUserId } = granted.ingestOfJob.upload;
  return { ulid, ownerUlid, externalUserId, planNumber: probePlanNumber };
}
