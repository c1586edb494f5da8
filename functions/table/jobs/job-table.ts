import * as z from 'zod';
import type { JobKind } from '../../../shared/protocol/jobs.ts';
import { type JobStatus, jobStatuses } from '../../contracts/statuses.ts';
import { getItem, getItems, queryItems } from '../items/items.ts';
import { jobIdOf, jobKindPrefix, keys } from '../items/keys.ts';
import { queryAfter, queryField } from '../items/ranges.ts';
import type { JobId } from '../job-id.ts';
import {
  type EarlyPlayback,
  earlyPlaybackRecord,
  type Job,
  type JobOf,
  jobRecordOf,
  parseJob,
  streamEditRecord,
  videoRecord,
} from '../records.ts';
import type { WholeVideo } from '../videos/video-table.ts';

const jobStatusSchema = z.enum(jobStatuses);

export const findJob = <Kind extends JobKind>(id: JobId<Kind>): Promise<JobOf<Kind> | undefined> =>
  getItem(jobRecordOf(id.kind), keys.job(id));

/** The jobs with these ids that exist, in their order. */
export const findJobsById = async (ids: JobId[]): Promise<Job[]> => (await getItems(ids.map(keys.job))).map(parseJob);

/** All jobs of a plan, in order of kind, group and index. */
export const findJobs = async (videoUlid: string, planNumber: number): Promise<Job[]> =>
  (await queryItems(keys.jobs(videoUlid, planNumber))).map(parseJob);

/** Up to `limit` jobs of a plan behind one of them, in the same order. */
export const findJobsAfter = async (
  videoUlid: string,
  planNumber: number,
  after: JobId | undefined,
  limit: number,
): Promise<Job[]> =>
  (await queryAfter(keys.jobs(videoUlid, planNumber), after && keys.job(after).sk, limit)).map(parseJob);

/** The status of each job of a plan, from an eventually consistent read. */
export const findJobStatuses = async (
  videoUlid: string,
  planNumber: number,
): Promise<{ kind: JobKind; status: JobStatus }[]> =>
  (await queryField(keys.jobs(videoUlid, planNumber), 'status')).map((item) => ({
    kind: jobIdOf(item).kind,
    status: jobStatusSchema.parse(item.status),
  }));

/** The jobs of one kind in a plan, in order of group and index. */
export async function findJobsOfKind<Kind extends JobKind>(
  videoUlid: string,
  planNumber: number,
  kind: Kind,
): Promise<JobOf<Kind>[]> {
  const items = await queryItems(keys.jobs(videoUlid, planNumber), jobKindPrefix(kind));
  return items.map((item) => jobRecordOf(kind).parse(item));
}

/**
 * What a job needs to know of its video. `edits` holds the stream edit that the job's plan carries out, if there is
 * one, and `early` the growing playlists of the video's plan.
 */
export type VideoOfJob = Pick<WholeVideo, 'video' | 'edits'> & { early?: EarlyPlayback | undefined };

/**
 * A job and its video in one read. `job` is undefined when it does not exist, `videoOfJob` when the video does not
 * exist or is deleted.
 * @param planNumber the plan that needs the job; a probe job is needed by plans and belongs to none
 */
export async function findJobWithVideo(
  id: JobId,
  planNumber: number = id.planNumber,
): Promise<{ job: Job | undefined; videoOfJob: VideoOfJob | undefined }> {
  const jobKey = keys.job(id);
  const videoKey = keys.video(id.videoUlid);
  const earlyKey = keys.earlyPlayback(id.videoUlid);
  const items = await getItems([jobKey, videoKey, earlyKey, keys.streamEdit(id.videoUlid, planNumber)]);
  const job = items.find(({ pk }) => pk === jobKey.pk);
  const stored = items.find(({ pk, sk }) => pk === videoKey.pk && sk === videoKey.sk);
  const video = stored && videoRecord.parse(stored);
  const playlists = items.find(({ pk, sk }) => pk === earlyKey.pk && sk === earlyKey.sk);
  const early = playlists && earlyPlaybackRecord.parse(playlists);
  const edits = items.filter(({ kind }) => kind === 'stream-edit').map((item) => streamEditRecord.parse(item));
  return {
    job: job && parseJob(job),
    videoOfJob: video && video.deletedAt === undefined ? { video, edits, early } : undefined,
  };
}
