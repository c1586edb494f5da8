import type { z } from 'zod';
import { resultKey } from '../../shared/object-keys.ts';
import { type JobKind, type JobResult, jobResultSchemas } from '../../shared/protocol/jobs.ts';
import type { ProbeResult } from '../../shared/protocol/probe-result.ts';
import { readObject, writeObject } from '../aws/object-store.ts';
import { jobName, probeJobId } from '../table/job-id.ts';
import type { StoredResult } from '../table/jobs/job-endings.ts';
import { findJob, findJobsOfKind } from '../table/jobs/job-table.ts';
import type { Job, JobOf, Video } from '../table/records.ts';

/**
 * The largest result that is stored in the job's item. A call that reads the jobs of a plan, for example to end the
 * video, reads their items completely, and a long video has thousands. A larger result is read only where it is needed.
 */
const maxInlineBytes = 4 * 1024;
const parallelReads = 32;

/**
 * Stores a result that is too large for an item as an object. Nothing refers to the object before the job's item does.
 */
export async function storeResult(job: Job, { warnings = [], ...result }: ResultWithWarnings): Promise<StoredResult> {
  const stored = warnings.length > 0 ? { warnings } : {};
  const body = JSON.stringify(result);
  if (Buffer.byteLength(body) <= maxInlineBytes) return { result, ...stored };
  const key = resultKey(job.videoUlid, job.planNumber, jobName(job), job.attempt);
  await writeObject(key, body, 'application/json');
  return { resultKey: key, ...stored };
}

type ResultWithWarnings = JobResult & { warnings?: string[] | undefined };

const schemas: { [Kind in JobKind]: z.ZodType<JobResult<Kind>> } = jobResultSchemas;

/** The result of a finished job, without its warnings. */
export async function resultOf<Kind extends JobKind>({
  kind,
  result,
  resultKey,
}: JobOf<Kind>): Promise<JobResult<Kind>> {
  const stored: unknown =
    resultKey === undefined ? result : JSON.parse(new TextDecoder().decode(await readObject(resultKey)));
  return schemas[kind].parse(stored);
}

type ProbedVideo = Pick<Video, 'ulid' | 'sourceNumber'>;

/** What a probe found in a video's source. Undefined when the source is not probed yet, or is probed again. */
export async function findProbe(video: ProbedVideo): Promise<ProbeResult | undefined> {
  const job = await findJob(probeJobId(video));
  return job?.status === 'DONE' ? { ...(await resultOf(job)), warnings: job.warnings ?? [] } : undefined;
}

/** What a probe found in a video's source. Throws when the source is not probed yet. */
export async function probeOf(video: ProbedVideo): Promise<ProbeResult> {
  const probe = await findProbe(video);
  if (!probe) throw new Error(`the source of the video ${video.ulid} is not probed`);
  return probe;
}

/** Results of the finished jobs of a kind with the attempts that made them, in order of group and index. */
export async function finishedJobs<Kind extends JobKind>(
  videoUlid: string,
  planNumber: number,
  kind: Kind,
): Promise<{ group: number; index: number; attempt: number; result: JobResult<Kind> }[]> {
  const done = (await findJobsOfKind(videoUlid, planNumber, kind)).filter(({ status }) => status === 'DONE');
  const results = new Map<JobOf<Kind>, JobResult<Kind>>();
  const left = [...done];
  const read = async (): Promise<void> => {
    for (let job = left.pop(); job; job = left.pop()) results.set(job, await resultOf(job));
  };
  await Promise.all(Array.from({ length: parallelReads }, read));
  return done.map((job) => ({ group: job.group, index: job.index, attempt: job.attempt, result: results.get(job)! }));
}
