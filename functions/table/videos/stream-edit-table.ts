import { timestamp } from '../../../shared/clock.ts';
import { ConditionFailed, getItem, transact, type Write, write } from '../items/items.ts';
import { keys, owned } from '../items/keys.ts';
import { type Stream, type StreamEdit, streamEditRecord, streamRecord, type Video } from '../records.ts';
import { findWholeVideo, type WholeVideo } from './video-table.ts';

/** A change that is asked for. Its run is `nextPlan(video)`, or those after it when several are asked for together. */
export type NewStreamEdit = Omit<StreamEdit, 'videoUlid' | 'executionArn' | 'createdAt'>;

/** The change that a run carries out, or undefined when it is over or there was none. */
export const findStreamEdit = (videoUlid: string, planNumber: number): Promise<StreamEdit | undefined> =>
  getItem(streamEditRecord, keys.streamEdit(videoUlid, planNumber));

/**
 * The writes that put changes of a finished video in line. They are carried out one after the other, since each rebuilds outputs from what the one
 * before left. The first write fails when the video was changed since it was read.
 */
export function beginStreamEdits(video: Video, changes: NewStreamEdit[]): Write[] {
  const first = changes[0]?.planNumber;
  const last = changes.at(-1)?.planNumber;
  const { ulid, planNumber, lastPlanNumber, editPlanNumber } = video;
  return [
    {
      update: keys.video(ulid),
      set: { lastPlanNumber: last, editPlanNumber: editPlanNumber ?? first },
      when: {
        equals: {
          status: 'completed',
          planNumber,
          lastPlanNumber,
          ...(editPlanNumber !== undefined && { editPlanNumber }),
        },
        absent: ['deletedAt', ...(editPlanNumber === undefined ? ['editPlanNumber'] : [])],
      },
    },
    ...changes.map((change) => ({
      put: {
        ...keys.streamEdit(ulid, change.planNumber),
        ...owned('all', 'stream-edit', `${ulid}#${String(change.planNumber).padStart(6, '0')}`),
        kind: 'stream-edit',
        ...streamEditRecord.parse({ ...change, videoUlid: ulid, createdAt: timestamp() }),
      },
    })),
  ];
}

/** Gives the change to an execution. False when another one has it. */
export async function claimStreamEdit(change: StreamEdit, executionArn: string): Promise<boolean> {
  if (change.executionArn !== undefined) return change.executionArn === executionArn;
  const key = keys.streamEdit(change.videoUlid, change.planNumber);
  try {
    await write({ update: key, set: { executionArn }, when: { exists: true, absent: ['executionArn'] } });
    return true;
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    const current = await findStreamEdit(change.videoUlid, change.planNumber);
    return current?.executionArn === executionArn;
  }
}

/**
 * Ends a change together with what `writes` make of it, and lets the next one in line begin.
 * @returns the run of the next one, which is to be started if it is not by now; undefined when none waits
 */
export async function endStreamEdit(
  { videoUlid, planNumber }: Pick<StreamEdit, 'videoUlid' | 'planNumber'>,
  writes: (whole: WholeVideo) => Write[],
): Promise<number | undefined> {
  for (;;) {
    const whole = await findWholeVideo(videoUlid);
    // Ended before, by a call that may have died before it began the next.
    if (!whole?.edits.some((change) => change.planNumber === planNumber)) return whole?.video.editPlanNumber;
    const next = whole.edits.find((change) => change.planNumber > planNumber)?.planNumber;
    try {
      await transact([
        { delete: keys.streamEdit(videoUlid, planNumber), when: { exists: true } },
        {
          update: keys.video(videoUlid),
          ...(next === undefined ? { remove: ['editPlanNumber'] } : { set: { editPlanNumber: next } }),
          // One that was put in line since the read must not be left waiting for nothing.
          when: {
            equals: { editPlanNumber: planNumber, lastPlanNumber: whole.video.lastPlanNumber },
            absent: ['deletedAt'],
          },
        },
        ...writes(whole),
      ]);
      return next;
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
    }
  }
}

/** The write that puts streams into a video, or changes all of them. */
export const streamsPut = (videoUlid: string, streams: Stream[]): Write => ({
  update: keys.streams(videoUlid),
  set: Object.fromEntries(streams.map((stream) => [`streams.${stream.ulid}`, streamRecord.parse(stream)])),
  when: { exists: true },
});
