import { setTimeout as sleep } from 'node:timers/promises';
import { TooManyRequests } from 'embedded-aws';

const waitMs = 200;
const maxAttempts = 300;

/**
 * Repeats a throttled invocation, as the AWS CLI does. Asynchronous invocations that the end of the last process
 * interrupted run again at the next start, and can take the whole concurrency of the account.
 */
export async function whenNotThrottled<Result>(invoke: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await invoke();
    } catch (error) {
      if (!(error instanceof TooManyRequests) || attempt >= maxAttempts) throw error;
    }
    await sleep(waitMs);
  }
}
