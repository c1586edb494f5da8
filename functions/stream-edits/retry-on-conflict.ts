import { Conflict } from '../common/errors.ts';
import { VideoChanged } from '../table/videos/video-changed.ts';

const maxAttempts = 5;

/** Concurrent changes of one video are made one after the other: each attempt reads the current records. */
export async function retryOnConflict<Result>(change: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await change();
    } catch (error) {
      if (!(error instanceof VideoChanged)) throw error;
      if (attempt === maxAttempts) throw new Conflict('The video was changed meanwhile. Please try again.');
    }
  }
}
