import * as z from 'zod';
import { log } from '../common/log.ts';
import { caughtError, findCurrentRun, runInput } from './current-run.ts';
import { failOutput } from './operations.ts';

const input = runInput.extend({ outputUlid: z.string(), error: caughtError });

/** State FailOutput: records that one output could not be packaged. The other outputs continue. */
export async function handler(raw: unknown): Promise<void> {
  const { videoUlid, planNumber, outputUlid, error } = input.parse(raw);
  const run = await findCurrentRun(videoUlid, planNumber);
  log.warn('output failed', { output: outputUlid, error });
  if (run) await failOutput(run, outputUlid, error);
}
