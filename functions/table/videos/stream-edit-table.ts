import { timestamp } from '../../../shared/clock.ts';
import { ConditionFailed, getItem, transact, type Write, write } from '../items/items.ts';
import { keys, owned } from '../items/keys.ts';
import { type Stream, type StreamChange, streamChangeRecord, streamRecord, type Video } from '../records.ts';
import { findWholeVideo, type WholeVideo } from './video-table.ts';

/** A change that is asked for. Its run is `nextPlan(video)`, or those after it when several are asked for together. */
export type NewStreamChange = Omit<StreamChange, 'videoUlid' | 'executionArn' | 'createdAt'>;

/** The change that a run carries out, or undefined when it is over or there was none. */
export const findStreamChange = (videoUlid: string, run: number): Promise<StreamChange | undefined> =>
  getItem(streamChangeRecord, keys.streamChange(videoUlid, run));

/**
 * The writes that put changes of a finished video in line. They are carried out one after the other, since each rebuilds outputs from what the one
 * before left. The first write fails when the video was changed since it was read.
 */
export function streamChangesBegin(video: Video, changes: NewStreamChange[]): Write[] {
  const first = changes[0]?.run;
  const last = changes.at(-1)?.run;
  const { ulid, run, plans, changing } = video;
  return [
    {
      update: keys.video(ulid),
      set: { plans: last, changing: changing ?? first },
      when: {
        equals: { status: 'completed', run, plans, ...(changing !== undefined && { changing }) },
        absent: ['deletedAt', ...(changing === undefined ? ['changing'] : [])],
      },
    },
    ...changes.map((change) => ({
      put: {
        ...keys.streamChange(ulid, change.run),
        ...owned('all', 'change', `${ulid}#${String(change.run).padStart(6, '0')}`),
        kind: 'change',
        ...streamChangeRecord.parse({ ...change, videoUlid: ulid, createdAt: timestamp() }),
      },
    })),
  ];
}

/** Gives the change to an execution. False when another one has it. */
export async function claimStreamChange(change: StreamChange, executionArn: string): Promise<boolean> {
  if (change.executionArn !== undefined) return change.executionArn === executionArn;
  const key = keys.streamChange(change.videoUlid, change.run);
  try {
    await write({ update: key, set: { executionArn }, when: { exists: true, absent: ['executionArn'] } });
    return true;
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    const current = await findStreamChange(change.videoUlid, change.run);
    return current?.executionArn === executionArn;
  }
}

/**
 * Ends a change together with what `writes` make of it, and lets the next one in line begin.
 * @returns the run of the next one, which is to be started if it is not by now; undefined when none waits
 */
export async function endStreamChange(
  { videoUlid, run }: Pick<StreamChange, 'videoUlid' | 'run'>,
  writes: (whole: WholeVideo) => Write[],
): Promise<number | undefined> {
  for (;;) {
    const whole = await findWholeVideo(videoUlid);
    // Ended before, by a call that may have died before it began the next.
    if (!whole?.changes.some((change) => change.run === run)) return whole?.video.changing;
    const next = whole.changes.find((change) => change.run > run)?.run;
    try {
      await transact([
        { delete: keys.streamChange(videoUlid, run), when: { exists: true } },
        {
          update: keys.video(videoUlid),
          ...(next === undefined ? { remove: ['changing'] } : { set: { changing: next } }),
          // One that was put in line since the read must not be left waiting for nothing.
          when: { equals: { changing: run, plans: whole.video.plans }, absent: ['deletedAt'] },
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
