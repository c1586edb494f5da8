import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { env } from '../../shared/environment.ts';
import { log } from '../common/log.ts';

const client = new LambdaClient({});

/** Has the files of deleted videos removed now, in the background. When that cannot be asked for, the minute tick does it. */
export async function startSweep(): Promise<void> {
  try {
    await client.send(
      new InvokeCommand({
        FunctionName: env('SWEEP_FUNCTION'),
        InvocationType: 'Event',
        Payload: JSON.stringify({ waiting: true }),
      }),
    );
  } catch (error) {
    log.warn('the sweep could not be started', { error: error as Error });
  }
}
