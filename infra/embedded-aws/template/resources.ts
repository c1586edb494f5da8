import { z } from 'zod';
import type { Pattern } from '../eventbridge/event-pattern.ts';
import type { CloudAssembly } from './cloud-assembly.ts';
import type { DeployedTemplate } from './deployed-template.ts';

/** What the embedded cloud runs of a template: one reader per kind of resource. Times are in seconds, memory in MiB. */
export type FunctionDefinition = ReturnType<typeof readFunctions>[number];
export type RouteDefinition = ReturnType<typeof readRoutes>[number];
export type RuleDefinition = ReturnType<typeof readRules>[number];
export type TaskDefinition = ReturnType<typeof readTaskDefinitions>[number];

const functionNameIn = (arn: string): string => {
  const name = /:function:([A-Za-z0-9_-]+)/.exec(arn)?.[1];
  if (!name) throw new Error(`${arn} names no Lambda function.`);
  return name;
};

const functionMetadata = z.object({
  /** On AWS an agent gives registered servers the credentials of this role. Here the function that sets the servers up has them in its environment. */
  'video-service:local-node-role': z.string().optional(),
  /** Tasks that wait are to look again when the function has run. */
  'video-service:local-wakes-tasks': z.boolean().default(false),
});

const functionProperties = z.object({
  Role: z.string(),
  Runtime: z.string().default(''),
  Handler: z.string().default('index.handler'),
  Code: z.object({ S3Key: z.string().optional() }),
  Timeout: z.number().default(3),
  MemorySize: z.number().default(128),
  Environment: z.object({ Variables: z.record(z.string(), z.string()) }).default({ Variables: {} }),
});

/** The Node functions. Those that CloudFormation itself would call while it deploys are not in Node and not run here. */
export function readFunctions(template: DeployedTemplate, assembly: CloudAssembly) {
  return template.resources('AWS::Lambda::Function').flatMap(({ ref, arn, properties, metadata }) => {
    const { Runtime, Handler, Code, Timeout, MemorySize, Environment, Role } = functionProperties.parse(properties);
    if (!Runtime.startsWith('nodejs') || !Code.S3Key) return [];
    const marks = functionMetadata.parse(metadata);
    const [module, handler] = Handler.split(/\.(?=[^.]+$)/);
    return {
      name: ref,
      arn,
      codeFolder: assembly.assetPath(Code.S3Key),
      module: module!,
      handler: handler!,
      timeoutSeconds: Timeout,
      memoryMiB: MemorySize,
      environment: Environment.Variables,
      roleArn: Role,
      nodeRoleName: marks['video-service:local-node-role'],
      wakesTasks: marks['video-service:local-wakes-tasks'],
    };
  });
}

const routeProperties = z.object({ RouteKey: z.string(), Target: z.string() });
const integrationProperties = z.object({ IntegrationUri: z.string(), PayloadFormatVersion: z.literal('2.0') });

export function readRoutes(template: DeployedTemplate) {
  const integrations = new Map(
    template
      .resources('AWS::ApiGatewayV2::Integration')
      .map(({ ref, properties }) => [`integrations/${ref}`, integrationProperties.parse(properties)]),
  );
  return template.resources('AWS::ApiGatewayV2::Route').map(({ properties }) => {
    const { RouteKey, Target } = routeProperties.parse(properties);
    const integration = integrations.get(Target);
    if (!integration) throw new Error(`Route ${RouteKey} has no integration.`);
    return { routeKey: RouteKey, functionName: functionNameIn(integration.IntegrationUri) };
  });
}

const strings = z.array(z.string()).default([]);
const bucketProperties = z.object({
  NotificationConfiguration: z
    .object({ EventBridgeConfiguration: z.object({ EventBridgeEnabled: z.boolean() }).optional() })
    .optional(),
  CorsConfiguration: z
    .object({
      CorsRules: z.array(
        z.object({
          AllowedOrigins: strings,
          AllowedMethods: strings,
          AllowedHeaders: strings,
          ExposedHeaders: strings,
          MaxAge: z.number().optional(),
        }),
      ),
    })
    .default({ CorsRules: [] }),
  LifecycleConfiguration: z
    .object({
      Rules: z.array(
        z.object({
          Status: z.string(),
          Prefix: z.string().default(''),
          ExpirationInDays: z.number().optional(),
          AbortIncompleteMultipartUpload: z.object({ DaysAfterInitiation: z.number() }).optional(),
        }),
      ),
    })
    .default({ Rules: [] }),
});

export function readBuckets(template: DeployedTemplate) {
  return template.resources('AWS::S3::Bucket').map(({ ref, properties }) => {
    const { NotificationConfiguration, CorsConfiguration, LifecycleConfiguration } = bucketProperties.parse(properties);
    const rules = LifecycleConfiguration.Rules.filter(({ Status }) => Status === 'Enabled');
    const abortDays = rules.find((rule) => rule.AbortIncompleteMultipartUpload)?.AbortIncompleteMultipartUpload;
    return {
      name: ref,
      eventBridge: NotificationConfiguration?.EventBridgeConfiguration?.EventBridgeEnabled ?? false,
      cors: CorsConfiguration.CorsRules.map((rule) => ({
        allowedOrigins: rule.AllowedOrigins,
        allowedMethods: rule.AllowedMethods,
        allowedHeaders: rule.AllowedHeaders,
        exposedHeaders: rule.ExposedHeaders,
        ...(rule.MaxAge !== undefined && { maxAgeSeconds: rule.MaxAge }),
      })),
      lifecycle: {
        ...(abortDays && { abortIncompleteMultipartDays: abortDays.DaysAfterInitiation }),
        expire: rules.flatMap(({ Prefix, ExpirationInDays }) =>
          ExpirationInDays === undefined ? [] : { prefix: Prefix, days: ExpirationInDays },
        ),
      },
    };
  });
}

