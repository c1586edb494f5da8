import { newUlid } from '../../../functions/common/ids.ts';
import { due } from '../../../functions/table/items/due-keys.ts';
import { write } from '../../../functions/table/items/items.ts';
import { keys } from '../../../functions/table/items/keys.ts';
import { leaseJob } from '../../../functions/table/jobs/job-leases.ts';
import { queueJob } from '../../../functions/table/jobs/queued-jobs.ts';
import type { Template } from '../../../functions/table/records.ts';
import { queueFields } from '../../../functions/table/writes/job-fields.ts';
import { timestamp } from '../../../shared/clock.ts';
import { createPerson } from '../../../test/fixtures/create-person.ts';
import { prototypesOfKind, storeOpenUpload, storeWaitingVideo } from './store-records.ts';

/** What has to be done after an outage. */
export type Backlog = { waitingVideos: number; expiredUploads: number; expiredLeases: number };

export const noBacklog: Backlog = { waitingVideos: 0, expiredUploads: 0, expiredLeases: 0 };

const [dayMilliseconds, minuteMilliseconds] = [24 * 3600 * 1000, 60_000];
const days = (count: number, more: number): string =>
  timestamp(Date.now() - count * dayMilliseconds + more * minuteMilliseconds);

/**
 * Stores the records whose copies are a backlog. Those of one kind have different times, so that their order shows.
 * @returns for each kind what stores the next record
 */
export async function backlogMakers(template: Template) {
  const uploader = await createPerson();
  const waitingUsers = await Promise.all(Array.from({ length: prototypesOfKind }, () => createPerson()));
  const counts = { waitingVideos: 0, expiredUploads: 0, expiredLeases: 0 };
  return {
    /** A few users have all waiting videos. */
    waitingUsers: waitingUsers.map(({ user }) => user.ulid),
    makers: {
      waitingVideos: () => storeWaitingVideo(waitingUsers[counts.waitingVideos++]!.user, template),
      expiredUploads: () => storeOpenUpload(uploader.user, template, { createdAt: days(9, counts.expiredUploads++) }),
      expiredLeases: () => storeExpiredLease(days(1, counts.expiredLeases++)),
    },
  };
}

/** Stores the job of a worker that stopped calling. */
async function storeExpiredLease(leaseExpiresAt: string): Promise<void> {
  const [videoUlid, ownerUlid, lease] = [newUlid(), newUlid(), newUlid()];
  const id = { videoUlid, planNumber: 1, kind: 'encode-video', group: 0, index: 0 } as const;
  await queueJob(id, { ownerUlid, taskToken: 't', estimateSeconds: 40, workUnits: 1, virtualTimeSeconds: 0 });
  await leaseJob({ ...id, attempt: 0 }, { lease, holder: 'pool', worker: `w-${lease}`, epoch: 'e1' });
  await write({ update: keys.job(id), set: { leaseExpiresAt, ...due('pool-lease', lease, leaseExpiresAt) } });
  await write({ update: keys.queueUser(ownerUlid), remove: [...queueFields] });
}
