import type { Job } from '../../shared/records.ts';
import { isFinal } from '../../shared/statuses.ts';
import type { VideoOfRun } from '../../shared/table/job-and-video.ts';
import { isCurrent } from './current-run.ts';
import { sourceRun } from './probe-id.ts';

/** Whether the video still needs what a job makes: its run goes on, and has not ended without it. */
export const isWanted = (about: VideoOfRun, { run }: Pick<Job, 'run'>): boolean =>
  run === about.video.run || run === sourceRun ? !isFinal(about.video.status) : isCurrent(about, run);
