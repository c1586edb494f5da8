import { timestamp } from '../../../shared/clock.ts';
import type { Write } from '../items/items.ts';
import { keys, owned } from '../items/keys.ts';
import type { Video } from '../records.ts';
import { statusesBefore, videoTransitions } from '../statuses.ts';
import { markWorking } from '../writes/video-writes.ts';
import { waitingSweep } from './sweep-table.ts';

/**
 * Takes a video from everyone's sight and into the list of those whose files are to be removed, with all that was counted of it. The first write fails
 * when it is deleted already, or has another owner or template by now: those are the ones it is counted for.
 */
export const deletion = (video: Video): Write[] => [
  {
    update: keys.video(video.ulid),
    set: { deletedAt: timestamp(), ...owned('all', 'deleted', video.ulid) },
    when: { equals: { ownerUlid: video.ownerUlid, templateUlid: video.templateUlid }, absent: ['deletedAt'] },
  },
  waitingSweep(video.ulid),
  { delete: keys.working(video.ulid) },
  { delete: keys.id('video', video.id) },
  { update: keys.userCounts(video.ownerUlid), add: { videos: -1 } },
  { update: keys.templateCounts(video.templateUlid), add: { references: -1 } },
  { delete: keys.templateReader(video.templateUlid, video.ownerUlid, video.ulid) },
];

/** The number of the plan that is made next. */
export const nextPlan = ({ lastPlanNumber }: Pick<Video, 'lastPlanNumber'>): number => lastPlanNumber + 1;

/**
 * Takes a finished video back to pending, for an execution that is started afterwards. Under the same plan, what is done stays done; `anew` makes
 * another plan, and with it everything.
 */
export const reprocessing = (video: Video, { anew }: { anew: boolean }): Write[] => [
  {
    update: keys.video(video.ulid),
    set: { status: 'pending', executionArn: null, startedAt: null, ...(anew && { planNumber: nextPlan(video) }) },
    add: { executionCount: 1, ...(anew && { lastPlanNumber: 1 }) },
    when: {
      equals: {
        planNumber: video.planNumber,
        executionCount: video.executionCount,
        lastPlanNumber: video.lastPlanNumber,
      },
      oneOf: { status: statusesBefore(videoTransitions, 'pending') },
      absent: ['deletedAt', 'editPlanNumber'],
    },
  },
  markWorking(video.ulid),
];
