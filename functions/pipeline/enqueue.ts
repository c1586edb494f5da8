import * as z from 'zod';
import { jobKinds } from '../../shared/protocol/job-kinds.ts';
import { sendTaskSuccess } from '../aws/executions.ts';
import { probeId } from '../queue/probe-id.ts';
import { sizeJob } from '../queue/size-job.ts';
import { queueJob, requeueJob, setTaskToken } from '../table/queue/job-table.ts';
import { launchWorkers } from '../workers/launch-workers.ts';
import { jobOfCurrentPlan } from './current-run.ts';

const input = z.object({
  taskToken: z.string(),
  videoUlid: z.string(),
  planNumber: z.int(),
  kind: z.enum(jobKinds),
  group: z.int().default(0),
  index: z.int(),
});
type Input = z.infer<typeof input>;

/**
 * Queues a job that a state waits for, under that state's token. Asked again it only changes the token: a job that is worked on goes on, one that is
 * done is answered at once, one that failed or was lost is queued anew.
 */
export async function handler(event: unknown): Promise<void> {
  const asked = input.parse(event);
  while (!(await settled(asked))) {
    // Lost a race against a worker or another call: look again at what is there now.
  }
  // Planning starts the workers for all other jobs, once it knows how many.
  if (asked.kind === 'probe') await launchWorkers();
}

async function settled(asked: Input): Promise<boolean> {
  const { taskToken, ...rest } = asked;
  const id = asked.kind === 'probe' ? probeId(asked.videoUlid) : rest;
  const { job, video } = await jobOfCurrentPlan(id, asked.planNumber);
  if (job?.status === 'QUEUED' || job?.status === 'LEASED') return setTaskToken(job, taskToken);
  if (job?.status === 'DONE') {
    await sendTaskSuccess(taskToken);
    return true;
  }
  const { aheadSeconds, ...size } = await sizeJob(rest);
  const queueing = { ownerUlid: video.ownerUlid, turnSeconds: (video.turnSeconds ?? 0) + aheadSeconds };
  return job
    ? requeueJob(job, taskToken, queueing)
    : queueJob(id, { kind: asked.kind, taskToken, ...size, ...queueing });
}
