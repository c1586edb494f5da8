import { setTimeout as sleep } from 'node:timers/promises';
import { now } from '../../shared/clock.ts';
import { admitWaiting } from '../admission/admission.ts';
import { isExecutionRunning } from '../aws/executions.ts';
import { type DrainLimits, drain } from '../common/drain.ts';
import { isFinal } from '../contracts/statuses.ts';
import { failVideo } from '../runs/video-run/fail-video.ts';
import { enqueueWaiting } from '../table/admission/waiting-line.ts';
import type { Video } from '../table/records.ts';
import { findVideo, findWholeVideo, type WholeVideo } from '../table/videos/video-table.ts';
import {
  dueWorking,
  isQuiet,
  postponeWorking,
  unmarkWorking,
  type WorkingMark,
} from '../table/videos/working-videos.ts';
import { repairDelayMilliseconds } from './repair-delay.ts';
import { resendResults } from './resend-results.ts';

export type RepairedVideos = { notStarted: number; stopped: number; marks: number; results: number };

/** DescribeExecution may be called 15 times a second in an account, and the state machine's console calls it too. */
const describePace = createPacer(10);

/** Repairs videos that are marked as being processed while no execution works on them, or whose execution waits. */
export async function reconcileVideos(limits: DrainLimits): Promise<RepairedVideos> {
  const repaired: RepairedVideos = { notStarted: 0, stopped: 0, marks: 0, results: 0 };
  const check = async (mark: WorkingMark): Promise<WorkingMark> => {
    const whole = await findWholeVideo(mark.ulid);
    if (!whole) return mark;
    const repair = await repairVideo(whole);
    if (repair === 'quiet') {
      const { results, answeredUpTo } = await resendResults(whole, mark.answeredUpTo);
      repaired.results += results;
      return { ...mark, answeredUpTo };
    }
    if (repair) repaired[repair]++;
    return mark;
  };
  await drain(
    dueWorking(),
    async (mark) => {
      let checked = mark;
      try {
        checked = await check(mark);
      } finally {
        // Also after a failure, so that a video that cannot be repaired does not hold up the others.
        await postponeWorking(checked);
      }
    },
    limits,
  );
  if (repaired.notStarted > 0) await admitWaiting();
  return repaired;
}

type Repair = Exclude<keyof RepairedVideos, 'answers'>;

/** `quiet`: its execution runs, and no job of the video has reported anything for a while. */
async function repairVideo(whole: WholeVideo): Promise<Repair | 'quiet' | undefined> {
  const { video } = whole;
  if (isFinal(video.status)) return (await unmarkWorking(video)) ? 'marks' : undefined;
  if (!isQuiet(whole)) return undefined;
  if (video.executionArn !== null && (await isRunning(video.executionArn))) return 'quiet';
  if (video.status === 'pending') {
    if (Date.parse(video.createdAt) > now() - repairDelayMilliseconds) return undefined;
    // It was never started: enqueued, it is started by an execution with a new name.
    return (await enqueueWaiting(video)) ? 'notStarted' : undefined;
  }
  return (await failStopped(video)) ? 'stopped' : undefined;
}

async function isRunning(executionArn: string): Promise<boolean> {
  await describePace();
  return isExecutionRunning(executionArn);
}

async function failStopped(video: Video): Promise<boolean> {
  // The execution may have ended the video after it was read.
  const current = await findVideo(video.ulid);
  if (current?.executionArn !== video.executionArn || isFinal(current.status)) return false;
  await failVideo(video, 'INTERNAL: The processing was stopped. The video can be processed again.');
  return true;
}

/** Lets callers continue at most `perSecond` times a second, also when they wait at the same time. */
function createPacer(perSecond: number): () => Promise<void> {
  const stepMilliseconds = 1000 / perSecond;
  let nextMilliseconds = 0;
  return async () => {
    const at = Math.max(performance.now(), nextMilliseconds);
    nextMilliseconds = at + stepMilliseconds;
    const waitMilliseconds = at - performance.now();
    if (waitMilliseconds > 0) await sleep(waitMilliseconds);
  };
}
