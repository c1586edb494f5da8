import { now } from '../../../shared/clock.ts';
import { readEnvironment } from '../../../shared/environment.ts';
import { videoFailed } from '../../../shared/log-lines.ts';
import { isForUploader, knownCode } from '../../../shared/protocol/job-errors.ts';
import { emitMetric } from '../../common/emit-metric.ts';
import { log } from '../../common/log.ts';
import type { Job, Video } from '../../table/records.ts';

/** Emits how long the uploader waited for a completed video, and what its work would cost on Fargate. */
export function emitCompleted(video: Video, done: readonly Job[]): void {
  const workSeconds = done.reduce((sum, { tookSeconds = 0 }) => sum + tookSeconds, 0);
  const dollars = (workSeconds / 3600) * readEnvironment('DOLLARS_PER_TASK_HOUR');
  const waitedSeconds = (now() - Date.parse(video.createdAt)) / 1000;
  log.info('video completed', {
    video: video.ulid,
    planNumber: video.planNumber,
    jobs: done.length,
    workSeconds,
    dollars,
  });
  emitMetric('EncodeDollars', dollars);
  // Later executions start when a user asks for them, long after the upload.
  if (video.executionCount === 1) emitMetric('UploadToCompletedSeconds', waitedSeconds);
}

/** @param reason `CODE: sentence` */
export function emitFailed({ ulid, planNumber }: Video, reason: string): void {
  const code = knownCode(reason.split(':', 1)[0]!);
  // A warning, not an error: most often the source is at fault, not the service.
  log.warn(videoFailed, { video: ulid, planNumber, code, reason });
  emitMetric('VideoFailures', 1, code);
  if (!isForUploader(code)) emitMetric('ServiceFailures', 1);
}
