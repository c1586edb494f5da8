import { Duration } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import type { Settings } from '../settings.ts';
import { type Resource, ServiceFunction, startedFunction } from './function.ts';
import type { Storage } from './storage.ts';
import type { Workers } from './workers.ts';

/** The function that continues captions from speech, for the functions that start it. */
export const transcriptionsResource = (scope: Construct, settings: Settings): Resource<'start'> =>
  startedFunction(scope, settings, { name: 'continue-transcriptions', variable: 'TRANSCRIPTIONS_FUNCTION' });

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
      .uses(workers.tasks, 'start')
      .wakesTasks();
    // The function `reap` starts it again for calls that fail.
    continueTranscriptions.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: Duration.minutes(1) });
  }
}
