import { causeText } from '../../shared/protocol/job-errors.ts';
import { log } from '../common/log.ts';
import { caughtError, findCurrentRun, runInput } from './current-run.ts';
import { fail } from './operations.ts';

const input = runInput.extend({ error: caughtError });

/** State FailVideo: ends a run that cannot be processed, with the reason that the uploader sees. */
export async function handler(raw: unknown): Promise<void> {
  const { videoUlid, planNumber, error } = input.parse(raw);
  const run = await findCurrentRun(videoUlid, planNumber);
  // A warning, as `video failed` is, which follows unless another plan has replaced this one.
  log.warn('run failed', { error });
  if (run) await fail(run, causeText(error));
}
