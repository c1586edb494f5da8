import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { readEnvironment } from '../../shared/environment.ts';
import { log } from '../common/log.ts';

const client = new LambdaClient({});

/**
 * Starts the function that makes the attempts to a webhook that are due. When the invocation fails, the minute schedule
 * starts it.
 */
export async function startSender(webhookUlid: string): Promise<void> {
  try {
    await client.send(
      new InvokeCommand({
        FunctionName: readEnvironment('SEND_FUNCTION'),
        InvocationType: 'Event',
        Payload: JSON.stringify({ webhook: webhookUlid }),
      }),
    );
  } catch (error) {
    log.warn('could not start the sender of a webhook', { webhook: webhookUlid, error: error as Error });
  }
}
