import type { Job } from '../../shared/records.ts';
import { isFinal } from '../../shared/statuses.ts';
import type { WholeVideo } from '../../shared/table/videos.ts';
import { isCurrent } from './current-run.ts';
import { sourceRun } from './probe-job.ts';

/** Whether the video still needs what a job makes: its run goes on, and has not ended without it. */
export const isWanted = (whole: WholeVideo, { run }: Pick<Job, 'run'>): boolean =>
  run === whole.video.run || run === sourceRun ? !isFinal(whole.video.status) : isCurrent(whole, run);
