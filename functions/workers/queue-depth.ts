import { jobKinds } from '../../shared/protocol/job-kinds.ts';
import type { JobKind } from '../../shared/protocol/jobs.ts';
import { findUploadsOf } from '../table/ingests/ingest-table.ts';
import { findJobsById } from '../table/jobs/job-table.ts';
import {
  ingestQueue,
  type QueuedJobEntry,
  queuedJobs,
  queuedUsers,
  transcriptionQueue,
} from '../table/queue/queue-table.ts';
import { findVideosOf } from '../table/videos/video-table.ts';

/** The users who are next, and the queued jobs of each, that are counted. More are not read: a queue has no bound. */
export const maxCountedUsers = 50;
export const maxCountedJobs = 500;

export type UserDepth = {
  userUlid: string;
  jobs: number;
  /** the user has more jobs than were counted */
  capped: boolean;
  kinds: { kind: JobKind; jobs: number }[];
  /** when the job that is next was queued */
  nextQueuedAt: string;
};

/**
 * The queued jobs of the users who are next, in the order in which they are served. `capped` when more users may have
 * queued jobs.
 */
export async function readQueueDepth(): Promise<{ users: UserDepth[]; capped: boolean }> {
  const [listed, ingests, transcriptions] = await Promise.all([
    queuedUsers(maxCountedUsers + 1),
    queuedJobs(ingestQueue, maxCountedJobs + 1),
    queuedJobs(transcriptionQueue, maxCountedJobs + 1),
  ]);
  const counted = [...ingests.slice(0, maxCountedJobs), ...transcriptions.slice(0, maxCountedJobs)];
  const [uploads, videos] = await Promise.all([
    findUploadsOf(recordsOf(ingests)),
    findVideosOf(recordsOf(transcriptions)),
  ]);
  const owners = new Map([...uploads, ...videos].map(({ ulid, ownerUlid }) => [ulid, ownerUlid]));
  const besideOf = (user: string) => counted.filter(({ id }) => owners.get(id.videoUlid) === user);
  const first = listed.slice(0, maxCountedUsers);
  const others = [...new Set(owners.values())].filter((owner) => !first.some(({ userUlid }) => userUlid === owner));
  const users = await Promise.all([
    ...first.map(async (user) =>
      depthOf(user.userUlid, [...(await queuedJobs(user, maxCountedJobs + 1)), ...besideOf(user.userUlid)]),
    ),
    ...others.map((owner) => depthOf(owner, besideOf(owner))),
  ]);
  return {
    users: users.filter((user) => user !== undefined),
    capped: listed.length > maxCountedUsers || Math.max(ingests.length, transcriptions.length) > maxCountedJobs,
  };
}

const recordsOf = (entries: QueuedJobEntry[]): { ulid: string }[] => {
  const ulids = new Set(entries.slice(0, maxCountedJobs).map(({ id }) => id.videoUlid));
  return [...ulids].map((ulid) => ({ ulid }));
};

async function depthOf(userUlid: string, found: QueuedJobEntry[]): Promise<UserDepth | undefined> {
  const counted = found.slice(0, maxCountedJobs);
  // The index lags behind the records: the first job may be leased by now.
  const next = await findJobsById(counted.slice(0, 5).map(({ id }) => id));
  const nextQueuedAt = next.find(({ status }) => status === 'QUEUED')?.queuedAt;
  if (nextQueuedAt === undefined) return undefined;
  const kinds = jobKinds.map((kind) => ({ kind, jobs: counted.filter(({ id }) => id.kind === kind).length }));
  return {
    userUlid,
    jobs: counted.length,
    capped: found.length > maxCountedJobs,
    kinds: kinds.filter(({ jobs }) => jobs > 0),
    nextQueuedAt,
  };
}