const keySchema = z.array(z.object({ AttributeName: z.string(), KeyType: z.string() }));
const tableProperties = z.object({
  KeySchema: keySchema,
  AttributeDefinitions: z.array(z.object({ AttributeName: z.string(), AttributeType: z.string() })),
  GlobalSecondaryIndexes: z
    .array(
      z.object({
        IndexName: z.string(),
        KeySchema: keySchema,
        Projection: z
          .object({ ProjectionType: z.string(), NonKeyAttributes: z.array(z.string()).optional() })
          .transform(({ ProjectionType, NonKeyAttributes }) => ({
            ProjectionType,
            ...(NonKeyAttributes && { NonKeyAttributes }),
          })),
      }),
    )
    .default([]),
  TimeToLiveSpecification: z.object({ AttributeName: z.string(), Enabled: z.boolean() }).optional(),
});

export function readTables(template: DeployedTemplate) {
  return template.resources('AWS::DynamoDB::Table', 'AWS::DynamoDB::GlobalTable').map(({ ref, properties }) => {
    const table = tableProperties.parse(properties);
    const timeToLive = table.TimeToLiveSpecification;
    return {
      name: ref,
      keySchema: table.KeySchema,
      attributeDefinitions: table.AttributeDefinitions,
      globalSecondaryIndexes: table.GlobalSecondaryIndexes,
      ...(timeToLive?.Enabled && { timeToLiveAttribute: timeToLive.AttributeName }),
    };
  });
}

const stateMachineProperties = z.object({ DefinitionString: z.string(), RoleArn: z.string() });

export function readStateMachines(template: DeployedTemplate) {
  return template.resources('AWS::StepFunctions::StateMachine').map(({ arn, properties }) => {
    const { DefinitionString, RoleArn } = stateMachineProperties.parse(properties);
    return { arn, name: arn.split(':').at(-1)!, definition: DefinitionString, roleArn: RoleArn };
  });
}

const ruleProperties = z.object({
  State: z.string().default('ENABLED'),
  EventPattern: z.custom<Pattern>().optional(),
  ScheduleExpression: z.string().optional(),
  Targets: z.array(z.object({ Arn: z.string(), Input: z.string().optional() })).default([]),
});

export function readRules(template: DeployedTemplate) {
  return template.resources('AWS::Events::Rule').map(({ ref, arn, properties }) => {
    const { State, EventPattern, ScheduleExpression, Targets } = ruleProperties.parse(properties);
    const targets = Targets.map(({ Arn, Input }) => ({ arn: Arn, input: Input }));
    const enabled = State === 'ENABLED';
    return { name: ref, arn, enabled, pattern: EventPattern, schedule: ScheduleExpression, targets };
  });
}

const taskProperties = z.object({
  TaskRoleArn: z.string().optional(),
  ExecutionRoleArn: z.string().optional(),
  ContainerDefinitions: z.array(
    z.object({
      Name: z.string(),
      Environment: z.array(z.object({ Name: z.string(), Value: z.string() })).default([]),
      Secrets: z.array(z.object({ Name: z.string(), ValueFrom: z.string() })).default([]),
      MountPoints: z.array(z.object({ ContainerPath: z.string(), SourceVolume: z.string() })).default([]),
    }),
  ),
});

const taskMetadata = z.object({ 'video-service:local-entry': z.string() });

/** Task definitions whose metadata say which file of the cloud assembly stands for their container here. */
export function readTaskDefinitions(template: DeployedTemplate) {
  return template.resources('AWS::ECS::TaskDefinition').map(({ arn, properties, metadata }) => {
    const { TaskRoleArn, ExecutionRoleArn, ContainerDefinitions } = taskProperties.parse(properties);
    return {
      arn,
      localEntry: taskMetadata.parse(metadata)['video-service:local-entry'],
      /** Those that a caller of RunTask hands on. */
      roleArns: [TaskRoleArn, ExecutionRoleArn].filter((role) => role !== undefined),
      containers: ContainerDefinitions.map((container) => ({
        name: container.Name,
        environment: Object.fromEntries(container.Environment.map(({ Name, Value }) => [Name, Value])),
        /** parameter names by variable */
        secrets: Object.fromEntries(container.Secrets.map(({ Name, ValueFrom }) => [Name, parameterNameIn(ValueFrom)])),
        mounts: container.MountPoints.map(({ ContainerPath, SourceVolume }) => ({
          path: ContainerPath,
          volume: SourceVolume,
        })),
      })),
    };
  });
}

/** A parameter's ARN leaves out the slash that its name starts with. */
const parameterNameIn = (arnOrName: string): string => arnOrName.replace(/^arn:[^:]+:ssm:[^:]*:[^:]*:parameter\//, '/');
