import { jobKinds } from '../../shared/protocol/job-kinds.ts';
import type { JobKind } from '../../shared/protocol/jobs.ts';
import { findUploadsOf } from '../table/ingests/ingest-table.ts';
import { findJobsById } from '../table/jobs/job-table.ts';
import { ingestQueue, type QueuedJobEntry, queuedJobs, queuedUsers } from '../table/queue/queue-table.ts';
import type { Upload } from '../table/records.ts';

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
  const [listed, ingests] = await Promise.all([
    queuedUsers(maxCountedUsers + 1),
    queuedJobs(ingestQueue, maxCountedJobs + 1),
  ]);
  const counted = ingests.slice(0, maxCountedJobs);
  const owners = new Map((await findUploadsOf(counted.map(({ id }) => ({ ulid: id.videoUlid })))).map(ownerOf));
  const ingestsOf = (user: string) => counted.filter(({ id }) => owners.get(id.videoUlid) === user);
  const first = listed.slice(0, maxCountedUsers);
  const others = [...new Set(owners.values())].filter((owner) => !first.some(({ userUlid }) => userUlid === owner));
  const users = await Promise.all([
    ...first.map(async (user) =>
      depthOf(user.userUlid, [...(await queuedJobs(user, maxCountedJobs + 1)), ...ingestsOf(user.userUlid)]),
    ),
    ...others.map((owner) => depthOf(owner, ingestsOf(owner))),
  ]);
  return {
    users: users.filter((user) => user !== undefined),
    capped: listed.length > maxCountedUsers || ingests.length > maxCountedJobs,
  };
}

const ownerOf = ({ ulid, ownerUlid }: Upload) => [ulid, ownerUlid] as const;

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
