import { setTimeout as sleep } from 'node:timers/promises';
import { ConcurrentChange } from '../../common/errors.ts';

/** The video, or its captions, changed after they were read. Read them again before the next attempt. */
export class VideoChanged extends Error {
  override readonly name = 'VideoChanged';
}

const maxWaitMilliseconds = 50;

/**
 * Concurrent changes of one video are made one after the other: each attempt reads the current records.
 * @throws ConcurrentChange when the record has changed during each attempt
 */
export async function retryOnConflict<Result>(
  change: () => Promise<Result>,
  { record = 'video', maxAttempts = 5 } = {},
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await change();
    } catch (error) {
      if (!(error instanceof VideoChanged)) throw error;
      if (attempt === maxAttempts) throw new ConcurrentChange(record);
      await sleep(Math.random() * maxWaitMilliseconds);
    }
  }
}
