import { decideQuality } from '../runs/video-run/apply-decision.ts';
import { findCurrentRun, runInput } from './current-run.ts';

/** State DecideQuality: the measurement of the source has ended or failed. Decides the quality of its rungs. */
export async function handler(raw: unknown): Promise<void> {
  const { videoUlid, planNumber } = runInput.parse(raw);
  const run = await findCurrentRun(videoUlid, planNumber);
  if (run?.kind === 'video') await decideQuality(run.whole);
}
