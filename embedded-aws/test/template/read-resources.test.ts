import { describe, expect, test } from 'vitest';
import { deployedTemplate, type Resource } from '../../src/template/deployed-template.ts';
import { readAsyncSettings } from '../../src/template/read-async-settings.ts';
import { readBuckets } from '../../src/template/read-buckets.ts';
import { readFunctions } from '../../src/template/read-functions.ts';
import { readQueues } from '../../src/template/read-queues.ts';
import { readRoutes } from '../../src/template/read-routes.ts';
import { readEventBuses, readRules } from '../../src/template/read-rules.ts';
import { readStateMachines } from '../../src/template/read-state-machines.ts';
import { readTables } from '../../src/template/read-tables.ts';
import { readTaskDefinitions } from '../../src/template/read-task-definitions.ts';
import { readThrottle } from '../../src/template/read-throttle.ts';

const place = { stackName: 'demo', region: 'local-1', accountId: '000000000000', apiUrl: 'http://127.0.0.1:3000' };
const deployed = (resources: Record<string, Resource>) => deployedTemplate({ Resources: resources }, place);
const assembly = {
  stackName: 'demo',
  terminationProtection: false,

  template: { Resources: {} },
  assetPath: (key: string) => `/assembly/${key}`,
};

const videos: Resource = {
  Type: 'AWS::Lambda::Function',
  Properties: {
    FunctionName: 'videos',
    Runtime: 'nodejs24.x',
    Handler: 'index.handler',
    Code: { S3Bucket: 'assets', S3Key: 'abc.zip' },
    Timeout: 29,
    MemorySize: 512,
    Environment: { Variables: { TABLE_NAME: { Ref: 'Table' } } },
    Role: { 'Fn::GetAtt': ['Role', 'Arn'] },
  },
};
const role: Resource = { Type: 'AWS::IAM::Role', Properties: { RoleName: 'reader' } };
const roleArn = 'arn:aws:iam::000000000000:role/reader';
const table: Resource = {
  Type: 'AWS::DynamoDB::Table',
  Properties: {
    TableName: 'records',
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
  },
};

test('a Node function is read with its code, its limits and its resolved environment', () => {
  expect(readFunctions(deployed({ Videos: videos, Table: table, Role: role }), assembly)).toEqual([
    {
      name: 'videos',
      arn: 'arn:aws:lambda:local-1:000000000000:function:videos',
      codeFolder: '/assembly/abc.zip',
      module: 'index',
      handler: 'handler',
      timeoutSeconds: 29,
      memoryMiB: 512,
      environment: { TABLE_NAME: 'records' },
      roleArn,
      managedNodeRoleName: undefined,
      wakesTasks: false,
    },
  ]);
});

test('a function that runs a container image is accepted, and left out: one machine starts no containers', () => {
  const image: Resource = {
    Type: 'AWS::Lambda::Function',
    Properties: {
      FunctionName: 'worker',
      PackageType: 'Image',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: CloudFormation replaces it
      Code: { ImageUri: { 'Fn::Sub': '${AWS::AccountId}.dkr.ecr.${AWS::Region}.${AWS::URLSuffix}/repository:tag' } },
      ImageConfig: { EntryPoint: ['/usr/local/bin/node'], Command: ['/app/main.mjs'] },
      EphemeralStorage: { Size: 10_240 },
      ReservedConcurrentExecutions: 10,
      Role: { 'Fn::GetAtt': ['Role', 'Arn'] },
    },
  };
  const template = deployed({ Worker: image, Videos: videos, Table: table, Role: role });
  expect(readFunctions(template, assembly).map(({ name }) => name)).toEqual(['videos']);
});

test('a function with JSON logs has the lowest level of its lines', () => {
  const level = (LoggingConfig: object) => {
    const Properties = { ...videos.Properties, LoggingConfig };
    const [found] = readFunctions(deployed({ Videos: { ...videos, Properties }, Table: table, Role: role }), assembly);
    return found!.applicationLogLevel;
  };
  expect(level({ LogFormat: 'JSON', ApplicationLogLevel: 'WARN' })).toBe('WARN');
  expect(level({ LogFormat: 'JSON' })).toBe('INFO');
  expect(level({ LogFormat: 'Text' })).toBeUndefined();
});

