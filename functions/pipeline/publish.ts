import type { PublishResult } from '../runs/run-operations.ts';
import { currentRun, runInput } from './current-run.ts';

/** State Publish: ends the run as completed or failed, depending on its outputs. */
export async function handler(raw: unknown): Promise<PublishResult> {
  const { videoUlid, planNumber } = runInput.parse(raw);
  const { operations } = await currentRun(videoUlid, planNumber);
  return operations.publish();
}
