import { now, timestamp } from '../../../shared/clock.ts';
import { type Due, due } from '../items/due-keys.ts';
import type { Write } from '../items/items.ts';
import { keys } from '../items/keys.ts';
import { type StreamEdit, streamEditRecord, type Video } from '../records.ts';

/**
 * A requested stream edit. Its plan is `nextPlan(video)`; several edits of one request have the plans from there on.
 */
export type NewStreamEdit = Omit<StreamEdit, 'videoUlid' | 'executionArn' | 'createdAt'>;

/** Has the next run of reconcile check a stream edit, after those that were not checked for longer. */
export const streamEditCheck = ({ videoUlid }: Pick<StreamEdit, 'videoUlid'>): Due =>
  due('stream-edit', videoUlid, timestamp(now() + 1));

/**
 * Edits of a video are carried out one after the other, since each rebuilds outputs from the result of the one before.
 */
export function requestStreamEdits(video: Video, edits: NewStreamEdit[]): Write[] {
  const { ulid, planNumber, lastPlanNumber, editPlanNumber } = video;
  return [
    {
      update: keys.video(ulid),
      set: { lastPlanNumber: edits.at(-1)?.planNumber, editPlanNumber: editPlanNumber ?? edits[0]?.planNumber },
      when: {
        equals: { status: 'completed', planNumber, lastPlanNumber, editPlanNumber },
        absent: [
          'deletedAt',
          ...(editPlanNumber === undefined ? ['editPlanNumber'] : []),
          ...(edits.some(({ action }) => action !== 'remove') ? ['sourceDeletedAt'] : []),
        ],
      },
    },
    ...edits.map((edit) => ({
      put: {
        ...keys.streamEdit(ulid, edit.planNumber),
        ...streamEditCheck({ videoUlid: ulid }),
        kind: 'stream-edit',
        ...streamEditRecord.parse({ ...edit, videoUlid: ulid, createdAt: timestamp() }),
      },
    })),
  ];
}
