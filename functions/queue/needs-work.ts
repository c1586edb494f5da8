import { isCurrent } from '../pipeline/current-run.ts';
import type { VideoOfRun } from '../table/queue/job-and-video.ts';
import type { Job } from '../table/records.ts';
import { isFinal } from '../table/statuses.ts';
import { sourceRun } from './probe-id.ts';

/** Whether the video still needs what a job makes: its run goes on, and has not ended without it. */
export const isWanted = (about: VideoOfRun, { run }: Pick<Job, 'run'>): boolean =>
  run === about.video.run || run === sourceRun ? !isFinal(about.video.status) : isCurrent(about, run);
