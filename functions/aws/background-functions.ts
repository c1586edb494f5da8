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

/** As `invokeInBackground`, but a failure is logged: the schedule does the work within a minute. */
async function tryInvoke(nameOf: () => string, event: object, failure: string, fields = event): Promise<void> {
  try {
    await invokeInBackground(nameOf(), event);
  } catch (error) {
    log.warn(failure, { ...fields, error: error as Error });
  }
}

/**
 * Continues the ingests of a user, or of the user who has an ingest, in the background. False, since nothing waits for
 * a response.
 */
export async function startIngests(of: { ulid: string } | { userUlid: string }): Promise<false> {
  await tryInvoke(() => readEnvironment('INGESTS_FUNCTION'), of, 'could not continue the ingests');
  return false;
}

/** The same for the storage deliveries of a user, or of the user who has a delivery. */
export async function startStorageDeliveries(of: { ulid: string } | { userUlid: string }): Promise<false> {
  await tryInvoke(
    () => readEnvironment('STORAGE_DELIVERIES_FUNCTION'),
    of,
    'could not continue the storage deliveries',
  );
  return false;
}

/** The same for the captions that are made from the speech of a video. */
export async function startTranscriptions(videoUlid: string, isDue = false): Promise<false> {
  const failure = 'could not continue the captions from speech';
  await tryInvoke(() => readEnvironment('TRANSCRIPTIONS_FUNCTION'), { videoUlid, isDue }, failure, {
    video: videoUlid,
  });
  return false;
}

/** Starts the removal of deleted videos' files in the background. */
export const startSweep = (): Promise<void> =>
  tryInvoke(() => readEnvironment('SWEEP_FUNCTION'), { waiting: true }, 'could not start the sweep', {});
