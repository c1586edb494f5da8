import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { readEnvironment } from '../../shared/environment.ts';
import { log } from '../common/log.ts';

const client = new LambdaClient({});

/**
 * Continues the ingests of a user, or of the user who has an ingest, in the background. If the invocation fails, the
 * schedule does it within a minute. False, since nothing waits for a response.
 */
export async function startIngests(of: { ulid: string } | { userUlid: string }): Promise<false> {
  try {
    await client.send(
      new InvokeCommand({
        FunctionName: readEnvironment('INGESTS_FUNCTION'),
        InvocationType: 'Event',
        Payload: JSON.stringify(of),
      }),
    );
  } catch (error) {
    log.warn('could not continue the ingests', { ...of, error: error as Error });
  }
  return false;
}
