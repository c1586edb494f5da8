import { now, timestamp } from '../../shared/clock.ts';
import { log } from '../common/log.ts';
import { readPlan } from '../stored-plans/stored-plans.ts';
import type { VideoOfJob } from '../table/jobs/job-table.ts';
import type { EarlyPlayback, Job, Video } from '../table/records.ts';
import { claimExtension } from '../table/videos/early-playback.ts';
import { findWholeVideo } from '../table/videos/video-table.ts';
import { extendPlayback } from './extend-playback.ts';
import { extensionInterval } from './pacing.ts';
import { runningOutput } from './running-output.ts';
import { startPlayback } from './start-playback.ts';

/**
 * Called when a job of a video has stored segments: lists them in the growing playlists of the output that plays while
 * the video is encoded. The reports of the video's jobs are the only clock, and few of them change the playlists. A
 * failure is only logged: the next report repeats it, and the video is completed without it.
 */
export async function advancePlayback(
  { video, early }: VideoOfJob,
  job: Pick<Job, 'planNumber' | 'kind' | 'group' | 'index'>,
): Promise<void> {
  if (video.status !== 'running' || job.planNumber !== video.planNumber) return;
  if (job.kind !== 'encode-video' && job.kind !== 'encode-audio') return;
  const known = early?.planNumber === video.planNumber ? early : undefined;
  // Viewers wait for the first chunk, so that it does not wait for the next report.
  const isAwaited = video.playableAt === undefined && job.kind === 'encode-video' && job.group + job.index === 0;
  if (known && known.dueAt > timestamp() && !isAwaited) return;
  try {
    await advance(video, known);
  } catch (error) {
    log.warn('the playlists of a running video could not be extended', { error: error as Error });
  }
}

async function advance(video: Video, known: EarlyPlayback | undefined): Promise<void> {
  const plan = await readPlan(video.ulid, video.planNumber);
  if (!plan.starter) return;
  const playableMilliseconds = video.playableAt === undefined ? undefined : now() - Date.parse(video.playableAt);
  const dueAt = timestamp(now() + extensionInterval(playableMilliseconds));
  if (!(await claimExtension(video, known, dueAt))) return;
  const whole = await findWholeVideo(video.ulid);
  const running = whole && runningOutput(whole, plan);
  if (!running) return;
  if (running.output.playableAt === undefined) await startPlayback(running);
  else if (known) await extendPlayback(running, known);
}
