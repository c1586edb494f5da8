import { ArnFormat, Duration, Stack } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { type FunctionEnvironment, formatEnvironment } from '../../shared/environment.ts';
import type { Settings } from '../settings.ts';
import { type TableAccess, tableAccessOf } from '../table-access.ts';
import { handlerFolder } from './bundle-folders.ts';
import { logRemoval } from './log-removal.ts';

/** A resource that a function can use: the environment variables that name it, and the permissions for each access. */
export type Resource<Access> = {
  environment: FunctionEnvironment;
  statements(access: Access): PolicyStatement[];
};

/** CPU is proportional to memory; 1,769 MB is one vCPU. */
const sizes = {
  /**
   * An API request. The gateway answers 503 after 30 s: a function that Lambda stops before, such as one whose event
   * loop is blocked, would be 500, which clients do not repeat.
   */
  request: { memorySize: 512, timeout: Duration.seconds(31) },
  /** hashes passwords, which needs CPU by design */
  passwords: { memorySize: 1769, timeout: Duration.seconds(31) },
  /** runs steps on a server over SSH, asynchronously */
  deploy: { memorySize: 512, timeout: Duration.minutes(15) },
  /** one or two conditional writes */
  step: { memorySize: 512, timeout: Duration.seconds(60) },
  /** also waits for the store to copy an object of up to 5 GiB */
  copies: { memorySize: 512, timeout: Duration.minutes(10) },
  /** waits for many receivers of webhooks at a time; its own time limit is one minute shorter */
  send: { memorySize: 512, timeout: Duration.minutes(5) },
  /** reads and writes lists of thousands of frames or segments */
  lists: { memorySize: 1769, timeout: Duration.minutes(5) },
  /** processes a backlog; the next run continues */
  sweep: { memorySize: 512, timeout: Duration.minutes(10) },
} as const;

export type FunctionOptions = {
  settings: Settings;
  size: keyof typeof sizes;
  description: string;
  /** variables that do not name a resource */
  environment?: FunctionEnvironment;
  /** A setting can remove the function, and its log group with it. */
  optional?: boolean;
};

/** A handler of `functions/` with its own role, log group and fixed name. `uses` grants all its permissions. */
export class ServiceFunction extends lambda.Function {
  readonly #handler: string;

  /** @param handler path below `functions/` without extension, such as `api/videos` */
  constructor(scope: Construct, handler: string, options: FunctionOptions) {
    const { settings, size, description, environment } = options;
    const name = handler.slice(handler.lastIndexOf('/') + 1);
    const functionName = `video-service-${settings.stage}-${name}`;
    const logGroup = new LogGroup(scope, `${name}-log`, {
      logGroupName: `/aws/lambda/${functionName}`,
      retention: settings.logRetentionDays,
      removalPolicy: logRemoval(settings, options.optional ? 'optional' : 'permanent'),
    });
    // The managed policy that CDK attaches by default allows creating and writing every log group of the account.
    const role = new Role(scope, `${name}-role`, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    logGroup.grantWrite(role);
    super(scope, name, {
      ...sizes[size],
      functionName,
      description,
      role,
      logGroup,
      code: lambda.Code.fromAsset(handlerFolder(scope, handler)),
      handler: 'index.handler',
      runtime: lambda.Runtime.NODEJS_24_X,
      architecture: lambda.Architecture.ARM_64,
      tracing: settings.tracing ? lambda.Tracing.ACTIVE : lambda.Tracing.DISABLED,
      loggingFormat: lambda.LoggingFormat.JSON,
      // Lambda drops lines below this level. Its own default, INFO, would override a LOG_LEVEL of DEBUG.
      applicationLogLevelV2: lambda.ApplicationLogLevel[settings.logLevel],
      environment: formatEnvironment({
        STAGE: settings.stage,
        LOG_LEVEL: settings.logLevel,
        POWERTOOLS_SERVICE_NAME: name,
        // Read where captions are stored, in ten functions, and where videos are listed.
        TRANSCRIPT_SEARCH: settings.transcriptSearch,
        ...environment,
      }),
    });
    this.#handler = handler;
  }

  /** Grants access to the items that its code reaches, and sets the environment variable that names the table. */
  usesTable(table: Resource<TableAccess>): this {
    const access = tableAccessOf(this.#handler);
    if (!access) throw new Error(`the code of ${this.#handler} uses no items: npm run generate:table-access`);
    return this.uses(table, access);
  }

  /** Grants `access` to a resource and sets the environment variables that name it. */
  uses<Access>(resource: Resource<Access>, access: Access): this {
    for (const [name, value] of Object.entries(formatEnvironment(resource.environment)))
      this.addEnvironment(name, value);
    for (const statement of resource.statements(access)) this.addToRolePolicy(statement);
    return this;
  }

  /** On one machine idle workers are notified of the jobs that it queues. On AWS nothing calls workers: they poll. */
  wakesTasks(): this {
    (this.node.defaultChild as lambda.CfnFunction).addMetadata('embedded-aws:wakes-tasks', true);
    return this;
  }
}

/** The ARN of a function by its fixed name, for permissions that would otherwise be a circular reference. */
export const functionArn = (scope: Construct, settings: Settings, name: string): string =>
  Stack.of(scope).formatArn({
    service: 'lambda',
    resource: 'function',
    resourceName: `video-service-${settings.stage}-${name}`,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });

/** The permission to invoke a function by its fixed name. */
export const invokeStatement = (scope: Construct, settings: Settings, name: string): PolicyStatement =>
  new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [functionArn(scope, settings, name)] });

/** A function by its fixed name, for the functions that start it: the variable has its name. */
export const startedFunction = (
  scope: Construct,
  settings: Settings,
  { name, variable }: { name: string; variable: StartedFunctionVariable },
): Resource<'start'> => ({
  environment: { [variable]: `video-service-${settings.stage}-${name}` },
  statements: () => [invokeStatement(scope, settings, name)],
});

type StartedFunctionVariable =
  | 'INGESTS_FUNCTION'
  | 'SEND_FUNCTION'
  | 'STORAGE_DELIVERIES_FUNCTION'
  | 'SWEEP_FUNCTION'
  | 'TRANSCRIPTIONS_FUNCTION';
