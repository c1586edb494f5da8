import { Annotations, Match } from 'aws-cdk-lib/assertions';
import { readTemplate, type Template } from 'embedded-aws';
import { createThrottle } from 'embedded-aws/testing';
import { describe, expect, test } from 'vitest';
import { readSettings } from '../../encoder-task/worker/settings.ts';
import { handlers } from '../../infra/build/bundle.ts';
import { apiLambdas } from '../../infra/constructs/api-lambdas.ts';
import { stackOf, templateOf } from './synthesised.ts';

const dev = templateOf('dev');

type Properties = Record<string, unknown>;
const propertiesOf = (template: typeof dev, type: string): Properties[] =>
  Object.values(template.findResources(type)).map(({ Properties }) => Properties);

describe('the bucket', () => {
  test('is private and encrypted and refuses requests without TLS', () => {
    dev.hasResourceProperties('AWS::S3::Bucket', {
      PublicAccessBlockConfiguration: {
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      },
      BucketEncryption: {
        ServerSideEncryptionConfiguration: [{ ServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } }],
      },
    });
    dev.hasResourceProperties('AWS::S3::BucketPolicy', {
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({
            Action: 's3:*',
            Effect: 'Deny',
            Principal: { AWS: '*' },
            Condition: { Bool: { 'aws:SecureTransport': 'false' } },
          }),
        ]),
      },
    });
  });

  test('exposes ETag to pages, without which an upload hangs', () => {
    dev.hasResourceProperties('AWS::S3::Bucket', {
      CorsConfiguration: {
        CorsRules: [
          {
            AllowedMethods: ['PUT', 'POST', 'GET', 'HEAD'],
            AllowedHeaders: ['*'],
            AllowedOrigins: ['*'],
            ExposedHeaders: ['ETag', 'Location'],
            MaxAge: 3000,
          },
        ],
      },
    });
  });

  test('accepts uploads of pages of every origin, as direct uploads need', () => {
    const [bucket] = propertiesOf(
      templateOf('dev', { allowedOrigins: ['https://app.example.com'] }),
      'AWS::S3::Bucket',
    );
    expect(bucket?.CorsConfiguration).toMatchObject({ CorsRules: [{ AllowedOrigins: ['*'] }] });
  });

  test('removes unfinished uploads and work files after a week', () => {
    dev.hasResourceProperties('AWS::S3::Bucket', {
      LifecycleConfiguration: {
        Rules: Match.arrayWith([
          Match.objectLike({ AbortIncompleteMultipartUpload: { DaysAfterInitiation: 7 } }),
          Match.objectLike({ Prefix: 'work/', ExpirationInDays: 7 }),
          Match.objectLike({ Prefix: 'logs/', ExpirationInDays: 90 }),
        ]),
      },
    });
  });
});

