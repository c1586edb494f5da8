import type { Template } from 'aws-cdk-lib/assertions';
import { defaultIdleSeconds, maxInstances } from 'embedded-aws/testing';
import { describe, expect, test } from 'vitest';
import { templateOf } from './synthesised.ts';

type Resource = {
  Type: string;
  // biome-ignore lint/suspicious/noExplicitAny: CloudFormation's properties are as many as its types
  Properties: any;
  DeletionPolicy?: string;
  UpdateReplacePolicy?: string;
};
type Statement = { Effect: string; Action: string | string[]; Resource: unknown; Condition?: unknown };
const resourcesOf = (template: Template): Resource[] => Object.values(template.toJSON().Resources);

const names =
  /^(BucketName|TableName|FunctionName|StateMachineName|LogGroupName|QueueName|ClusterName|AliasName|Name)$/;
const isNamed = ({ Properties }: Resource): boolean => Object.keys(Properties ?? {}).some((name) => names.test(name));
/** Log groups of functions that a setting removes. */
const optional = /-(early-worker|edge-log|origin-secret)$/;

/** Guarantees for all resources of a type, so that new resources are covered too. */
describe.each(['dev', 'prod'])('in %s', (stage) => {
  const template = templateOf(stage);
  const all = (...types: string[]): Resource[] => {
    const found = resourcesOf(template).filter(({ Type }) => types.includes(Type));
    if (found.length === 0) throw new Error(`the template has no ${types.join(', ')}`);
    return found;
  };
  const isProd = stage === 'prod';

  test('the bucket is private and encrypted', () => {
    const buckets = all('AWS::S3::Bucket');
    expect(buckets).toHaveLength(1);
    for (const { Properties } of buckets) {
      expect(Object.values(Properties.PublicAccessBlockConfiguration)).toEqual([true, true, true, true]);
      expect(Properties.BucketEncryption).toBeDefined();
      expect(Properties).not.toHaveProperty('AccessControl');
      expect(Properties).not.toHaveProperty('WebsiteConfiguration');
    }
  });

  test('bucket and queues refuse requests without TLS', () => {
    const policies = all('AWS::S3::BucketPolicy', 'AWS::SQS::QueuePolicy');
    expect(policies).toHaveLength(all('AWS::S3::Bucket', 'AWS::SQS::Queue').length);
    for (const { Properties } of policies) {
      expect(Properties.PolicyDocument.Statement).toContainEqual(
        expect.objectContaining({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
      );
    }
  });

  test('queues are encrypted and retain messages for 14 days', () => {
    for (const { Properties } of all('AWS::SQS::Queue')) {
      expect(Properties).toMatchObject({ SqsManagedSseEnabled: true, MessageRetentionPeriod: 14 * 24 * 3600 });
    }
  });

  test('the KMS keys of SSH keys, of storages and of the other secrets are rotated and belong to the account', () => {
    const keys = all('AWS::KMS::Key');
    expect(keys).toHaveLength(3);
    for (const { Properties } of keys) {
      expect(Properties.EnableKeyRotation).toBe(true);
      const principals = Properties.KeyPolicy.Statement.map(({ Principal }: { Principal: object }) => Principal);
      expect(JSON.stringify(principals)).not.toContain('"*"');
    }
  });

  test('the table has point-in-time recovery, and deletion protection in prod', () => {
    for (const { Properties } of all('AWS::DynamoDB::Table')) {
      expect(Properties.PointInTimeRecoverySpecification).toEqual({ PointInTimeRecoveryEnabled: true });
      expect(Properties.DeletionProtectionEnabled ?? false).toBe(isProd);
    }
  });

  test('data and logs are retained in prod only', () => {
    const policy = isProd ? 'Retain' : 'Delete';
    for (const resource of all('AWS::DynamoDB::Table', 'AWS::S3::Bucket')) {
      expect(resource).toMatchObject({ DeletionPolicy: policy, UpdateReplacePolicy: policy });
    }
    // A failed first deployment leaves none of these: a key is billed, and a log group stops the next deployment.
    const kept = isProd ? 'RetainExceptOnCreate' : 'Delete';
    for (const resource of all('AWS::KMS::Key')) expect(resource).toMatchObject({ DeletionPolicy: kept });
    const logs = all('AWS::Logs::LogGroup').filter(({ Properties }) => !optional.test(Properties.LogGroupName));
    for (const resource of logs) expect(resource).toMatchObject({ DeletionPolicy: kept });
  });

  test('a failed first deployment leaves no resource with a fixed name that blocks the next one', () => {
    const named = resourcesOf(template).filter(isNamed);
    expect(named.filter(({ DeletionPolicy }) => DeletionPolicy === 'Retain')).toEqual([]);
  });

  test('every log group has a retention, and every function and task has a log group', () => {
    for (const { Properties } of all('AWS::Logs::LogGroup')) {
      expect(Properties.RetentionInDays).toBe(isProd ? 90 : 30);
    }
    for (const { Properties } of all('AWS::Lambda::Function')) expect(Properties.LoggingConfig.LogGroup).toBeDefined();
    for (const { Properties } of all('AWS::ECS::TaskDefinition')) {
      expect(Properties.ContainerDefinitions[0].LogConfiguration.Options['awslogs-group']).toBeDefined();
    }
  });

  test('sources, plans and outputs do not expire; work files, logs and unfinished uploads do', () => {
    const { Rules } = all('AWS::S3::Bucket')[0]!.Properties.LifecycleConfiguration;
    const expiring = Rules.filter(({ ExpirationInDays }: { ExpirationInDays?: number }) => ExpirationInDays);
    expect(expiring.map(({ Prefix, Status }: Record<string, string>) => [Prefix, Status]).toSorted()).toEqual([
      ['logs/', 'Enabled'],
      ['logs/edge/', 'Enabled'],
      ['work/', 'Enabled'],
    ]);
    const aborting = Rules.filter((rule: object) => 'AbortIncompleteMultipartUpload' in rule);
    expect(aborting).toHaveLength(1);
    expect(aborting[0]).not.toHaveProperty('Prefix');
  });

  test('the API is throttled, and its log contains no path or query', () => {
    for (const { Properties } of all('AWS::ApiGatewayV2::Stage')) {
      expect(Properties.DefaultRouteSettings).toMatchObject({ ThrottlingRateLimit: 500, ThrottlingBurstLimit: 1000 });
      expect(Properties.AccessLogSettings.Format).not.toMatch(
        /context\.(path|requestOverride)|querystring|authorization/i,
      );
    }
  });

  test('no resource is billed while idle: no NAT gateway, address, load balancer, interface endpoint or server', () => {
    const standing =
      /^AWS::(EC2::(NatGateway|EIP|Instance)|ElasticLoadBalancing|RDS|ElastiCache|EFS|ECS::Service|WAF|SecretsManager)/;
    expect(resourcesOf(template).filter(({ Type }) => standing.test(Type))).toEqual([]);
    const endpoints = all('AWS::EC2::VPCEndpoint').map(({ Properties }) => Properties.VpcEndpointType);
    expect(endpoints).toEqual(['Gateway']);
    expect(all('AWS::DynamoDB::Table')[0]!.Properties.BillingMode).toBe('PAY_PER_REQUEST');
    for (const { Properties } of all('AWS::Lambda::Function')) {
      expect(Properties).not.toHaveProperty('ProvisionedConcurrencyConfig');
    }
  });

  test('functions and tasks run on arm64', () => {
    for (const { Properties } of all('AWS::Lambda::Function')) expect(Properties.Architectures).toEqual(['arm64']);
    for (const { Properties } of all('AWS::ECS::TaskDefinition')) {
      expect(Properties.RuntimePlatform.CpuArchitecture).toBe('ARM64');
    }
  });

  test('no environment contains a secret or a dynamic reference to one', () => {
    const environments = [
      ...all('AWS::Lambda::Function').map(({ Properties }) => Properties.Environment.Variables),
      ...all('AWS::ECS::TaskDefinition').flatMap(({ Properties }) =>
        Properties.ContainerDefinitions.map(({ Environment }: { Environment: { Name: string; Value: unknown }[] }) =>
          Object.fromEntries(Environment.map(({ Name, Value }) => [Name, Value])),
        ),
      ),
    ];
    for (const environment of environments) {
      expect(Object.keys(environment).filter((name) => /SECRET|PASSWORD|TOKEN|PRIVATE|CREDENTIAL/.test(name))).toEqual(
        [],
      );
      expect(JSON.stringify(environment)).not.toContain('{{resolve:');
    }
  });

  test('only AWS services can assume the roles', () => {
    for (const { Properties } of all('AWS::IAM::Role')) {
      for (const { Principal } of Properties.AssumeRolePolicyDocument.Statement) {
        expect(Object.keys(Principal)).toEqual(['Service']);
      }
      expect(Properties).not.toHaveProperty('ManagedPolicyArns');
    }
    expect(resourcesOf(template).filter(({ Type }) => /^AWS::IAM::(User|AccessKey|Group)$/.test(Type))).toEqual([]);
  });

  test('no function can assume a role of the own account, or one without an external id', () => {
    const statementsOf = ({ Properties }: Resource) => Properties.PolicyDocument.Statement as Statement[];
    const assuming = all('AWS::IAM::Policy')
      .map((policy) => statementsOf(policy).filter(({ Action }) => [Action].flat().includes('sts:AssumeRole')))
      .filter((statements) => statements.length > 0);
    expect(assuming.length).toBeGreaterThan(3);
    const roleArn = (account: unknown) => ({
      'Fn::Join': [
        '',
        [
          'arn:',
          { Ref: 'AWS::Partition' },
          ...(typeof account === 'string' ? [account] : [':iam::', account, ':role/*']),
        ],
      ],
    });
    for (const statements of assuming) {
      expect(statements).toHaveLength(2);
      expect(statements).toContainEqual({
        Effect: 'Allow',
        Action: 'sts:AssumeRole',
        Resource: roleArn(':iam::*:role/*'),
        Condition: { Null: { 'sts:ExternalId': 'false' } },
      });
      expect(statements).toContainEqual({
        Effect: 'Deny',
        Action: 'sts:AssumeRole',
        Resource: roleArn({ Ref: 'AWS::AccountId' }),
      });
    }
  });

  test('only its own API or rule can invoke a function', () => {
    for (const { Properties } of all('AWS::Lambda::Permission')) {
      expect(Properties.Principal).toMatch(/^(apigateway|events)\.amazonaws\.com$/);
      expect(Properties.SourceArn).toBeDefined();
    }
    expect(resourcesOf(template).filter(({ Type }) => Type === 'AWS::Lambda::Url')).toEqual([]);
  });

  test('an undeliverable event goes to a queue, unless it is scheduled and repeats', () => {
    for (const { Properties } of all('AWS::Events::Rule')) {
      for (const target of Properties.Targets) {
        if (Properties.ScheduleExpression) expect(target.RetryPolicy.MaximumRetryAttempts).toBe(0);
        else expect(target.DeadLetterConfig.Arn).toBeDefined();
      }
    }
  });

  test('on one machine, all functions that run each minute keep their instances', () => {
    const rules = all('AWS::Events::Rule').filter(
      ({ Properties }) => Properties.ScheduleExpression === 'rate(1 minute)',
    );
    const functions = rules.flatMap(({ Properties }) =>
      Properties.Targets.map(({ Arn }: { Arn: object }) => JSON.stringify(Arn)),
    );
    expect(new Set(functions).size).toBeLessThanOrEqual(maxInstances);
    expect(defaultIdleSeconds).toBeGreaterThan(60);
  });
});

describe('the versions of the bucket', () => {
  const bucketOf = (overrides: object) =>
    resourcesOf(templateOf('dev', overrides)).find(({ Type }) => Type === 'AWS::S3::Bucket')!.Properties;

  test('are off by default: a deletion frees space at once', () => {
    const { VersioningConfiguration, LifecycleConfiguration } = bucketOf({});
    expect(VersioningConfiguration).toBeUndefined();
    expect(JSON.stringify(LifecycleConfiguration)).not.toContain('Noncurrent');
  });

  test('are kept for the days of the setting, and delete markers without versions are removed', () => {
    const { VersioningConfiguration, LifecycleConfiguration } = bucketOf({ noncurrentVersionDays: 14 });
    expect(VersioningConfiguration).toEqual({ Status: 'Enabled' });
    expect(LifecycleConfiguration.Rules).toContainEqual({
      Id: 'noncurrent-versions',
      Status: 'Enabled',
      NoncurrentVersionExpiration: { NoncurrentDays: 14 },
      ExpiredObjectDeleteMarker: true,
    });
  });

  test('need no further permission: no function can read or remove an earlier version', () => {
    const policies = resourcesOf(templateOf('dev', { noncurrentVersionDays: 14 })).filter(
      ({ Type }) => Type === 'AWS::IAM::Policy',
    );
    expect(JSON.stringify(policies)).not.toMatch(/s3:\w*Version|s3:\*/);
  });
});

test('what a setting removes from prod, another change of the setting can add again', () => {
  const stacks = [{}, { delivery: 'proxies', earlyWorker: { enabled: false } }, { storeWebhook: true }].map(
    (settings) => templateOf('prod', settings).toJSON().Resources as Record<string, Resource>,
  );
  const all = Object.entries(Object.assign({}, ...stacks) as Record<string, Resource>);
  const optionalNamed = all.filter(
    ([id, resource]) => isNamed(resource) && stacks.some((one) => !Object.hasOwn(one, id)),
  );
  expect(optionalNamed.length).toBeGreaterThan(10);
  expect(optionalNamed.filter(([, { DeletionPolicy = 'Delete' }]) => DeletionPolicy !== 'Delete')).toEqual([]);
});
