import { tryTransact } from '../items/conditional.ts';
import { keys } from '../items/keys.ts';
import type { JobOf, User, Video } from '../records.ts';
import { jobTransitions, statusesBefore, videoTransitions } from '../statuses.ts';
import { videoActivity } from '../writes/activity-writes.ts';
import { markWorking } from '../writes/video-writes.ts';

/** The number of the next plan. */
export const nextPlan = ({ lastPlanNumber }: Pick<Video, 'lastPlanNumber'>): number => lastPlanNumber + 1;

/**
 * `replan` takes a new plan number. Under the same one, finished jobs and outputs are kept. `probe` is a finished probe
 * job to repeat.
 */
export type Reprocessing = { replan: boolean; probe: JobOf<'probe'> | undefined; properties: { force?: boolean } };

/**
 * Moves a video that has ended back to pending, for an execution that the caller starts. False when it has not ended,
 * was deleted or changed after it was read, or when one of its streams is being edited.
 */
export function reprocessVideo(video: Video, { replan, probe, properties }: Reprocessing, by: User): Promise<boolean> {
  const { planNumber, executionCount, lastPlanNumber } = video;
  return tryTransact([
    {
      update: keys.video(video.ulid),
      set: { status: 'pending', executionArn: null, startedAt: null, ...(replan && { planNumber: nextPlan(video) }) },
      add: { executionCount: 1, ...(replan && { lastPlanNumber: 1 }) },
      when: {
        equals: { planNumber, executionCount, lastPlanNumber },
        oneOf: { status: statusesBefore(videoTransitions, 'pending') },
        absent: ['deletedAt', 'editPlanNumber'],
      },
    },
    markWorking(video.ulid),
    ...(probe?.status === 'DONE'
      ? [
          {
            update: keys.job(probe),
            set: { status: 'CANCELLED' },
            when: {
              equals: { status: probe.status, attempt: probe.attempt },
              oneOf: { status: statusesBefore(jobTransitions, 'CANCELLED') },
            },
          },
        ]
      : []),
    videoActivity(by, video, 'reprocessed', `Reprocessed ${video.name}`, {
      template_id: video.templateId,
      ...properties,
    }),
  ]);
}
