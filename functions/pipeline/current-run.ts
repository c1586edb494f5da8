import * as z from 'zod';
import { StateError, stateErrors } from '../../shared/protocol/job-errors.ts';
import { addVideoToLog } from '../common/log.ts';
import { findRun, type Run } from '../table/videos/run.ts';

/** What every state after CreateVideo passes. */
export const runInput = z.object({ videoUlid: z.string(), planNumber: z.int() });

/** The error of a state, as Step Functions passes it to the state that catches it. */
export const caughtError = z.object({ Error: z.string().optional(), Cause: z.string().optional() });

/**
 * The run that a state works on. Undefined when the run is superseded or the video is
 * deleted. Log lines of this invocation carry the video from here on.
 */
export async function findCurrentRun(videoUlid: string, planNumber: number): Promise<Run | undefined> {
  addVideoToLog(videoUlid, planNumber);
  return findRun(videoUlid, planNumber);
}

/** @throws StateError Job.Cancelled when the run is superseded or the video is deleted */
export async function currentRun(videoUlid: string, planNumber: number): Promise<Run> {
  const run = await findCurrentRun(videoUlid, planNumber);
  if (!run) throw superseded();
  return run;
}

export const superseded = (): StateError =>
  new StateError(stateErrors.jobCancelled, 'CANCELLED', 'The video was deleted or is processed anew.');
