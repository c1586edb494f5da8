import { readEnvironment } from '../../shared/environment.ts';
import { invokeInBackground } from '../aws/background-functions.ts';
import { log } from '../common/log.ts';

/** An event of an asynchronous invocation has at most 256 KiB. */
const maxWebhooks = 5000;

/**
 * Starts the function that makes the attempts to webhooks that are due. When the invocation fails, the minute schedule
 * starts it.
 */
export async function startSender(webhooks: readonly string[]): Promise<void> {
  for (let start = 0; start < webhooks.length; start += maxWebhooks) {
    await invoke(webhooks.slice(start, start + maxWebhooks));
  }
}

async function invoke(webhooks: readonly string[]): Promise<void> {
  try {
    await invokeInBackground(readEnvironment('SEND_FUNCTION'), { webhooks });
  } catch (error) {
    log.warn('could not start the sender of webhooks', { webhooks: webhooks.length, error: error as Error });
  }
}
