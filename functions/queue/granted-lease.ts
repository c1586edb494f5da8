import { randomBytes } from 'node:crypto';
import { jobKinds } from '../../shared/protocol/job-kinds.ts';
import { parseUlid } from '../common/ids.ts';
import { isFinal } from '../contracts/statuses.ts';
import { findJobWithIngest, type IngestOfJob } from '../table/ingests/ingest-table.ts';
import { type JobId, probePlanNumber } from '../table/job-id.ts';
import { attemptOf } from '../table/jobs/job-attempts.ts';
import type { Holder } from '../table/jobs/job-leases.ts';
import { findJobWithVideo, type VideoOfJob } from '../table/jobs/job-table.ts';
import type { DeliverJob, IngestJob, Job, StorageDelivery, VideoJob } from '../table/records.ts';
import { findJobWithDelivery } from '../table/storage-deliveries/storage-delivery-table.ts';
import { isCurrentPlan } from '../table/videos/run.ts';
import { findVideo } from '../table/videos/video-table.ts';
import type { Caller } from './caller.ts';

/**
 * A lease that was granted for an attempt at a job, with the job and its video, its ingest or its delivery, as they are
 * now. The lease may have expired.
 */
export type GrantedLease = GrantedVideoLease | GrantedIngestLease | GrantedDeliverLease;
export type GrantedVideoLease = { job: VideoJob; attempt: number; videoOfJob: VideoOfJob };
export type GrantedIngestLease = { job: IngestJob; attempt: number; ingestOfJob: IngestOfJob };
export type GrantedDeliverLease = { job: DeliverJob; attempt: number; delivery: StorageDelivery };

/** Finds a lease by name. Undefined when it was never granted, or its job is not needed any more. */
export async function findGrantedLease(lease: string): Promise<GrantedLease | undefined> {
  const id = parseLease(lease);
  if (!id) return undefined;
  if (id.kind === 'deliver') return findDeliverLease(id, lease);
  return id.kind === 'ingest' ? findIngestLease(id, lease) : findVideoLease(id, lease);
}

async function findVideoLease(id: JobId, lease: string): Promise<GrantedVideoLease | undefined> {
  const { job, videoOfJob } = await findJobWithVideo(id);
  const attempt = job && attemptOf(job, lease);
  return attempt && videoOfJob && isNeeded(videoOfJob, job) ? { job: job as VideoJob, attempt, videoOfJob } : undefined;
}

async function findIngestLease(id: JobId, lease: string): Promise<GrantedIngestLease | undefined> {
  const { job, ingestOfJob } = await findJobWithIngest(id);
  const attempt = job && attemptOf(job, lease);
  return attempt && ingestOfJob && isFetched(ingestOfJob) ? { job, attempt, ingestOfJob } : undefined;
}

async function findDeliverLease(id: JobId, lease: string): Promise<GrantedDeliverLease | undefined> {
  const { job, delivery } = await findJobWithDelivery(id);
  const attempt = job && attemptOf(job, lease);
  return attempt && delivery && (await isDelivered(delivery)) ? { job, attempt, delivery } : undefined;
}

/**
 * Whether the files of a delivery are still to be copied: the video is what it was when they were listed, and is that
 * of the storage's owner.
 */
export async function isDelivered({ status, videoUlid, ownerUlid, planNumber }: StorageDelivery): Promise<boolean> {
  const video = status === 'running' ? await findVideo(videoUlid) : undefined;
  return video !== undefined && video.planNumber === planNumber && video.ownerUlid === ownerUlid;
}

/** Whether the file of an ingest is still to be fetched. */
export const isFetched = ({ upload, ingest }: IngestOfJob): boolean =>
  upload.status === 'open' && (ingest.status === 'pending' || ingest.status === 'fetching');

/**
 * Whether a video still needs a job: the job's plan is a current one, and a probe is needed until the video has ended.
 * Captions may follow when the video is completed.
 */
export function isNeeded(videoOfJob: VideoOfJob, { planNumber, kind }: Pick<Job, 'planNumber' | 'kind'>): boolean {
  const { planNumber: current, status } = videoOfJob.video;
  if (planNumber !== current && planNumber !== probePlanNumber) return isCurrentPlan(videoOfJob, planNumber);
  return !isFinal(status) || ((kind === 'text' || kind === 'transcribe') && status === 'completed');
}

/** Whether a job still waits for a result, from any worker. */
export const isOpen = ({ status, error }: Job): boolean =>
  status === 'QUEUED' || status === 'LEASED' || (status === 'FAILED' && error?.fatal === false);

/**
 * A new lease for a worker. Its name holds the job's id, so that no index is needed to find the job, and a nonce that
 * cannot be guessed.
 */
export const newHolder = ({ node, worker, epoch }: Caller, job: JobId): Holder => ({
  lease: newLease(job),
  holder: node,
  worker,
  epoch,
});

const newLease = ({ videoUlid, planNumber, kind, group, index }: JobId): string =>
  [videoUlid, planNumber, kind, group, index, randomBytes(12).toString('base64url')].join('.');

/** The job that a lease names. Undefined when the text is not a lease. */
export function parseLease(lease: string): JobId | undefined {
  const [video = '', planNumber, kindText, group, index, nonce] = lease.split('.');
  const videoUlid = parseUlid(video);
  const kind = jobKinds.find((known) => known === kindText);
  const numbers = [planNumber, group, index].map(Number);
  if (!videoUlid || !kind || nonce === undefined || numbers.some((number) => !Number.isSafeInteger(number))) {
    return undefined;
  }
  return { videoUlid, planNumber: numbers[0]!, kind, group: numbers[1]!, index: numbers[2]! };
}
