import * as z from 'zod';
import { causeText } from '../../shared/protocol/job-errors.ts';
import { addVideoToLog, log } from '../common/log.ts';
import { findWholeVideo, moveOutput, noteStream } from '../table/videos/video-table.ts';
import { editOfPlan, isCurrentPlan } from './current-run.ts';
import { endStreams } from './end-streams.ts';

const input = z.object({
  videoUlid: z.string(),
  planNumber: z.int(),
  outputUlid: z.string(),
  error: z.object({ Error: z.string().optional(), Cause: z.string().optional() }),
});

/** An output that could not be packaged fails alone, and with it the streams that no other output needs. */
export async function handler(raw: unknown): Promise<void> {
  const { videoUlid, planNumber, outputUlid, error } = input.parse(raw);
  addVideoToLog(videoUlid, planNumber);
  log.warn('output failed', { output: outputUlid, error });
  const whole = await findWholeVideo(videoUlid);
  if (!whole || !isCurrentPlan(whole, planNumber)) return;
  const change = editOfPlan(whole, planNumber);
  // A change that is asked for again encodes its stream anew.
  const errorLog = causeText(error, { ofFinishedParts: !change });
  // An output that plays already stays as it was: moveOutput leaves it alone.
  await moveOutput(videoUlid, outputUlid, 'failed', { errorLog });
  // Whether a changed stream failed is decided when all of its outputs have been rebuilt or not.
  if (change) await noteStream(videoUlid, change.streamUlid, { errorLog });
  else await endStreams(videoUlid, outputUlid);
}
