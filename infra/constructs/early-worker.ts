import { Duration, Size } from 'aws-cdk-lib';
import type { DockerImageAsset } from 'aws-cdk-lib/aws-ecr-assets';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { formatEnvironment } from '../../shared/environment.ts';
import { earlyWorkerHandler } from '../images/image-names.ts';
import type { Settings } from '../settings.ts';
import { invokeStatement, type Resource } from './function.ts';
import { logRemoval } from './log-removal.ts';

type EarlyWorkerOptions = {
  settings: Settings;
  /** the image of workers that the stage builds, if it builds one */
  image: DockerImageAsset | undefined;
  /** URL of the API, without a trailing slash */
  apiUrl: string;
};

/** Lambda gives a function processors in proportion to its memory: about six with the most. */
const memoryMib = 10_240;

/** Longer than the time between two jobs of a video: planning, and the start of the map of its chunks. */
const idleExitSeconds = 10;

/**
 * A worker that runs within seconds, for the first jobs of a video: a Lambda function from the image of the Fargate
 * tasks, which take a minute to start. It calls the API like every worker, and has no AWS permissions except for its
 * log. Each invocation brings a token for it.
 */
export class EarlyWorker extends Construct {
  readonly invocations: Resource<'invoke'>;
  /** Undefined if the stage has none. */
  readonly functionName: string | undefined;

  constructor(scope: Construct, id: string, { settings, image, apiUrl }: EarlyWorkerOptions) {
    super(scope, id);
    // A function can only run an image of the registry of its account.
    if (settings.earlyWorker.enabled && image) this.functionName = this.#functionFrom(image, settings);
    this.invocations = {
      environment: { API_URL: apiUrl, EARLY_WORKER_FUNCTION: this.functionName },
      statements: () => (this.functionName === undefined ? [] : [invokeStatement(this, settings, earlyWorkerHandler)]),
    };
  }

  #functionFrom(image: DockerImageAsset, settings: Settings): string {
    const functionName = `video-service-${settings.stage}-${earlyWorkerHandler}`;
    const logGroup = new LogGroup(this, 'Log', {
      logGroupName: `/aws/lambda/${functionName}`,
      retention: settings.logRetentionDays,
      removalPolicy: logRemoval(settings, 'optional'),
    });
    // Without tracing, which needs permissions: the process that decodes uploads can use those of the function.
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    logGroup.grantWrite(role);
    const worker = new lambda.Function(this, 'Function', {
      functionName,
      description: 'Runs the first jobs of a video while no other worker is ready',
      code: lambda.Code.fromEcrImage(image.repository, {
        tagOrDigest: image.imageTag,
        entrypoint: ['/usr/local/bin/node'],
        cmd: ['/app/main.mjs'],
        // The working directory of the image is a volume, which a function does not have.
        workingDirectory: '/tmp',
      }),
      handler: lambda.Handler.FROM_IMAGE,
      runtime: lambda.Runtime.FROM_IMAGE,
      architecture: settings.workers.architecture === 'arm64' ? lambda.Architecture.ARM_64 : lambda.Architecture.X86_64,
      memorySize: memoryMib,
      ephemeralStorageSize: Size.gibibytes(10),
      timeout: Duration.minutes(15),
      reservedConcurrentExecutions: settings.earlyWorker.maxConcurrency,
      role,
      logGroup,
      environment: {
        ...formatEnvironment({ LOG_LEVEL: settings.logLevel.toLowerCase() }),
        TMPDIR: '/tmp',
        WORK_FOLDER: '/tmp',
        IDLE_EXIT_SECONDS: String(idleExitSeconds),
      },
    });
    // A later attempt would come too late to be of use, and its token would have expired.
    worker.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: Duration.minutes(1) });
    return functionName;
  }
}
