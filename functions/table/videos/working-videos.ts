import * as z from 'zod';
import { now, timestamp } from '../../../shared/clock.ts';
import { tryTransact, tryWrite } from '../items/conditional.ts';
import { duePages } from '../items/due-pages.ts';
import { getItems } from '../items/items.ts';
import { keys } from '../items/keys.ts';
import type { Video } from '../records.ts';
import { quietMilliseconds, workingCheck } from '../writes/video-writes.ts';
import type { WholeVideo } from './video-table.ts';

const markRecord = z.object({
  ulid: z.string(),
  /** reconcile has answered the states of jobs that ended up to here */
  answeredUpTo: z.string().default(''),
});
export type WorkingMark = z.infer<typeof markRecord>;

/**
 * Videos that an execution works on or should work on and that are to be checked now, those whose check is the longest
 * ago first, page by page. Waiting videos are not among them.
 */
export async function* dueWorking(): AsyncGenerator<WorkingMark[]> {
  for await (const page of duePages(['working'])) {
    yield (await getItems(page)).map((item) => markRecord.parse(item));
  }
}

/** Whether a video makes no progress: its execution may have died. */
export const isQuiet = ({ video, progressAt = '' }: WholeVideo): boolean =>
  [video.startedAt ?? '', progressAt].every((at) => at <= timestamp(now() - quietMilliseconds));

/** Has a working video checked again later. Nothing when it has ended or waits. */
export const postponeWorking = ({ ulid, answeredUpTo }: WorkingMark): Promise<boolean> =>
  tryWrite({
    update: keys.working(ulid),
    set: { ...workingCheck(ulid), ...(answeredUpTo !== '' && { answeredUpTo }) },
    when: { exists: true, absent: ['ownerKey'] },
  });

/** Takes a video that has ended from the list of working videos. False when it is processed again, or was deleted. */
export const unmarkWorking = ({ ulid, executionCount }: Video): Promise<boolean> =>
  tryTransact([
    { check: keys.video(ulid), when: { equals: { executionCount }, oneOf: { status: ['completed', 'failed'] } } },
    { delete: keys.working(ulid) },
  ]);
