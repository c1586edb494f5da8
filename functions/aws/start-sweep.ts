import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { readEnvironment } from '../../shared/environment.ts';
import { log } from '../common/log.ts';

const client = new LambdaClient({});

/**
 * Starts the removal of deleted videos' files in the background. If the invocation fails, the scheduled sweep of the
 * next minute does it.
 */
export async function startSweep(): Promise<void> {
  try {
    await client.send(
      new InvokeCommand({
        FunctionName: readEnvironment('SWEEP_FUNCTION'),
        InvocationType: 'Event',
        Payload: JSON.stringify({ waiting: true }),
      }),
    );
  } catch (error) {
    log.warn('could not start the sweep', { error: error as Error });
  }
}
