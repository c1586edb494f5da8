import { held } from '../items/conditional.ts';
import type { Write } from '../items/items.ts';
import { keys } from '../items/keys.ts';
import { type QuotaOwner, reserve } from '../quotas/reserve.ts';
import type { Run } from '../videos/run.ts';
import { estimatedKinds } from '../writes/reservation-writes.ts';
import { findJobs } from './job-table.ts';

/** Jobs of a plan, and the CPU seconds that they are estimated to take. */
export type Work = { jobs: number; seconds: number };

/** The encode jobs of a run that are done: those of an earlier execution when the video is processed again. */
export async function finishedWork({ planNumber, whole }: Run): Promise<Work> {
  const jobs = await findJobs(whole.video.ulid, planNumber);
  const done = jobs.filter(({ status, kind }) => status === 'DONE' && estimatedKinds.includes(kind));
  return { jobs: done.length, seconds: done.reduce((sum, { estimateSeconds }) => sum + estimateSeconds, 0) };
}

/** What is left of the work of a plan. */
export const remainingWork = (planned: Work, done: Work): Work => ({
  jobs: Math.max(0, planned.jobs - done.jobs),
  seconds: Math.max(0, planned.seconds - done.seconds),
});

/**
 * Holds the CPU seconds of a run that is being planned, in place of the estimate that its request held, and stores the
 * estimate of the whole plan for a later reprocess. False when the run ended or the video got another owner.
 * @throws QuotaExceeded
 */
export function reservePlannedWork(
  { kind, planNumber, whole: { video } }: Run,
  owner: QuotaOwner,
  { planSeconds, remaining }: { planSeconds: number; remaining: number },
): Promise<boolean> {
  const isOwned = { equals: { ownerUlid: owner.ulid }, absent: ['deletedAt'] };
  const writes: Write[] =
    kind === 'video'
      ? [{ update: keys.video(video.ulid), set: { estimatedCpuSeconds: planSeconds }, when: isOwned }]
      : [
          { check: keys.video(video.ulid), when: isOwned },
          { check: keys.streamEdit(video.ulid, planNumber), when: { exists: true } },
        ];
  const claim = {
    key: keys.runReservation(owner.ulid, video.ulid, planNumber),
    amounts: { uploadBytes: 0, cpuMilliseconds: Math.ceil(remaining * 1000) },
  };
  return held(() => reserve(owner, [claim], { writes }));
}
