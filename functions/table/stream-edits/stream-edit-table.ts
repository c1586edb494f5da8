import { editedStreamTransitions, statusesBefore } from '../../contracts/statuses.ts';
import { tryTransact, tryWrite } from '../items/conditional.ts';
import { duePages } from '../items/due-pages.ts';
import { below } from '../items/expression.ts';
import { ConditionFailed, getItem, getItems, type Write, write } from '../items/items.ts';
import { keys } from '../items/keys.ts';
import { type OriginalChange, type RetiredFiles, type Stream, type StreamEdit, streamEditRecord } from '../records.ts';
import { findWholeVideo, type WholeVideo } from '../videos/video-table.ts';
import { partEvent } from '../writes/event-writes.ts';
import { runRelease } from '../writes/reservation-writes.ts';
import { attemptsRetirement, retirement } from '../writes/retirement-writes.ts';
import { streamEditCheck } from '../writes/stream-edit-writes.ts';

export type StreamEditId = Pick<StreamEdit, 'videoUlid' | 'planNumber'>;

/** The stream edit that a plan carries out. Undefined when the edit has ended or the plan is that of a whole video. */
export const findStreamEdit = (videoUlid: string, planNumber: number): Promise<StreamEdit | undefined> =>
  getItem(streamEditRecord, keys.streamEdit(videoUlid, planNumber));

/** Stream edits that are waiting or being carried out, those whose check is the longest ago first, page by page. */
export async function* dueStreamEdits(): AsyncGenerator<StreamEdit[]> {
  for await (const page of duePages(['stream-edit'])) {
    yield (await getItems(page)).map((item) => streamEditRecord.parse(item));
  }
}

/** Has a stream edit checked after the others. Nothing when it has ended. */
export const postponeStreamEdit = ({ videoUlid, planNumber }: StreamEditId): Promise<boolean> =>
  tryWrite({
    update: keys.streamEdit(videoUlid, planNumber),
    set: streamEditCheck({ videoUlid }),
    when: { exists: true },
  });

/** Claims a stream edit for an execution. False when another execution has it. */
export async function claimStreamEdit(edit: StreamEdit, executionArn: string): Promise<boolean> {
  if (edit.executionArn !== undefined) return edit.executionArn === executionArn;
  const key = keys.streamEdit(edit.videoUlid, edit.planNumber);
  try {
    await write({ update: key, set: { executionArn }, when: { exists: true, absent: ['executionArn'] } });
    return true;
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    const current = await findStreamEdit(edit.videoUlid, edit.planNumber);
    return current?.executionArn === executionArn;
  }
}

/** How a stream edit ends. */
export type StreamEditEnding = {
  /** the edited stream, unless the edit removes it or it was deleted */
  stream?: { ulid: string; status: 'completed' | 'failed'; changes: Partial<Omit<Stream, 'status'>> } | undefined;
  original?: OriginalChange | undefined;
  /** the poster that the edit has made */
  thumbnailPath?: string | undefined;
  retired: RetiredFiles[];
  /** whether unused results of the edit's attempts are removed later */
  retireAttempts: boolean;
};

/**
 * Ends a stream edit and makes the next one of the video the current one, in one transaction.
 * @param endingOf decides from the video as it is; called again when the video has changed since it was read
 * @returns the plan of the next edit, whose execution the caller starts; undefined when no edit waits
 */
export async function endStreamEdit(
  { videoUlid, planNumber }: StreamEditId,
  endingOf: (whole: WholeVideo) => StreamEditEnding,
): Promise<number | undefined> {
  for (;;) {
    const whole = await findWholeVideo(videoUlid);
    // An earlier call ended it and may have died before it started the next.
    if (!whole?.edits.some((edit) => edit.planNumber === planNumber)) return whole?.video.editPlanNumber;
    const next = whole.edits.find((edit) => edit.planNumber > planNumber)?.planNumber;
    const ending = endingOf(whole);
    const isEnded = await tryTransact([
      { delete: keys.streamEdit(videoUlid, planNumber), when: { exists: true } },
      runRelease(whole.video, { planNumber }),
      {
        update: keys.video(videoUlid),
        set: {
          ...(next !== undefined && { editPlanNumber: next }),
          ...(ending.thumbnailPath !== undefined && { thumbnailPath: ending.thumbnailPath, posterIsChosen: true }),
        },
        ...(next === undefined && { remove: ['editPlanNumber'] }),
        // An edit that was added after the read must become the next one.
        when: {
          equals: { editPlanNumber: planNumber, lastPlanNumber: whole.video.lastPlanNumber },
          absent: ['deletedAt'],
        },
      },
      ...streamsUpdate(videoUlid, ending),
      ...(ending.stream ? [partEvent('stream', ending.stream.status, whole.video, ending.stream.ulid)] : []),
      ...ending.retired.map(retirement),
      ...(ending.retireAttempts ? [attemptsRetirement(videoUlid)] : []),
    ]);
    if (isEnded) return next;
  }
}

/** Streams are one item, and a transaction writes an item once: both streams change in one update. */
function streamsUpdate(videoUlid: string, { stream, original }: StreamEditEnding): Write[] {
  if (!stream && !original) return [];
  const path = `streams.${stream?.ulid}`;
  return [
    {
      update: keys.streams(videoUlid),
      set: {
        ...(stream && below(path, { ...stream.changes, status: stream.status })),
        ...(original?.meta && { [`streams.${original.ulid}.meta`]: original.meta }),
      },
      when: stream
        ? { oneOf: below(path, { status: statusesBefore(editedStreamTransitions, stream.status) }) }
        : { exists: true },
    },
  ];
}
