import { jobKinds } from '../../shared/protocol/job-kinds.ts';
import type { JobKind } from '../../shared/protocol/jobs.ts';
import { findUploadsOf } from '../table/ingests/ingest-table.ts';
import { findJobsById } from '../table/jobs/job-table.ts';
import {
  fetcherQueue,
  type QueuedJobEntry,
  queuedJobs,
  queuedUsers,
  transcriptionQueue,
} from '../table/queue/queue-table.ts';
import { findStorageDeliveries } from '../table/storage-deliveries/storage-delivery-table.ts';
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
  const [listed, forFetchers, transcriptions] = await Promise.all([
    queuedUsers(maxCountedUsers + 1),
    queuedJobs(fetcherQueue, maxCountedJobs + 1),
    queuedJobs(transcriptionQueue, maxCountedJobs + 1),
  ]);
  const counted = [...forFetchers.slice(0, maxCountedJobs), ...transcriptions.slice(0, maxCountedJobs)];
  const owners = await ownersOf(counted);
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
    capped: listed.length > maxCountedUsers || Math.max(forFetchers.length, transcriptions.length) > maxCountedJobs,
  };
}

/** The users whose ingests, storage deliveries and transcriptions are queued, by the ULIDs of these. */
async function ownersOf(queued: readonly QueuedJobEntry[]): Promise<Map<string, string>> {
  const ulidsOf = (kind: JobKind) => [
    ...new Set(queued.filter(({ id }) => id.kind === kind).map(({ id }) => id.videoUlid)),
  ];
  const [uploads, deliveries, videos] = await Promise.all([
    findUploadsOf(ulidsOf('ingest').map((ulid) => ({ ulid }))),
    findStorageDeliveries(ulidsOf('deliver')),
    findVideosOf(ulidsOf('transcribe').map((ulid) => ({ ulid }))),
  ]);
  return new Map([...uploads, ...deliveries, ...videos].map(({ ulid, ownerUlid }) => [ulid, ownerUlid]));
}

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
