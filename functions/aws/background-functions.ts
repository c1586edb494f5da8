import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { readEnvironment } from '../../shared/environment.ts';
import { log } from '../common/log.ts';

const client = new LambdaClient({});

/**
 * Invokes a function without waiting for its result.
 * @throws errors of Lambda, which has not accepted the invocation
 */
export async function invokeInBackground(functionName: string, event: object): Promise<void> {
  await client.send(
    new InvokeCommand({ FunctionName: functionName, InvocationType: 'Event', Payload: JSON.stringify(event) }),
  );
}

/**
 * Continues the ingests of a user, or of the user who has an ingest, in the background. If the invocation fails, the
 * schedule does it within a minute. False, since nothing waits for a response.
 */
export async function startIngests(of: { ulid: string } | { userUlid: string }): Promise<false> {
  try {
    await invokeInBackground(readEnvironment('INGESTS_FUNCTION'), of);
  } catch (error) {
    log.warn('could not continue the ingests', { ...of, error: error as Error });
  }
  return false;
}

/** The same for the storage deliveries of a user, or of the user who has a delivery. */
export async function startStorageDeliveries(of: { ulid: string } | { userUlid: string }): Promise<false> {
  try {
    await invokeInBackground(readEnvironment('STORAGE_DELIVERIES_FUNCTION'), of);
  } catch (error) {
    log.warn('could not continue the storage deliveries', { ...of, error: error as Error });
  }
  return false;
}

/**
 * Continues the captions that are made from the speech of a video, in the background. If the invocation fails, the
 * schedule does it within a minute. False, since nothing waits for a response.
 */
export async function startTranscriptions(videoUlid: string, isDue = false): Promise<false> {
  try {
    await invokeInBackground(readEnvironment('TRANSCRIPTIONS_FUNCTION'), { videoUlid, isDue });
  } catch (error) {
    log.warn('could not continue the captions from speech', { video: videoUlid, error: error as Error });
  }
  return false;
}

/**
 * Starts the removal of deleted videos' files in the background. If the invocation fails, the scheduled sweep of the
 * next minute does it.
 */
export async function startSweep(): Promise<void> {
  try {
    await invokeInBackground(readEnvironment('SWEEP_FUNCTION'), { waiting: true });
  } catch (error) {
    log.warn('could not start the sweep', { error: error as Error });
  }
}
