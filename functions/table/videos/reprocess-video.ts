import { isDeepStrictEqual } from 'node:util';
import { jobTransitions, statusesBefore, videoTransitions } from '../../contracts/statuses.ts';
import { held } from '../items/conditional.ts';
import type { Write } from '../items/items.ts';
import { keys } from '../items/keys.ts';
import { anyAmount, reserve } from '../quotas/reserve.ts';
import type { JobOf, Quota, Template, User, Video } from '../records.ts';
import { videoActivity } from '../writes/activity-writes.ts';
import { videoEvent } from '../writes/event-writes.ts';
import { listedStatus, markWorking } from '../writes/video-writes.ts';

/** The number of the next plan. */
export const nextPlan = ({ lastPlanNumber }: Pick<Video, 'lastPlanNumber'>): number => lastPlanNumber + 1;

/** What a video is made by: the query of its template, in which options of its upload replace those of the template. */
export const queryOf = ({ sourceOptions }: Pick<Video, 'sourceOptions'>, { query }: Template): Template['query'] => ({
  ...query,
  ...(sourceOptions?.picture && { picture: sourceOptions.picture }),
  ...(sourceOptions?.tracks && { tracks: sourceOptions.tracks }),
});

/** Whether the plan of a video was made of another query than it has with its template now. */
export const isOfOtherQuery = (video: Video, template: Template | undefined): boolean =>
  video.query !== null && !isDeepStrictEqual(template && queryOf(video, template), video.query);

/**
 * `replan` takes a new plan number. Under the same one, finished jobs and outputs are kept. `probe` is a finished probe
 * job to repeat. `quota` is that of the video's owner.
 */
export type Reprocessing = {
  replan: boolean;
  probe: JobOf<'probe'> | undefined;
  properties: { force?: boolean };
  quota: Quota | null;
};

/**
 * Moves a video that has ended back to pending, for an execution that the caller starts. False when it has not ended,
 * was deleted or changed after it was read, or when one of its streams is being edited. The estimate of the last plan
 * is held of the owner's quota until the run has a plan itself.
 * @throws QuotaExceeded
 */
export async function reprocessVideo(video: Video, reprocessing: Reprocessing, by: User): Promise<boolean> {
  const { replan, probe, properties, quota } = reprocessing;
  const { planNumber, executionCount, lastPlanNumber } = video;
  const writes: Write[] = [
    {
      update: keys.video(video.ulid),
      set: {
        ...listedStatus(video, 'pending'),
        executionArn: null,
        startedAt: null,
        // The new plan is made of the template's query as it is when the work begins.
        ...(replan && { planNumber: nextPlan(video), query: null }),
      },
      add: { executionCount: 1, ...(replan && { lastPlanNumber: 1 }) },
      when: {
        equals: { planNumber, executionCount, lastPlanNumber },
        oneOf: { status: statusesBefore(videoTransitions, 'pending') },
        absent: ['deletedAt', 'editPlanNumber', 'sourceDeletedAt'],
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
    videoEvent('video.reprocessing', video),
  ];
  const claim = {
    key: keys.runReservation(video.ownerUlid, video.ulid, replan ? nextPlan(video) : planNumber),
    // Under the same plan, finished jobs are not repeated: how many are left is known when it is planned.
    amounts: { uploadBytes: 0, cpuMilliseconds: replan ? Math.ceil((video.estimatedCpuSeconds ?? 0) * 1000) : 0 },
  };
  const needed = { cpuMilliseconds: anyAmount.cpuMilliseconds };
  return held(() => reserve({ ulid: video.ownerUlid, quota }, [claim], { writes, needed }));
}
