import { ArnFormat, Duration, Stack } from 'aws-cdk-lib';
import { type PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Settings } from '../settings.ts';
import { handlerFolder } from './bundle-folders.ts';
import { logRemoval } from './log-removal.ts';

/** Something a function can be given: how it finds it, and the rights for one kind of access. */
export type Resource<Access> = {
  environment: Record<string, string>;
  statements(access: Access): PolicyStatement[];
};

/** Processor share grows with memory; 1,769 MB is one whole vCPU. */
const sizes = {
  /** answers within the gateway's 30 s */
  request: { memorySize: 512, timeout: Duration.seconds(29) },
  /** hashes passwords, which is meant to cost processor time */
  passwords: { memorySize: 1769, timeout: Duration.seconds(29) },
  /** talks to a server over SSH, step by step, long after the request was answered */
  deploy: { memorySize: 512, timeout: Duration.minutes(15) },
  /** one conditional write or two */
  step: { memorySize: 512, timeout: Duration.seconds(60) },
  /** also waits while the store copies an object of up to 5 GiB */
  copies: { memorySize: 512, timeout: Duration.minutes(10) },
  /** reads and writes lists of many thousand frames or segments */
  lists: { memorySize: 1769, timeout: Duration.minutes(5) },
  /** works through a backlog and leaves the rest to its next turn */
  sweep: { memorySize: 512, timeout: Duration.minutes(10) },
} as const;

export type FunctionOptions = {
  settings: Settings;
  size: keyof typeof sizes;
  description: string;
  /** what names no resource */
  environment?: Record<string, string>;
};

/** A handler of `functions/` with a role, a log group and a name of its own. It has no rights but what `uses` gives. */
export class ServiceFunction extends lambda.Function {
  /** @param handler path below `functions/` without extension, such as `api/videos` */
  constructor(scope: Construct, handler: string, { settings, size, description, environment }: FunctionOptions) {
    const name = handler.slice(handler.lastIndexOf('/') + 1);
    const functionName = `video-service-${settings.stage}-${name}`;
    const logGroup = new LogGroup(scope, `${name}-log`, {
      logGroupName: `/aws/lambda/${functionName}`,
      retention: settings.logRetentionDays,
      removalPolicy: logRemoval(settings),
    });
    // The managed policy that CDK would attach may create and write every log group of the account.
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
      tracing: lambda.Tracing.ACTIVE,
      loggingFormat: lambda.LoggingFormat.JSON,
      environment: {
        STAGE: settings.stage,
        LOG_LEVEL: settings.logLevel,
        POWERTOOLS_SERVICE_NAME: name,
        ...environment,
      },
    });
  }

  /** Gives the function a resource: the environment that names it together with the rights for `access`. */
  uses<Access>(resource: Resource<Access>, access: Access): this {
    for (const [name, value] of Object.entries(resource.environment)) this.addEnvironment(name, value);
    for (const statement of resource.statements(access)) this.addToRolePolicy(statement);
    return this;
  }
}

/** A function's ARN by its fixed name, for rights that would otherwise make the function wait for itself. */
export const functionArn = (scope: Construct, settings: Settings, name: string): string =>
  Stack.of(scope).formatArn({
    service: 'lambda',
    resource: 'function',
    resourceName: `video-service-${settings.stage}-${name}`,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
