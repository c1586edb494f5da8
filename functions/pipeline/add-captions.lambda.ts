import { extractedCaptions } from '../captions/extracted-captions.ts';
import { publishCaptions } from '../captions/publish-captions.ts';
import { registerEmbeddedCaptions } from '../captions/register-embedded.ts';
import { readPlan } from '../stored-plans/stored-plans.ts';
import { findCurrentRun, runInput } from './current-run.ts';

/**
 * State AddCaptions: stores the captions of the source, and publishes them in outputs that are completed already.
 */
export async function handler(raw: unknown): Promise<void> {
  const { videoUlid, planNumber } = runInput.parse(raw);
  const run = await findCurrentRun(videoUlid, planNumber);
  // A video shows the captions of a new source when it is complete: `completeVideo` adds them then.
  if (!run || run.whole.video.replaced) return;
  const plan = await readPlan(videoUlid, planNumber);
  await registerEmbeddedCaptions(videoUlid, await extractedCaptions(videoUlid, planNumber, plan));
  await publishCaptions(videoUlid);
}
