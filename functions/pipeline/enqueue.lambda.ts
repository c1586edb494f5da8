import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { videoJobKinds } from '../../shared/protocol/job-kinds.ts';
import { sendTaskSuccess } from '../aws/executions.ts';
import { addVideoToLog } from '../common/log.ts';
import { askedTracks } from '../planning/audio/choose-tracks.ts';
import { sizeJob } from '../queue/size-job.ts';
import { type JobId, probeJobId, thumbnailsJobId } from '../table/job-id.ts';
import { discardJob } from '../table/jobs/job-endings.ts';
import { findJobWithVideo } from '../table/jobs/job-table.ts';
import { queueJob, requeueJob, setTaskToken } from '../table/jobs/queued-jobs.ts';
import type { Job, Video } from '../table/records.ts';
import { isCurrentPlan } from '../table/videos/run.ts';
import { findVideo } from '../table/videos/video-table.ts';
import { tracksSchema } from '../templates/query-structure.ts';
import { launchWorkers } from '../workers/launch-workers.ts';
import { startEarlyWorker } from '../workers/start-early-worker.ts';
import { runInput, superseded } from './current-run.ts';

const input = runInput.extend({
  taskToken: z.string(),
  kind: z.enum(videoJobKinds),
  group: z.int().default(0),
  index: z.int(),
});
type Input = z.infer<typeof input>;

/**
 * Every state that waits for a worker job: queues the job under the state's task token. A repeated call replaces the
 * token of a job that is queued or leased, answers at once for a job that is done, and queues a failed job again.
 */
export async function handler(event: unknown): Promise<void> {
  const request = input.parse(event);
  addVideoToLog(request.videoUlid, request.planNumber);
  while (!(await tryEnqueue(request))) {
    // A worker or another call changed the job since it was read: read it again.
  }
  // For all other jobs, the Plan state starts the workers, since it knows how many there will be.
  if (request.kind === 'probe') await Promise.all([startEarlyWorker(request.videoUlid), launchWorkers()]);
}

/** The states do not know which source a video has. */
async function jobIdOf(id: Omit<Input, 'taskToken'>): Promise<JobId> {
  if (id.kind !== 'probe' && id.kind !== 'thumbnails') return id;
  const video = await findVideo(id.videoUlid);
  if (!video) throw superseded();
  return id.kind === 'probe' ? probeJobId(video) : thumbnailsJobId(video, id.planNumber);
}

/** False when the job was changed between the read and the write. */
async function tryEnqueue(request: Input): Promise<boolean> {
  const { taskToken, ...rest } = request;
  const id = await jobIdOf(rest);
  const { job, videoOfJob } = await findJobWithVideo(id, request.planNumber);
  if (!videoOfJob || !isCurrentPlan(videoOfJob, request.planNumber)) throw superseded();
  const tracks = id.kind === 'probe' ? tracksOf(videoOfJob.video) : undefined;
  if (job && id.kind === 'probe' && isOpenOrDone(job) && !isDeepStrictEqual(job.tracks, tracks)) {
    // The query of the video names other tracks than those that were probed.
    await discardJob(job);
    return false;
  }
  if (job?.status === 'QUEUED' || job?.status === 'LEASED') return setTaskToken(job, taskToken);
  if (job?.status === 'DONE') {
    await sendTaskSuccess(taskToken);
    return true;
  }
  const { aheadSeconds, isUrgent, ...size } = await sizeJob(rest);
  const { ownerUlid, virtualTimeSeconds = 0 } = videoOfJob.video;
  const queueing = { ownerUlid, virtualTimeSeconds: virtualTimeSeconds + aheadSeconds, isUrgent };
  return job
    ? requeueJob({ ...job, tracks }, taskToken, queueing)
    : queueJob(id, { taskToken, ...size, ...(tracks && { tracks }), ...queueing });
}

const isOpenOrDone = ({ status }: Job): boolean => status === 'QUEUED' || status === 'LEASED' || status === 'DONE';

const tracksOf = ({ query }: Video): Job['tracks'] => askedTracks(tracksSchema.optional().parse(query?.tracks));
