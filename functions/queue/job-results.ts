import { resultKey } from '../../shared/object-keys.ts';
import { type JobKind, type JobResult, jobResultSchemas } from '../../shared/protocol/jobs.ts';
import { readObject, writeObject } from '../aws/object-store.ts';
import { findJobs, jobName, type StoredResult } from '../table/jobs/job-table.ts';
import type { Job } from '../table/records.ts';

/** An item of the table may have 400 KB, of which the audio of ten hours takes more: what is larger than this is an object. */
const inlineBytes = 100 * 1024;
const readsAtOnce = 8;

/** Makes ready what is stored of an attempt's result. A large one is written to the bucket, where nothing but the write that follows leads to it. */
export async function storeResult(job: Job, { warnings = [], ...result }: StoredJobResult): Promise<StoredResult> {
  const shown = warnings.length > 0 ? { warnings } : {};
  const body = JSON.stringify(result);
  if (Buffer.byteLength(body) <= inlineBytes) return { result, ...shown };
  const key = resultKey(job.videoUlid, job.planNumber, jobName(job), job.attempt);
  await writeObject(key, body, 'application/json');
  return { resultKey: key, ...shown };
}

type StoredJobResult = JobResult & { warnings?: string[] | undefined };

type JobOf<Kind extends JobKind> = Job & { kind: Kind };

export const isOfKind = <Kind extends JobKind>(job: Job, kind: Kind): job is JobOf<Kind> => job.kind === kind;

/** What a finished job made, without its warnings. */
export async function resultOf<Kind extends JobKind>(job: JobOf<Kind>): Promise<JobResult<Kind>> {
  if (job.resultKey === undefined) return job.result as JobResult<Kind>;
  const read: unknown = JSON.parse(new TextDecoder().decode(await readObject(job.resultKey)));
  return jobResultSchemas[job.kind].parse(read) as JobResult<Kind>;
}

/** Results of finished jobs of a kind with the attempt that made them, in order of group and index. */
export async function finishedJobs<Kind extends JobKind>(
  videoUlid: string,
  planNumber: number,
  kind: Kind,
): Promise<{ group: number; index: number; attempt: number; result: JobResult<Kind> }[]> {
  const done = (await findJobs(videoUlid, planNumber, kind)).filter(({ status }) => status === 'DONE');
  const results = new Map<Job, JobResult<Kind>>();
  const left = [...done];
  const read = async (): Promise<void> => {
    for (let job = left.pop(); job; job = left.pop()) results.set(job, await resultOf(job as JobOf<Kind>));
  };
  await Promise.all(Array.from({ length: readsAtOnce }, read));
  return done.map((job) => ({ group: job.group, index: job.index, attempt: job.attempt, result: results.get(job)! }));
}
