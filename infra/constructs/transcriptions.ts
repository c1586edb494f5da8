import { Duration } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { Settings } from '../settings.ts';
import { functionArn, type Resource, ServiceFunction } from './function.ts';
import type { Storage } from './storage.ts';
import type { Workers } from './workers.ts';

/** The function that continues captions from speech, for the functions that start it. */
export const transcriptionsResource = (scope: Construct, settings: Settings): Resource<'start'> => ({
  environment: { TRANSCRIPTIONS_FUNCTION: `video-service-${settings.stage}-continue-transcriptions` },
  statements: () => [
    new PolicyStatement({
      actions: ['lambda:InvokeFunction'],
      resources: [functionArn(scope, settings, 'continue-transcriptions')],
    }),
  ],
});

/** The function that queues parts of speech and makes captions of what workers have recognised. */
export class Transcriptions extends Construct {
  constructor(
    scope: Construct,
    id: string,
    { settings, storage, workers }: { settings: Settings; storage: Storage; workers: Workers },
  ) {
    super(scope, id);
    const continueTranscriptions = new ServiceFunction(this, 'transcription/continue-transcriptions', {
      settings,
      size: 'step',
      description: 'Queues the transcription of speech, and makes captions of its results',
    })
      .usesTable(storage.table)
      .uses(storage.bucket, {
        read: ['plans/', 'videos/*/captions/'],
        list: ['videos/'],
        write: ['videos/*/captions/', 'videos/*.m3u8', 'videos/*.mpd'],
      })
      .uses(workers.tasks, 'start');
    // On one machine idle workers are notified of a queued job, as they are by the function that queues other jobs.
    (continueTranscriptions.node.defaultChild as CfnFunction).addMetadata('embedded-aws:wakes-tasks', true);
    // The function `reap` starts it again for calls that fail.
    continueTranscriptions.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: Duration.minutes(1) });
  }
}