test('a function that registers servers has the role of the servers in its metadata', () => {
  const operate = { ...videos, Metadata: { 'embedded-aws:managed-node-role': { Ref: 'Role' } } };
  const [found] = readFunctions(deployed({ Operate: operate, Table: table, Role: role }), assembly);
  expect(found).toMatchObject({ managedNodeRoleName: 'reader' });
});

test('a function in another language is left out', () => {
  const Properties = { Runtime: 'python3.13', Code: { ZipFile: '' }, Role: roleArn };
  const python = { Type: 'AWS::Lambda::Function', Properties };
  expect(readFunctions(deployed({ Python: python }), assembly)).toEqual([]);
});

const permission = (service: string, SourceArn: string) => ({
  Type: 'AWS::Lambda::Permission',
  Properties: { Action: 'lambda:InvokeFunction', FunctionName: { Ref: 'Videos' }, Principal: service, SourceArn },
});
const route = (RouteKey: string) => ({
  Type: 'AWS::ApiGatewayV2::Route',
  Properties: { ApiId: 'api', RouteKey, Target: { 'Fn::Join': ['', ['integrations/', { Ref: 'Proxy' }]] } },
});

test('a route refers to a function by its integration, which needs a permission for the route', () => {
  const uri = { 'Fn::GetAtt': ['Videos', 'Arn'] };
  const resources = {
    Videos: videos,
    Table: table,
    Role: role,
    Proxy: { Type: 'AWS::ApiGatewayV2::Integration', Properties: { IntegrationUri: uri, PayloadFormatVersion: '2.0' } },
    Route: route('ANY /api/videos'),
    Other: route('GET /api/other'),
    Permission: permission('apigateway.amazonaws.com', 'arn:aws:execute-api:*:*:*/*/*/api/videos'),
  };
  expect(readRoutes(deployed(resources))).toEqual([
    { routeKey: 'ANY /api/videos', functionName: 'videos', permitted: true },
    { routeKey: 'GET /api/other', functionName: 'videos', permitted: false },
  ]);
});

test('a bucket is read with its CORS rules, its events and its lifecycle', () => {
  const bucket = {
    Type: 'AWS::S3::Bucket',
    Properties: {
      BucketName: 'media',
      NotificationConfiguration: { EventBridgeConfiguration: { EventBridgeEnabled: true } },
      CorsConfiguration: {
        CorsRules: [{ AllowedMethods: ['PUT'], AllowedOrigins: ['*'], ExposedHeaders: ['ETag'], MaxAge: 3000 }],
      },
      LifecycleConfiguration: {
        Rules: [
          { Status: 'Enabled', AbortIncompleteMultipartUpload: { DaysAfterInitiation: 7 } },
          { Status: 'Enabled', Prefix: 'work/', ExpirationInDays: 3 },
          { Status: 'Disabled', Prefix: 'logs/', ExpirationInDays: 1 },
        ],
      },
    },
  };
  expect(readBuckets(deployed({ bucket }))).toEqual([
    {
      name: 'media',
      eventBridge: true,
      cors: [
        {
          allowedOrigins: ['*'],
          allowedMethods: ['PUT'],
          allowedHeaders: [],
          exposedHeaders: ['ETag'],
          maxAgeSeconds: 3000,
        },
      ],
      lifecycle: { abortIncompleteMultipartDays: 7, expire: [{ prefix: 'work/', days: 3 }] },
    },
  ]);
});

test('a table is read with its keys and its time-to-live attribute', () => {
  expect(readTables(deployed({ table }))).toEqual([
    {
      name: 'records',
      keySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      attributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
      globalSecondaryIndexes: [],
      timeToLiveAttribute: 'expiresAt',
    },
  ]);
});

