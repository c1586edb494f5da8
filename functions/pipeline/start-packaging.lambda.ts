import { asStateError } from '../queue/report-failure.ts';
import { currentRun, runInput } from './current-run.ts';
import { startPackaging } from './operations.ts';

/** State StartPackaging: every encode has completed or failed. Decides which outputs can be made. */
export async function handler(raw: unknown): Promise<{ decision: 'package' | 'failed' }> {
  const { videoUlid, planNumber } = runInput.parse(raw);
  const run = await currentRun(videoUlid, planNumber);
  try {
    return { decision: await startPackaging(run) };
  } catch (error) {
    throw asStateError(error);
  }
}
