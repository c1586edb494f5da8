import { rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { failureLine, type LogLevel, openStack, type RequestHandler, type StackOptions } from 'embedded-aws';
import type { PipelineFunction } from '../../infra/state-machine/pipeline-functions.ts';
import { backupService, backupTarget } from '../snapshot/backup-service.ts';
import { cutFolderOf } from '../snapshot/cut.ts';
import { errorBody } from './error-body.ts';
import { localSettings } from './local-settings.ts';
import type { SpeechModel } from './speech-model.ts';
import { whenNotThrottled } from './when-not-throttled.ts';

const workerTokenName = '/video-service/local/worker-token';

export type ServicesOptions = Omit<StackOptions, 'maxTasks' | 'errorBody' | 'taskEnvironment'> & {
  /** Encoder processes that run at the same time. */
  workers: number;
  /** What workers make captions from speech with. */
  speech?: SpeechModel;
  /** Seconds of estimated CPU time that a core does in a second. */
  coreSpeed: number;
};

/** `tokenName` is the name of an API token that is created with the account. */
export type NewAdmin = { name: string; email: string; password: string; tokenName?: string };

/** `adminToken` is undefined unless the account was created with a token. */
export type SetupResult = { adminCreated: boolean; adminToken?: string };

/** What the end of an upload leads to until its first job runs. Loaded one after the other, they take two seconds. */
const preparedWith = {
  'create-video': ['enqueue', 'workers', 'plan'],
} as const satisfies Partial<Record<PipelineFunction, readonly (PipelineFunction | 'workers')[]>>;

/** Opens the stack of the video service. */
export async function openServices({ workers, coreSpeed, speech, ...options }: ServicesOptions) {
  const { dataFolder, logLevel, functionEnvironment } = options;
  const stack = await openStack({
    ...options,
    maxTasks: workers,
    errorBody,
    preparedWith,
    // The level of the template is that of a deployed stage.
    applicationLogLevel: logLevel === 'SILENT' ? 'FATAL' : logLevel,
    functionEnvironment: {
      LOG_LEVEL: logLevel,
      MAX_TASKS: String(workers),
      // All tasks share the cores of this machine.
      CORES_PER_TASK: String((availableParallelism() * coreSpeed) / Math.max(1, workers)),
      // Spot tasks are interrupted.
      ...(options.chaos && { SPOT_TASK_SHARE: '0.8' }),
      ...functionEnvironment,
      STAGE_SETTINGS: localSettings({ workers, logLevel, environment: functionEnvironment }),
    },
    // The API recognises by the name that the worker in this slot was restarted, and frees the lost lease at once.
    taskEnvironment: (slot) => ({
      WORKER_NAME: `local-${slot}`,
      LOG_LEVEL: workerLogLevel(logLevel),
      ...(speech && { TRANSCRIPTION_MODEL: speech.modelFile, SPEECH_ENGINE: speech.engineFile }),
    }),
  });
  try {
    // Left by a backup that was running when the process ended.
    await rm(cutFolderOf(dataFolder), { recursive: true, force: true });
    const { readEntries, holdBlobs } = stack;
    stack.addService(backupTarget, backupService({ dataFolder, readEntries, holdBlobs }));
    const setup = stack.functions.find(({ name }) => name === stack.outputs.SetupFunctionName);
    if (!setup) throw new Error('The template has no function that SetupFunctionName names.');
    return {
      bucketName: stack.outputs.BucketName!,
      /** A template without a distribution has the API at its address. */
      edge: (stack.distribution ?? stack.httpApi) satisfies RequestHandler,
      store: stack.store satisfies RequestHandler,
      control: stack.control satisfies RequestHandler,
      operator: stack.operator,
      /** Creates what the service needs before its first request. An administrator that exists is not changed. */
      async setUp(input: { admin?: NewAdmin }): Promise<SetupResult> {
        const invocation = await whenNotThrottled(() => stack.invoke(setup.name, input));
        if (invocation.functionError) throw new Error(`The setup function failed: ${failureLine(invocation)}`);
        return invocation.payload as SetupResult;
      },
      /** With it, separate workers get jobs. The setup creates it. */
      workerToken(): string {
        const token = stack.parameter(workerTokenName);
        if (token === undefined) throw new Error(`The setup function did not create ${workerTokenName}.`);
        return token;
      },
      startTriggers: stack.startTriggers,
      close: stack.close,
    };
  } catch (error) {
    await stack.close();
    throw error;
  }
}

export type Services = Awaited<ReturnType<typeof openServices>>;

const workerLogLevel = (level: LogLevel): string => (level === 'SILENT' ? 'error' : level.toLowerCase());
