import { jobKinds } from '../../shared/protocol/job-kinds.ts';
import type { JobKind } from '../../shared/protocol/jobs.ts';
import { findJobsById } from '../table/jobs/job-table.ts';
import { queuedJobs, queuedUsers, type WaitingUser } from '../table/queue/queue-table.ts';

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
  const listed = await queuedUsers(maxCountedUsers + 1);
  const users = await Promise.all(listed.slice(0, maxCountedUsers).map(depthOf));
  return { users: users.filter((user) => user !== undefined), capped: listed.length > maxCountedUsers };
}

async function depthOf(user: WaitingUser): Promise<UserDepth | undefined> {
  const { userUlid } = user;
  const found = await queuedJobs(user, maxCountedJobs + 1);
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
