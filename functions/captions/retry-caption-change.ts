import { captionLimits } from '../../shared/captions/caption-limits.ts';
import { retryOnConflict } from '../table/videos/video-changed.ts';

/** As many attempts as a video can have captions: of simultaneous changes, one is stored in each round. */
export const retryCaptionChange = <Result>(change: () => Promise<Result>): Promise<Result> =>
  retryOnConflict(change, { record: 'captions of the video', maxAttempts: captionLimits.maxPerVideo });
