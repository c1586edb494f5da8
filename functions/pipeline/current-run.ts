import * as z from 'zod';
import { StateError, stateErrors } from '../../shared/protocol/job-errors.ts';
import { addVideoToLog } from '../common/log.ts';
import type { RunOperations } from '../runs/run-operations.ts';
import { streamEditRun } from '../runs/stream-edit-run/stream-edit-run.ts';
import { videoRun } from '../runs/video-run/video-run.ts';
import { findRun, type Run } from '../table/videos/run.ts';

/** What every state after CreateVideo passes. */
export const runInput = z.object({ videoUlid: z.string(), planNumber: z.int() });

/** The error of a state, as Step Functions passes it to the state that catches it. */
export const caughtError = z.object({ Error: z.string().optional(), Cause: z.string().optional() });

type CurrentRun = { run: Run; operations: RunOperations };

/**
 * The run that a state works on, with the operations of its kind. Undefined when the run is superseded or the video is
 * deleted. Log lines of this invocation carry the video from here on.
 */
export async function findCurrentRun(videoUlid: string, planNumber: number): Promise<CurrentRun | undefined> {
  addVideoToLog(videoUlid, planNumber);
  const run = await findRun(videoUlid, planNumber);
  return run && { run, operations: operationsOf(run) };
}

/** @throws StateError Job.Cancelled when the run is superseded or the video is deleted */
export async function currentRun(videoUlid: string, planNumber: number): Promise<CurrentRun> {
  const found = await findCurrentRun(videoUlid, planNumber);
  if (!found) throw superseded();
  return found;
}

export const superseded = (): StateError =>
  new StateError(stateErrors.jobCancelled, 'CANCELLED', 'The video was deleted or is processed anew.');

/** The operations of a run, by its kind. Only this function and `findRun` know both kinds. */
function operationsOf(run: Run): RunOperations {
  switch (run.kind) {
    case 'video':
      return videoRun(run);
    case 'stream-edit':
      return streamEditRun(run);
  }
}