test('a state machine is read with the text of its definition', () => {
  const machine = {
    Type: 'AWS::StepFunctions::StateMachine',
    Properties: {
      StateMachineName: 'encode',
      DefinitionString: { 'Fn::Join': ['', ['{"StartAt":"', 'A', '"}']] },
      RoleArn: { 'Fn::GetAtt': ['Role', 'Arn'] },
    },
  };
  const arn = 'arn:aws:states:local-1:000000000000:stateMachine:encode';
  expect(readStateMachines(deployed({ machine, Role: role }))).toEqual([
    { arn, name: 'encode', definition: '{"StartAt":"A"}', roleArn },
  ]);
});

test('a rule of an own bus has the ARN and the reference of AWS, and no schedule', () => {
  const bus: Resource = { Type: 'AWS::Events::EventBus', Properties: { Name: 'own' } };
  const ruleOf = (more: object): Resource => ({
    Type: 'AWS::Events::Rule',
    Properties: { Name: 'all', EventBusName: { Ref: 'Bus' }, ...more },
  });
  const resources = { Bus: bus, Rule: ruleOf({ EventPattern: { source: ['video'] } }) };
  expect(readEventBuses(deployed(resources))).toEqual([
    { name: 'own', arn: 'arn:aws:events:local-1:000000000000:event-bus/own' },
  ]);
  expect(readRules(deployed(resources))).toMatchObject([
    { name: 'own|all', busName: 'own', arn: 'arn:aws:events:local-1:000000000000:rule/own/all' },
  ]);
  const scheduled = { Bus: bus, Rule: ruleOf({ ScheduleExpression: 'rate(1 minute)' }) };
  expect(() => readRules(deployed(scheduled))).toThrow('only rules of the default bus');
});

test('rules are read with pattern or schedule, state, and whether they may invoke their function', () => {
  const target = { Id: 'T', Arn: { 'Fn::GetAtt': ['Videos', 'Arn'] } };
  const rule = (properties: object) => ({
    Type: 'AWS::Events::Rule',
    Properties: { Targets: [target], ...properties },
  });
  const resources = {
    Videos: videos,
    Table: table,
    Role: role,
    Every: rule({ Name: 'every', ScheduleExpression: 'rate(1 minute)' }),
    Off: rule({ Name: 'off', ScheduleExpression: 'rate(1 minute)', State: 'DISABLED' }),
    On: rule({ Name: 'on', EventPattern: { source: ['aws.s3'] } }),
    Permission: permission('events.amazonaws.com', 'arn:aws:events:local-1:000000000000:rule/o*'),
  };
  const arn = 'arn:aws:lambda:local-1:000000000000:function:videos';
  const targets = (permitted: boolean) => [
    {
      id: 'T',
      arn,
      input: undefined,
      roleArn: undefined,
      maxRetries: 185,
      maxAgeSeconds: 86_400,
      deadLetterArn: undefined,
      permitted,
    },
  ];
  expect(readRules(deployed(resources))).toEqual([
    {
      name: 'every',
      busName: 'default',
      arn: 'arn:aws:events:local-1:000000000000:rule/every',
      enabled: true,
      pattern: undefined,
      schedule: 'rate(1 minute)',
      targets: targets(false),
    },
    {
      name: 'off',
      busName: 'default',
      arn: 'arn:aws:events:local-1:000000000000:rule/off',
      enabled: false,
      pattern: undefined,
      schedule: 'rate(1 minute)',
      targets: targets(true),
    },
    {
      name: 'on',
      busName: 'default',
      arn: 'arn:aws:events:local-1:000000000000:rule/on',
      enabled: true,
      pattern: { source: ['aws.s3'] },
      schedule: undefined,
      targets: targets(true),
    },
  ]);
});

