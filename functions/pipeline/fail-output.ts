import * as z from 'zod';
import { causeText } from '../../shared/job-errors.ts';
import { log, nameInLog } from '../../shared/log.ts';
import { findWholeVideo, moveOutput } from '../../shared/table/videos.ts';
import { isCurrent } from '../jobs/current-run.ts';

const input = z.object({
  videoUlid: z.string(),
  run: z.int(),
  outputUlid: z.string(),
  error: z.object({ Error: z.string().optional(), Cause: z.string().optional() }),
});

/** An output that could not be packaged fails alone. */
export async function handler(raw: unknown): Promise<void> {
  const { videoUlid, run, outputUlid, error } = input.parse(raw);
  nameInLog(videoUlid, run);
  log.warn('output failed', { output: outputUlid, error });
  const whole = await findWholeVideo(videoUlid);
  // One that plays already goes on as it was: moveOutput leaves it alone.
  if (whole && isCurrent(whole, run)) await moveOutput(videoUlid, outputUlid, 'failed', { errorLog: causeText(error) });
}
