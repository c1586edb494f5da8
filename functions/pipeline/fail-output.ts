import * as z from 'zod';
import { causeText } from '../../shared/job-errors.ts';
import { log } from '../../shared/log.ts';
import { findVideo, moveOutput } from '../../shared/table/videos.ts';

const input = z.object({
  videoUlid: z.string(),
  run: z.int(),
  outputUlid: z.string(),
  error: z.object({ Error: z.string().optional(), Cause: z.string().optional() }),
});

/** An output that could not be packaged fails alone. */
export async function handler(raw: unknown): Promise<void> {
  const { videoUlid, run, outputUlid, error } = input.parse(raw);
  log.warn('output failed', { video: videoUlid, run, output: outputUlid, error });
  const video = await findVideo(videoUlid);
  if (video?.run === run) await moveOutput(videoUlid, outputUlid, 'failed', { errorLog: causeText(error) });
}
