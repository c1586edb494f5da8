import type { PublishResult } from '../runs/run-operations.ts';
import { currentRun, runInput } from './current-run.ts';
import { publish } from './operations.ts';

/** State Publish: ends the run as completed or failed, depending on its outputs. */
export async function handler(raw: unknown): Promise<PublishResult> {
  const { videoUlid, planNumber } = runInput.parse(raw);
  return publish(await currentRun(videoUlid, planNumber));
}
