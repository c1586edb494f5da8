import * as z from 'zod';
import { StateError, stateErrors } from '../../shared/protocol/job-errors.ts';
import { asStateError } from '../queue/report-failure.ts';
import { currentRun, runInput } from './current-run.ts';
import { packageOutput } from './operations.ts';

const input = runInput.extend({ outputUlid: z.string() });

/** State PackageOutput: builds one output of finished tracks and makes it playable. */
export async function handler(raw: unknown): Promise<void> {
  const { videoUlid, planNumber, outputUlid } = input.parse(raw);
  const run = await currentRun(videoUlid, planNumber);
  const output = run.whole.outputs.find(({ ulid }) => ulid === outputUlid);
  if (!output) throw new StateError(stateErrors.jobCancelled, 'CANCELLED', 'The output was deleted.');
  try {
    await packageOutput(run, output);
  } catch (error) {
    throw asStateError(error);
  }
}