test('a task definition has an entry file, and secrets by parameter name', () => {
  const task = {
    Type: 'AWS::ECS::TaskDefinition',
    Metadata: { 'embedded-aws:container-entry': 'encoder-task/main.mjs' },
    Properties: {
      Family: 'encoder',
      TaskRoleArn: { 'Fn::GetAtt': ['Role', 'Arn'] },
      ContainerDefinitions: [
        {
          Name: 'worker',
          StopTimeout: 120,
          Environment: [{ Name: 'TMPDIR', Value: '/scratch' }],
          Secrets: [{ Name: 'TOKEN', ValueFrom: 'arn:aws:ssm:local-1:000000000000:parameter/demo/token' }],
          MountPoints: [{ ContainerPath: '/scratch', SourceVolume: 'scratch', ReadOnly: false }],
        },
      ],
    },
  };
  expect(readTaskDefinitions(deployed({ task, Role: role }))).toEqual([
    {
      arn: 'arn:aws:ecs:local-1:000000000000:task-definition/encoder:1',
      vcpus: 1,
      entryFile: 'encoder-task/main.mjs',
      roleArns: [roleArn],
      containers: [
        {
          name: 'worker',
          stopTimeoutSeconds: 120,
          environment: { TMPDIR: '/scratch' },
          secrets: { TOKEN: '/demo/token' },
          mounts: [{ path: '/scratch', volume: 'scratch' }],
        },
      ],
    },
  ]);
});

test('a stage has its throttling settings, and at most those of an account', () => {
  const stage = (settings?: object): Resource => ({
    Type: 'AWS::ApiGatewayV2::Stage',
    Properties: { StageName: '$default', ...(settings && { DefaultRouteSettings: settings }) },
  });
  const read = (settings?: object) => readThrottle(deployed({ Stage: stage(settings) })).defaultRoute;
  expect(read({ ThrottlingRateLimit: 500, ThrottlingBurstLimit: 1000 })).toEqual({ ratePerSecond: 500, burst: 1000 });
  expect(read()).toEqual({ ratePerSecond: 10_000, burst: 5000 });
  expect(read({ ThrottlingRateLimit: 99_999 })).toEqual({ ratePerSecond: 10_000, burst: 5000 });
});

describe('the settings of a route', () => {
  const read = (routeKey: string, DependsOn?: string | string[]) =>
    readThrottle(
      deployed({
        Stage: {
          Type: 'AWS::ApiGatewayV2::Stage',
          Properties: {
            StageName: '$default',
            DefaultRouteSettings: { ThrottlingRateLimit: 5, ThrottlingBurstLimit: 6 },
            RouteSettings: { [routeKey]: { ThrottlingRateLimit: 500 } },
          },
          ...(DependsOn && { DependsOn }),
        },
        Sync: {
          Type: 'AWS::ApiGatewayV2::Route',
          Properties: { ApiId: 'api', RouteKey: 'ANY /api/workers/sync', Target: 'integrations/Sync' },
        },
      }),
    );

  test('replace all of the default: a limit that they do not have is that of the account', () => {
    const { defaultRoute, routes } = read('ANY /api/workers/sync', ['Sync']);
    expect(defaultRoute).toEqual({ ratePerSecond: 5, burst: 6 });
    expect([...routes]).toEqual([['ANY /api/workers/sync', { ratePerSecond: 500, burst: 5000 }]]);
  });

  test.each([
    ['which does not exist', 'POST /api/workers/sync', 'Sync'],
    ['which may be created after the stage', 'ANY /api/workers/sync', undefined],
  ])('are refused for one %s', (_, routeKey, dependsOn) => {
    expect(() => read(routeKey, dependsOn)).toThrow(
      `Unable to find Route by key ${routeKey} within the provided RouteSettings`,
    );
  });
});