describe('the table', () => {
  test('has one key, five sparse keys-only indexes, expiry and backups', () => {
    dev.hasResourceProperties('AWS::DynamoDB::Table', {
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      GlobalSecondaryIndexes: [
        Match.objectLike({ IndexName: 'byOwner', Projection: { ProjectionType: 'KEYS_ONLY' } }),
        Match.objectLike({ IndexName: 'byStatus', Projection: { ProjectionType: 'KEYS_ONLY' } }),
        Match.objectLike({ IndexName: 'queue', Projection: { ProjectionType: 'KEYS_ONLY' } }),
        Match.objectLike({ IndexName: 'leases', Projection: { ProjectionType: 'KEYS_ONLY' } }),
        Match.objectLike({ IndexName: 'due', Projection: { ProjectionType: 'KEYS_ONLY' } }),
      ],
      TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      BillingMode: 'PAY_PER_REQUEST',
    });
  });

  test('and the bucket are retained in prod only', () => {
    const prod = templateOf('prod');
    prod.hasResourceProperties('AWS::DynamoDB::Table', { DeletionProtectionEnabled: true });
    for (const type of ['AWS::DynamoDB::Table', 'AWS::S3::Bucket']) {
      prod.hasResource(type, { DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' });
      dev.hasResource(type, { DeletionPolicy: 'Delete' });
    }
  });

  test('and the bucket have fixed names in local only', () => {
    const local = templateOf('local');
    local.hasResourceProperties('AWS::DynamoDB::Table', { TableName: 'video-service-local' });
    local.hasResourceProperties('AWS::S3::Bucket', { BucketName: 'video-service-local' });
    dev.hasResourceProperties('AWS::DynamoDB::Table', { TableName: Match.absent() });
    dev.hasResourceProperties('AWS::S3::Bucket', { BucketName: Match.absent() });
  });
});

describe('an upload', () => {
  test('starts the pipeline by its event, which is retried for a day and then goes to the dead-letter queue', () => {
    dev.hasResourceProperties('AWS::S3::Bucket', {
      NotificationConfiguration: { EventBridgeConfiguration: { EventBridgeEnabled: true } },
    });
    dev.hasResourceProperties('AWS::Events::Rule', {
      EventPattern: {
        source: ['aws.s3'],
        'detail-type': ['Object Created'],
        detail: {
          bucket: { name: [{ Ref: Match.stringLikeRegexp('^StorageBucket') }] },
          object: { key: [{ prefix: 'uploads/' }] },
          reason: ['CompleteMultipartUpload', 'POST Object', 'PostObject'],
        },
      },
      Targets: [
        Match.objectLike({
          Arn: { Ref: Match.stringLikeRegexp('^PipelineStateMachine') },
          DeadLetterConfig: { Arn: { 'Fn::GetAtt': [Match.stringLikeRegexp('^PipelineDeadLetters'), 'Arn'] } },
          RetryPolicy: { MaximumEventAgeInSeconds: 86_400, MaximumRetryAttempts: 185 },
        }),
      ],
    });
  });
});

describe('the API', () => {
  test('routes every prefix, everything below it and all other paths to functions', () => {
    const keys = propertiesOf(dev, 'AWS::ApiGatewayV2::Route').map(({ RouteKey }) => RouteKey);
    const prefixes = Object.values(apiLambdas)
      .flat()
      .filter((prefix) => prefix !== '$default');
    expect(keys.toSorted()).toEqual(
      [...prefixes.flatMap((prefix) => [`ANY ${prefix}`, `ANY ${prefix}/{proxy+}`]), '$default'].toSorted(),
    );
    dev.hasResourceProperties('AWS::ApiGatewayV2::Api', { CorsConfiguration: Match.absent() });
  });

  test('is throttled and logs no client-provided path', () => {
    dev.hasResourceProperties('AWS::ApiGatewayV2::Stage', {
      StageName: '$default',
      DefaultRouteSettings: { ThrottlingRateLimit: 500, ThrottlingBurstLimit: 1000 },
      AccessLogSettings: { Format: Match.not(Match.stringLikeRegexp('context\\.path')) },
    });
  });

  test('limits calls of workers separately, and all limits together stay below the quota of an account', () => {
    const [stage] = Object.values(dev.findResources('AWS::ApiGatewayV2::Stage'));
    const limits = { ThrottlingRateLimit: 2000, ThrottlingBurstLimit: 1500 };
    const settings = stage!.Properties.RouteSettings;
    expect(settings).toEqual({ 'ANY /api/workers/sync': limits, 'ANY /api/workers/files': limits });
    const routes = dev.findResources('AWS::ApiGatewayV2::Route');
    expect(stage!.DependsOn.map((id: string) => routes[id]?.Properties.RouteKey).toSorted()).toEqual(
      Object.keys(settings).toSorted(),
    );
    const all = [stage!.Properties.DefaultRouteSettings, ...Object.values(settings)];
    const sumOf = (name: string) => all.reduce((sum, each) => sum + each[name], 0);
    expect(sumOf('ThrottlingRateLimit')).toBeLessThan(10_000);
    expect(sumOf('ThrottlingBurstLimit')).toBeLessThan(5000);
  });

  test('serves users while workers call without end', () => {
    const place = { stackName: 'dev', region: 'eu-west-1', accountId: '123456789012', apiUrl: 'http://127.0.0.1' };
    const takes = createThrottle(readTemplate(dev.toJSON() as Template, place).throttle(), () => 0);
    const allowed = (routeKey: string) => Array.from({ length: 20_000 }, () => takes(routeKey)).filter(Boolean).length;
    expect(allowed('ANY /api/workers/sync')).toBe(1500);
    expect(allowed('ANY /api/workers/files')).toBe(1500);
    expect(allowed('ANY /api/videos')).toBe(1000);
  });

  test('has a custom domain name if the settings have one', () => {
    const domain = { name: 'video.example.com', certificateArn: 'arn:aws:acm:eu-west-1:123456789012:certificate/c' };
    const template = templateOf('dev', { domain });
    template.hasResourceProperties('AWS::ApiGatewayV2::DomainName', { DomainName: domain.name });
    template.hasResourceProperties('AWS::CloudFront::Distribution', {
      DistributionConfig: {
        Origins: Match.arrayWith([Match.objectLike({ DomainName: 'video.example.com' })]),
      },
    });
    templateOf('dev', { domain, delivery: 'proxies' }).hasOutput('ApiUrl', { Value: 'https://video.example.com' });
    template.hasOutput('DomainTarget', { Value: { 'Fn::GetAtt': [Match.anyValue(), 'RegionalDomainName'] } });
  });
});

describe('functions', () => {
  test('exist for each handler, on Node 24, with their own role and log group', () => {
    // Those that run an image have no handler.
    const functions = propertiesOf(templateOf('dev', { storeWebhook: true }), 'AWS::Lambda::Function').filter(
      ({ PackageType }) => PackageType !== 'Image',
    );
    expect(functions.map(({ FunctionName }) => FunctionName).toSorted()).toEqual(
      handlers.map((name) => `video-service-dev-${name.split('/').at(-1)}`).toSorted(),
    );
    for (const properties of functions) {
      expect(properties).toMatchObject({
        Runtime: 'nodejs24.x',
        Architectures: ['arm64'],
        LoggingConfig: { LogFormat: 'JSON' },
      });
    }
    const roles = new Set(functions.map(({ Role }) => JSON.stringify(Role)));
    expect(roles.size).toBe(handlers.length);
  });

  test('have no secrets in their environment: secrets are parameters below one prefix', () => {
    for (const { Environment } of propertiesOf(dev, 'AWS::Lambda::Function')) {
      const { Variables } = Environment as { Variables: Record<string, unknown> };
      expect(Object.keys(Variables).filter((name) => /SECRET|PASSWORD|TOKEN|PRIVATE/.test(name))).toEqual([]);
    }
  });
});

describe('workers', () => {
  test('run unprivileged with a read-only root and one secret from the parameter store', () => {
    dev.hasResourceProperties('AWS::ECS::TaskDefinition', {
      ContainerDefinitions: [
        Match.objectLike({
          User: '1000:1000',
          ReadonlyRootFilesystem: true,
          LinuxParameters: { Capabilities: { Drop: ['ALL'] }, InitProcessEnabled: true },
          MountPoints: [{ ContainerPath: '/scratch', ReadOnly: false, SourceVolume: 'scratch' }],
          Secrets: [{ Name: 'WORKER_TOKEN', ValueFrom: Match.anyValue() }],
        }),
      ],
    });
  });

  test('have an environment that they accept', () => {
    const [task] = propertiesOf(dev, 'AWS::ECS::TaskDefinition');
    const [{ Environment }] = task!.ContainerDefinitions as [{ Environment: { Name: string; Value: unknown }[] }];
    const environment = Object.fromEntries(
      Environment.map(({ Name, Value }) => [Name, typeof Value === 'string' ? Value : 'https://api.example.com/sync']),
    );
    expect(readSettings({ ...environment, WORKER_TOKEN: 'node.secret' })).toMatchObject({
      idleExitSeconds: 30,
      logLevel: 'info',
    });
  });

  test('have no AWS permissions', () => {
    const policies = propertiesOf(dev, 'AWS::IAM::Policy');
    const taskRole = Object.keys(dev.findResources('AWS::IAM::Role')).find((id) => id.startsWith('WorkersTaskRole'));
    expect(taskRole).toBeDefined();
    expect(policies.filter(({ Roles }) => JSON.stringify(Roles).includes(`"${taskRole}"`))).toEqual([]);
    dev.hasResourceProperties('AWS::IAM::Role', { ManagedPolicyArns: Match.absent() });
  });

  test('accept no inbound connections and need no NAT gateway', () => {
    dev.hasResourceProperties('AWS::EC2::SecurityGroup', { SecurityGroupIngress: Match.absent() });
    dev.resourceCountIs('AWS::EC2::SecurityGroupIngress', 0);
    dev.resourceCountIs('AWS::EC2::NatGateway', 0);
  });

  test('use an image from a registry if the settings name one', () => {
    templateOf('dev', { workers: { image: 'registry.example.com/encoder@sha256:0' } }).hasResourceProperties(
      'AWS::ECS::TaskDefinition',
      { ContainerDefinitions: [Match.objectLike({ Image: 'registry.example.com/encoder@sha256:0' })] },
    );
  });
});

test('deployment runs no custom resources of the CDK, and two of the service', () => {
  const types = new Set(Object.values(dev.toJSON().Resources as Record<string, { Type: string }>).map((r) => r.Type));
  const custom = [...types].filter((type) => type.startsWith('Custom::') || type.includes('CustomResource'));
  expect(custom.toSorted()).toEqual(['Custom::EdgeAccessLog', 'Custom::OriginSecret']);
});

test('the synthesis prints no warnings, so that a new one is noticed', () => {
  for (const stage of ['dev', 'prod']) {
    const warnings = Annotations.fromStack(stackOf(stage)).findWarning('*', Match.anyValue());
    expect(warnings.map(({ id, entry }) => [id, entry.data])).toEqual([]);
  }
});

test('API Gateway writes its log to a group for which the account needs no policy', () => {
  dev.hasResourceProperties('AWS::Logs::LogGroup', { LogGroupName: '/aws/vendedlogs/apigateway/video-service-dev' });
});

test('the outputs of the stack are what an operator needs', () => {
  expect(Object.keys(dev.toJSON().Outputs).toSorted()).toEqual([
    'ApiUrl',
    'BucketName',
    'CountAccessesFunctionName',
    'DeadLettersUrl',
    'EdgeCheckFunctionName',
    'EventBusName',
    'ProxyRoleName',
    'RotateKeysFunctionName',
    'SetupFunctionName',
    'StateMachineArn',
    'TableName',
    'UncountedUrl',
  ]);
});

test('tasks run in as many zones as the setting says', () => {
  const subnets = (zones?: number) =>
    Object.values(templateOf('dev', { workers: { ...(zones && { zones }) } }).findResources('AWS::EC2::Subnet')).map(
      ({ Properties }) => Properties.AvailabilityZone['Fn::Select'][0],
    );
  expect(subnets()).toEqual([0, 1]);
  expect(subnets(3)).toEqual([0, 1, 2]);
});

test('a deployment that replaces the task definition leaves the permission to run it', () => {
  const policies = JSON.stringify(templateOf('dev').findResources('AWS::IAM::Policy'));
  expect(policies).toMatch(/:task-definition\/video-service-dev-encoder:\*/);
});
