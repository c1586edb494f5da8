import type { Lease } from '../../shared/jobs.ts';
import { log } from '../../shared/log.ts';
import { jobRecord } from '../../shared/records.ts';
import { getItem } from '../../shared/table/items.ts';
import { leaseJob, nextInQueue } from '../../shared/table/jobs.ts';
import { findWholeVideo, moveOutput, moveStream } from '../../shared/table/videos.ts';
import type { Caller } from './caller.ts';
import { composeLease } from './compose.ts';
import { newLease } from './lease-id.ts';
import { reportFailed } from './report.ts';

/** How far down the queue a worker looks when others are taking the same jobs. */
const candidates = 10;

/** The next job for a worker, or undefined when there is none. */
export async function leaseNext(caller: Caller): Promise<Lease | undefined> {
  for (const { key } of await nextInQueue(candidates)) {
    const waiting = await getItem(jobRecord, key);
    if (waiting?.status !== 'QUEUED') continue;
    const holder = { lease: newLease(waiting), holder: caller.node, worker: caller.worker, epoch: caller.epoch };
    const job = await leaseJob(key, holder);
    if (!job) continue;
    try {
      const whole = await findWholeVideo(job.videoUlid);
      if (!whole || whole.video.run !== job.run) {
        await reportFailed({ lease: holder.lease, code: 'CANCELLED', fatal: true, message: 'The video is gone.' });
        continue;
      }
      if (job.kind === 'encode-video' || job.kind === 'encode-audio') await markStarted(whole);
      return await composeLease(job, whole.video);
    } catch (error) {
      log.error('a job could not be handed out', { lease: holder.lease, error: error as Error });
      await reportFailed({
        lease: holder.lease,
        code: 'INTERNAL',
        fatal: false,
        message: 'The job could not be handed out.',
      });
    }
  }
  return undefined;
}

/** The first job of a video that encodes shows in its outputs and streams. Later ones find nothing pending and write nothing. */
async function markStarted({
  video,
  outputs,
  streams,
}: NonNullable<Awaited<ReturnType<typeof findWholeVideo>>>): Promise<void> {
  await Promise.all([
    ...outputs.filter(({ status }) => status === 'pending').map(({ ulid }) => moveOutput(video.ulid, ulid, 'running')),
    ...streams.filter(({ status }) => status === 'pending').map(({ ulid }) => moveStream(video.ulid, ulid, 'running')),
  ]);
}