test('a target has its retry policy and its dead-letter queue, and no settings that are not supported', () => {
  const rule = (target: object): Resource => ({
    Type: 'AWS::Events::Rule',
    Properties: {
      EventPattern: { source: ['aws.s3'] },
      Targets: [{ Id: 'T', Arn: 'arn:aws:states:local-1:000000000000:stateMachine:m', ...target }],
    },
  });
  const RetryPolicy = { MaximumRetryAttempts: 3, MaximumEventAgeInSeconds: 60 };
  const DeadLetterConfig = { Arn: 'arn:aws:sqs:local-1:000000000000:dead' };
  const [read] = readRules(deployed({ Rule: rule({ RetryPolicy, DeadLetterConfig }) }));
  expect(read!.targets).toMatchObject([
    { maxRetries: 3, maxAgeSeconds: 60, deadLetterArn: 'arn:aws:sqs:local-1:000000000000:dead' },
  ]);
  expect(() => readRules(deployed({ Rule: rule({ InputPath: '$.detail' }) }))).toThrow('InputPath');
  expect(() => readRules(deployed({ Rule: rule({ RetryPolicy: { MaximumRetryAttempts: 186 } }) }))).toThrow('185');
});

test('asynchronous invocations have the settings of the function, or those of Lambda', () => {
  const config = (properties: object): Resource => ({
    Type: 'AWS::Lambda::EventInvokeConfig',
    Properties: { FunctionName: 'videos', Qualifier: '$LATEST', ...properties },
  });
  const destination = (arn: string) => ({ DestinationConfig: { OnFailure: { Destination: arn } } });
  const queue = 'arn:aws:sqs:local-1:000000000000:dead';
  const read = readAsyncSettings(deployed({ Config: config({ MaximumRetryAttempts: 0, ...destination(queue) }) }));
  expect(read('videos')).toEqual({ maxRetries: 0, maxAgeSeconds: 21_600, onFailureQueueArn: queue });
  expect(read('other')).toEqual({ maxRetries: 2, maxAgeSeconds: 21_600 });
  const refused = config(destination('arn:aws:sns:local-1:000000000000:topic'));
  expect(() => readAsyncSettings(deployed({ Config: refused }))).toThrow('only queues are supported');
});

test('a queue accepts messages of a service only as its policy allows', () => {
  const queue: Resource = {
    Type: 'AWS::SQS::Queue',
    Properties: { QueueName: 'dead', MessageRetentionPeriod: 1209600 },
  };
  const arn = { 'Fn::GetAtt': ['Queue', 'Arn'] };
  const ruleArn = 'arn:aws:events:local-1:000000000000:rule/uploaded';
  const allow = {
    Effect: 'Allow',
    Principal: { Service: 'events.amazonaws.com' },
    Action: 'sqs:SendMessage',
    Resource: arn,
    Condition: { ArnEquals: { 'aws:SourceArn': ruleArn } },
  };
  const deny = { Effect: 'Deny', Principal: '*', Action: 'sqs:*', Resource: arn };
  const insecure = { ...deny, Principal: { AWS: '*' }, Condition: { Bool: { 'aws:SecureTransport': 'false' } } };
  const policy = (...Statement: object[]): Resource => ({
    Type: 'AWS::SQS::QueuePolicy',
    Properties: { Queues: [{ Ref: 'Queue' }], PolicyDocument: { Statement } },
  });
  const read = (...statements: object[]) => readQueues(deployed({ Queue: queue, Policy: policy(...statements) }))[0]!;
  const asks = { service: 'events.amazonaws.com', action: 'sqs:SendMessage', sourceArn: ruleArn };
  expect(read(allow, insecure)).toMatchObject({
    name: 'dead',
    retentionSeconds: 1_209_600,
    maxMessageBytes: 1_048_576,
  });
  expect(read(allow, insecure).allows(asks)).toBe(true);
  expect(read(allow).allows({ ...asks, sourceArn: `${ruleArn}-other` })).toBe(false);
  expect(read(allow).allows({ ...asks, service: 'lambda.amazonaws.com' })).toBe(false);
  expect(read(insecure).allows(asks)).toBe(false);
  expect(read(allow, deny).allows(asks)).toBe(false);
  expect([read(allow, insecure), read(deny)].map(({ denies }) => denies('sqs:SendMessage'))).toEqual([false, true]);
});
