import type { StoredSegments } from '../../shared/protocol/jobs.ts';
import { ValidationFailed } from '../common/errors.ts';
import { jobTracks } from '../job-results/job-files.ts';
import { readPlanOf } from '../stored-plans/stored-plans.ts';
import type { Job, StoredByAttempt } from '../table/records.ts';

/**
 * What a report adds to the stored segments of a job. Undefined when it adds nothing: the count only grows, until the
 * encoder runs a second time or the job has another attempt.
 * @throws ValidationFailed when the job does not make what is reported
 */
export async function newlyStored(
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
