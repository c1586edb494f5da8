import { type ReadTemplate, readTemplate, type Template, templateHints } from 'embedded-aws';
import { beforeAll, describe, expect, test } from 'vitest';
import { settingsOf } from '../../infra/settings.ts';
import { templateOf } from './synthesised.ts';

// Connections between resources that CloudFormation deploys although AWS then refuses to use them.

const place = { stackName: 'demo', region: 'eu-west-1', accountId: '123456789012', apiUrl: 'https://api.example.com' };
const domain = { name: 'video.example.com', certificateArn: 'arn:aws:acm:eu-west-1:123456789012:certificate/x' };

type Trust = { Statement: { Principal: { Service?: string } }[] };
type Container = { Image: string; LogConfiguration: { Options: Record<string, string> } };

const stages = {
  dev: () => templateOf('dev', { alarmEmail: 'ops@example.com' }),
  prod: () => templateOf('prod', { alarmEmail: 'ops@example.com', domain }),
};

describe.each(Object.entries(stages))('in stage %s', (stage, synthesise) => {
  let synthesised: Template;
  let template: ReadTemplate;
  beforeAll(() => {
    synthesised = synthesise().toJSON() as Template;
    template = readTemplate(synthesised, place);
    for (const { logicalId } of template.customResources) template.customAttributes.set(logicalId, { Value: 'secret' });
  });
  const properties = (type: string): Record<string, unknown>[] =>
    template.resources(type).map((resource) => resource.properties as Record<string, unknown>);

  /** The services that may assume a role. */
  const trusted = (roleArn: string): unknown[] =>
    template
      .resources('AWS::IAM::Role')
      .filter(({ arn }) => arn === roleArn)
      .flatMap((role) => (role.properties as { AssumeRolePolicyDocument: Trust }).AssumeRolePolicyDocument.Statement)
      .map(({ Principal }) => Principal.Service);
  function expectRole(roleArn: string | undefined, service: string, action: string, resource: string): void {
    expect(trusted(roleArn!)).toContain(service);
    const isAllowed = template.policyOf(
      roleArn!,
      service,
    )({
      action,
      resource,
      context: {},
    });
    expect([roleArn, action, resource, isAllowed]).toEqual([roleArn, action, resource, true]);
  }

  /** The image is in the repository of the stage, and the role may pull it. */
  function expectPull(role: string, service: string, image: string): void {
    const repository = `video-service-${stage}`;
    expect(image).toMatch(
      new RegExp(`^${place.accountId}\\.dkr\\.ecr\\.${place.region}\\.amazonaws\\.com/${repository}:`),
    );
    const arn = `arn:aws:ecr:${place.region}:${place.accountId}:repository/${repository}`;
    expectRole(role, service, 'ecr:GetAuthorizationToken', '*');
    for (const action of ['ecr:BatchGetImage', 'ecr:GetDownloadUrlForLayer', 'ecr:BatchCheckLayerAvailability']) {
      expectRole(role, service, action, arn);
    }
  }

  test('every route of the API may invoke its function', () => {
    const routes = template.routes();
    expect(routes.map(({ routeKey }) => routeKey)).toContain('$default');
    expect(routes.filter(({ permitted }) => !permitted)).toEqual([]);
  });

  test('every event source mapping may read its stream and send to its failure queue', () => {
    const mappings = template.eventSourceMappings();
    expect(mappings).not.toEqual([]);
    for (const { functionName, streamArn, onFailureQueueArn } of mappings) {
      expect(template.tables().map(({ stream }) => stream?.arn)).toContain(streamArn);
      const { Role } = properties('AWS::Lambda::Function').find((one) => one.FunctionName === functionName)!;
      const allow = (action: string, resource: string) =>
        expectRole(String(Role), 'lambda.amazonaws.com', action, resource);
      for (const action of ['DescribeStream', 'GetRecords', 'GetShardIterator']) allow(`dynamodb:${action}`, streamArn);
      allow('dynamodb:ListStreams', '*');
      if (onFailureQueueArn) allow('sqs:SendMessage', onFailureQueueArn);
    }
  });

  test('every rule may invoke its function', () => {
    const targets = template.rules().flatMap((rule) => rule.targets);
    expect(targets.length).toBeGreaterThan(4);
    expect(targets.filter(({ permitted }) => !permitted)).toEqual([]);
  });

  test('every rule may start its state machine', () => {
    const machines = template.stateMachines().map(({ arn }) => arn);
    const targets = template.rules().flatMap((rule) => rule.targets.filter(({ arn }) => machines.includes(arn)));
    expect(targets.length).toBeGreaterThan(0);
    for (const { arn, roleArn } of targets) expectRole(roleArn, 'events.amazonaws.com', 'states:StartExecution', arn);
  });

  test('every rule may send to its dead-letter queue', () => {
    const action = 'sqs:SendMessage';
    const allowed = template.rules().flatMap((rule) =>
      rule.targets.flatMap(({ deadLetterArn }) => {
        const queue = template.queues().find(({ arn }) => arn === deadLetterArn);
        if (deadLetterArn === undefined) return [];
        return [[rule.name, queue?.allows({ service: 'events.amazonaws.com', action, sourceArn: rule.arn })]];
      }),
    );
    expect(allowed).toEqual([
      [expect.stringContaining('Shipped'), true],
      [expect.stringContaining('Uploaded'), true],
      [expect.stringContaining('Watched'), true],
    ]);
  });

  test('every function may send failed events to their queue', () => {
    const settingsOf = template.asyncSettings();
    const functions = template.resources('AWS::Lambda::Function');
    const sending = functions.filter(({ ref }) => settingsOf(ref).onFailureQueueArn !== undefined);
    expect(sending.length).toBe(1);
    for (const { ref, properties: own } of sending) {
      const queueArn = settingsOf(ref).onFailureQueueArn!;
      const { Role } = own as { Role: string };
      expectRole(Role, 'lambda.amazonaws.com', 'sqs:SendMessage', queueArn);
      expect(
        template
          .queues()
          .find(({ arn }) => arn === queueArn)!
          .denies('sqs:SendMessage'),
      ).toBe(false);
    }
  });

  test('every function has a log group that its role may write to', () => {
    const groups = new Map(template.resources('AWS::Logs::LogGroup').map(({ ref, arn }) => [ref, arn]));
    const functions = properties('AWS::Lambda::Function').filter(({ LoggingConfig }) => LoggingConfig !== undefined);
    expect(functions.length).toBeGreaterThan(20);
    for (const { FunctionName, Role, LoggingConfig } of functions) {
      const { LogGroup } = LoggingConfig as { LogGroup: string };
      expect([FunctionName, groups.has(LogGroup)]).toEqual([FunctionName, true]);
      for (const action of ['logs:CreateLogStream', 'logs:PutLogEvents']) {
        expectRole(Role as string, 'lambda.amazonaws.com', action, groups.get(LogGroup)!);
      }
    }
  });

  test('every state machine may invoke the functions of its definition', () => {
    const machines = template.stateMachines();
    expect(machines).toHaveLength(1);
    for (const { roleArn, definition } of machines) {
      const functions = new Set(definition.match(/arn:aws:lambda:[^"]+?:function:[\w-]+/g));
      expect(functions.size).toBeGreaterThan(5);
      for (const arn of functions) expectRole(roleArn, 'states.amazonaws.com', 'lambda:InvokeFunction', arn);
    }
  });

  test('every task may pull its image and write its log', () => {
    const groups = new Map(template.resources('AWS::Logs::LogGroup').map(({ ref, arn }) => [ref, arn]));
    const definitions = properties('AWS::ECS::TaskDefinition');
    expect(definitions.length).toBeGreaterThan(0);
    for (const { ExecutionRoleArn, TaskRoleArn, ContainerDefinitions } of definitions) {
      const role = ExecutionRoleArn as string;
      if (TaskRoleArn !== undefined) expect(trusted(TaskRoleArn as string)).toContain('ecs-tasks.amazonaws.com');
      for (const { Image, LogConfiguration } of ContainerDefinitions as Container[]) {
        const group = groups.get(LogConfiguration.Options['awslogs-group']!);
        for (const action of ['logs:CreateLogStream', 'logs:PutLogEvents']) {
          expectRole(role, 'ecs-tasks.amazonaws.com', action, group!);
        }
        expectPull(role, 'ecs-tasks.amazonaws.com', Image);
      }
    }
  });

  test('the login of a server may pull the images of worker and proxy for both architectures, and no others', () => {
    const operate = properties('AWS::Lambda::Function').find(({ FunctionName }) =>
      /-operate$/.test(String(FunctionName)),
    )!;
    const { Variables } = operate.Environment as { Variables: Record<string, string> };
    const images = Object.entries(Variables).filter(([name]) => name.includes('_IMAGE_'));
    expect(
      images.map(([name, image]) => [name, image.split(':')[1]!.replace(/-[0-9a-f]{64}$/, '')]).toSorted(),
    ).toEqual([
      ['PROXY_IMAGE_ARM64', 'proxy-arm64'],
      ['PROXY_IMAGE_X86_64', 'proxy-x86_64'],
      ['WORKER_IMAGE_ARM64', 'worker-arm64'],
      ['WORKER_IMAGE_X86_64', 'worker-x86_64'],
    ]);
    for (const [, image] of images) expectPull(operate.Role as string, 'lambda.amazonaws.com', image);
    const others = ['cdk-hnb659fds-container-assets-123456789012-eu-west-1', 'video-service-other'];
    for (const name of others) {
      const isAllowed = template.policyOf(
        operate.Role as string,
        'lambda.amazonaws.com',
      )({
        action: 'ecr:BatchGetImage',
        resource: `arn:aws:ecr:${place.region}:${place.accountId}:repository/${name}`,
        context: {},
      });
      expect([name, isAllowed]).toEqual([name, false]);
    }
  });

  test('every event source mapping and every custom resource has a function of the template', () => {
    const functions = template.resources('AWS::Lambda::Function').map(({ ref, arn }) => [ref, arn]);
    const used = [
      ...properties('AWS::Lambda::EventSourceMapping').map(({ FunctionName }) => FunctionName),
      ...template.customResources.map((resource) => resource.properties().ServiceToken),
    ];
    for (const name of used) expect(functions.flat()).toContain(name);
  });

  test('CloudWatch gets access to the bucket before it delivers logs there', () => {
    const [bucket] = template.resources('AWS::S3::Bucket');
    const [policy] = template.resources('AWS::S3::BucketPolicy');
    const deliveries = template
      .resources('Custom::EdgeAccessLog', 'AWS::Logs::DeliveryDestination')
      .filter((resource) => JSON.stringify(resource.properties).includes(bucket!.arn));
    expect(deliveries).toHaveLength(1);
    for (const { dependsOn } of deliveries) expect(dependsOn).toContain(policy!.logicalId);
  });

  test('CloudFormation can create the resources in some order', () => {
    expect(template.creationOrder().length).toBe(Object.keys(synthesised.Resources).length);
  });

  test('the embedded AWS knows every hint for it', () => {
    const hints = Object.values(synthesised.Resources).flatMap(({ Type, Metadata }) =>
      Object.keys((Metadata ?? {}) as object)
        .filter((name) => name.startsWith('embedded-aws:'))
        .map((name) => [Type, name] as const),
    );
    expect(hints.length).toBeGreaterThan(2);
    for (const [type, name] of hints) expect(templateHints[type]).toContain(name);
  });

  test('alarms may publish to their topic', () => {
    const topics = new Set(
      properties('AWS::CloudWatch::Alarm').flatMap(({ AlarmActions }) => AlarmActions as string[]),
    );
    expect(topics.size).toBe(1);
    const statements = properties('AWS::SNS::TopicPolicy').flatMap(
      ({ PolicyDocument }) => (PolicyDocument as { Statement: Record<string, unknown>[] }).Statement,
    );
    const publishers = statements.filter(
      ({ Effect, Action, Principal }) =>
        Effect === 'Allow' &&
        Action === 'sns:Publish' &&
        (Principal as { Service?: string }).Service === 'cloudwatch.amazonaws.com',
    );
    expect(publishers.map(({ Resource }) => Resource)).toEqual([...topics]);
  });

  test('Lambda does not retry a function that a schedule invokes again', () => {
    const configured = new Map(
      properties('AWS::Lambda::EventInvokeConfig').map((config) => [config.FunctionName, config.MaximumRetryAttempts]),
    );
    const scheduled = template
      .rules()
      .filter(({ schedule }) => schedule !== undefined)
      .flatMap(({ targets }) => targets.map(({ arn }) => arn.split(':').at(-1)!));
    expect(scheduled.length).toBeGreaterThan(4);
    for (const name of scheduled) expect([name, configured.get(name)]).toEqual([name, 0]);
  });

  test('Lambda writes the log lines of the configured level', () => {
    const levels = properties('AWS::Lambda::Function').flatMap(({ Environment, LoggingConfig }) => {
      const { LOG_LEVEL } = (Environment as { Variables: { LOG_LEVEL?: string } }).Variables;
      const { ApplicationLogLevel, LogFormat } = LoggingConfig as { ApplicationLogLevel?: string; LogFormat?: string };
      // Lambda passes on all lines of a text log.
      return LOG_LEVEL === undefined || LogFormat !== 'JSON' ? [] : [[LOG_LEVEL, ApplicationLogLevel]];
    });
    expect(levels.length).toBeGreaterThan(20);
    for (const [variable, configured] of levels) expect(configured).toBe(variable);
  });

  test('the API has one address', () => {
    expect(properties('AWS::ApiGatewayV2::Api')).toMatchObject([{ DisableExecuteApiEndpoint: stage === 'prod' }]);
  });

  describe('the distribution', () => {
    type Behavior = {
      PathPattern?: string;
      TargetOriginId: string;
      CachePolicyId: string;
      Compress: boolean;
      AllowedMethods: string[];
      ResponseHeadersPolicyId: string;
      FunctionAssociations: { EventType: string; FunctionARN: string }[];
    };
    type Origin = { Id: string; DomainName: string; OriginAccessControlId?: string; OriginCustomHeaders?: unknown };
    type Config = { CacheBehaviors: Behavior[]; DefaultCacheBehavior: Behavior; Origins: Origin[] };
    const distribution = () => template.resources('AWS::CloudFront::Distribution')[0]!;
    const config = () => (distribution().properties as { DistributionConfig: Config }).DistributionConfig;
    const byRef = (type: string, ref: string | undefined) =>
      template.resources(type).find((resource) => resource.ref === ref || resource.arn === ref)?.properties as never;
    const functionOf = ({ FunctionAssociations: all }: Behavior, event: string) => {
      const found = all.find(({ EventType }) => EventType === event);
      return (
        found && (byRef('AWS::CloudFront::Function', found.FunctionARN) as { Name: string; FunctionConfig: object })
      );
    };
    const originOf = ({ TargetOriginId }: Behavior) => config().Origins.find(({ Id }) => Id === TargetOriginId)!;
    const isFile = ({ PathPattern }: Behavior) => /^\/[sp]\//.test(PathPattern!);
    const isAsset = ({ PathPattern }: Behavior) => PathPattern === '/assets/*';
    const files = () => config().CacheBehaviors.filter(isFile);
    const pages = () => [
      config().DefaultCacheBehavior,
      ...config().CacheBehaviors.filter((behavior) => !isFile(behavior) && !isAsset(behavior)),
    ];
    const assets = () => config().CacheBehaviors.filter(isAsset);

    test('asks for the most specific path first', () => {
      expect(config().CacheBehaviors.map(({ PathPattern }) => PathPattern)).toEqual([
        ...['s', 'p'].flatMap((name) => [`/${name}/*.m3u8`, `/${name}/*.mpd`, `/${name}/*.vtt`, `/${name}/*`]),
        '/api/*',
        '/login',
        '/logout',
        '/register',
        '/health',
        '/docs',
        '/assets/*',
      ]);
    });

    test('checks every request for a file with a function that reads the key value store', () => {
      const stores = template.resources('AWS::CloudFront::KeyValueStore').map(({ arn }) => arn);
      expect(stores).toHaveLength(1);
      expect(files()).toHaveLength(8);
      for (const behavior of files()) {
        expect(functionOf(behavior, 'viewer-request')).toMatchObject({
          AutoPublish: true,
          FunctionConfig: {
            Runtime: 'cloudfront-js-2.0',
            KeyValueStoreAssociations: [{ KeyValueStoreARN: stores[0] }],
          },
        });
      }
      const writers = properties('AWS::Lambda::Function').flatMap(({ FunctionName, Environment }) => {
        const { EDGE_KEY_VALUE_STORE_ARN } = (Environment as { Variables: Record<string, string> }).Variables;
        return EDGE_KEY_VALUE_STORE_ARN === undefined ? [] : [[FunctionName, EDGE_KEY_VALUE_STORE_ARN]];
      });
      expect(writers.toSorted()).toEqual(
        ['rotate-keys', 'setup', 'sweep'].map((name) => [`video-service-${stage}-${name}`, stores[0]]),
      );
    });

    test('has names that a stage of the same name in another region does not have', () => {
      const names = template
        .resources(
          ...['Function', 'KeyValueStore', 'CachePolicy', 'OriginAccessControl', 'ResponseHeadersPolicy'].map(
            (type) => `AWS::CloudFront::${type}`,
          ),
        )
        .map(({ properties: all }) =>
          Object.values(all as Record<string, { Name?: string }>)
            .map((value) => (typeof value === 'string' ? value : (value?.Name ?? '')))
            .find((text) => text.includes('eu-west-1')),
        );
      expect(names).toHaveLength(10);
      for (const name of names) expect(String(name).length).toBeLessThanOrEqual(name?.startsWith('video-') ? 64 : 128);
      expect(names).not.toContain(undefined);
    });

    test('reads the files of videos with its own identity, and nobody else reads them without credentials', () => {
      for (const behavior of files()) {
        const { DomainName, OriginAccessControlId } = originOf(behavior);
        expect(DomainName).toMatch(/\.s3\.eu-west-1\.amazonaws\.com$/);
        const { OriginAccessControlConfig } = byRef('AWS::CloudFront::OriginAccessControl', OriginAccessControlId);
        expect(OriginAccessControlConfig).toMatchObject({
          OriginAccessControlOriginType: 's3',
          SigningBehavior: 'always',
          SigningProtocol: 'sigv4',
        });
      }
      const [bucket] = template.resources('AWS::S3::Bucket');
      const policies = properties('AWS::S3::BucketPolicy').flatMap(
        ({ PolicyDocument }) => (PolicyDocument as { Statement: Record<string, unknown>[] }).Statement,
      );
      const condition = { StringEquals: { 'aws:SourceArn': distribution().arn } };
      const grant = (Action: string, Resource: string) => ({
        Effect: 'Allow',
        Principal: { Service: 'cloudfront.amazonaws.com' },
        Action,
        Resource,
        Condition: condition,
      });
      expect(
        policies.filter(
          ({ Effect, Principal }) => Effect === 'Allow' && JSON.stringify(Principal).includes('cloudfront'),
        ),
      ).toEqual([grant('s3:GetObject', `${bucket!.arn}/videos/*`), grant('s3:ListBucket', bucket!.arn)]);
      expect(
        policies.filter(({ Effect, Principal }) => Effect === 'Allow' && JSON.stringify(Principal).includes('*')),
      ).toEqual([]);
    });

    test('has the path alone as the cache key of a file, and compresses text only', () => {
      for (const behavior of files()) {
        const { CachePolicyConfig } = byRef('AWS::CloudFront::CachePolicy', behavior.CachePolicyId) as {
          CachePolicyConfig: { MaxTTL: number; ParametersInCacheKeyAndForwardedToOrigin: object };
        };
        const isText = /\.\w+$/.test(behavior.PathPattern!);
        expect([behavior.PathPattern, behavior.Compress]).toEqual([behavior.PathPattern, isText]);
        expect(CachePolicyConfig.MaxTTL).toBe(86_400);
        expect(CachePolicyConfig.ParametersInCacheKeyAndForwardedToOrigin).toEqual({
          CookiesConfig: { CookieBehavior: 'none' },
          HeadersConfig: { HeaderBehavior: 'none' },
          QueryStringsConfig: { QueryStringBehavior: 'none' },
          EnableAcceptEncodingGzip: isText,
          EnableAcceptEncodingBrotli: isText,
        });
      }
    });

    test('passes everything else to the API, with the address of the viewer and the secret, and caches none of it', () => {
      for (const behavior of pages()) {
        expect(originOf(behavior)).toMatchObject({
          OriginCustomHeaders: [{ HeaderName: 'x-origin-secret' }],
          CustomOriginConfig: { OriginProtocolPolicy: 'https-only', OriginSSLProtocols: ['TLSv1.2'] },
        });
        // The managed policies CachingDisabled and AllViewerExceptHostHeader.
        expect(behavior).toMatchObject({
          CachePolicyId: '4135ea2d-6df8-44a3-9df3-4b5a84be39ad',
          OriginRequestPolicyId: 'b689b0a8-53d0-40ab-baf2-68738e2966ac',
        });
        expect(behavior.AllowedMethods).toHaveLength(7);
        expect(functionOf(behavior, 'viewer-request')?.Name).toMatch(/viewer-address$/);
      }
    });

    test('caches the files of the site as long as the API says, by path and encoding, for everyone alike', () => {
      expect(assets()).toMatchObject([{ Compress: false }]);
      const [behavior] = assets();
      for (const name of ['OriginRequestPolicyId', 'FunctionAssociations']) expect(behavior).not.toHaveProperty(name);
      expect(originOf(behavior!)).toEqual(originOf(config().DefaultCacheBehavior));
      expect(byRef('AWS::CloudFront::CachePolicy', behavior!.CachePolicyId)).toMatchObject({
        CachePolicyConfig: {
          MinTTL: 0,
          DefaultTTL: 0,
          MaxTTL: 31_536_000,
          ParametersInCacheKeyAndForwardedToOrigin: {
            CookiesConfig: { CookieBehavior: 'none' },
            HeadersConfig: { HeaderBehavior: 'none' },
            QueryStringsConfig: { QueryStringBehavior: 'none' },
            EnableAcceptEncodingGzip: true,
            EnableAcceptEncodingBrotli: true,
          },
        },
      });
    });

    test('calls the API at an address that the API has', () => {
      const { DomainName } = originOf(config().DefaultCacheBehavior);
      expect(DomainName).toBe(stage === 'prod' ? 'video.example.com' : 'api.example.com');
    });

    test('has header policies for files and for pages, no error pages, and caches no errors', () => {
      const policies = new Set(
        [...files(), ...pages(), ...assets()].map((behavior) => behavior.ResponseHeadersPolicyId),
      );
      expect(policies.size).toBe(2);
      for (const id of policies) {
        const { ResponseHeadersPolicyConfig } = byRef('AWS::CloudFront::ResponseHeadersPolicy', id);
        expect(ResponseHeadersPolicyConfig).toMatchObject({
          SecurityHeadersConfig: {
            ContentTypeOptions: { Override: true },
            StrictTransportSecurity: { AccessControlMaxAgeSec: 31_536_000 },
            ContentSecurityPolicy: { ContentSecurityPolicy: expect.not.stringContaining('unsafe') },
          },
        });
      }
      const { CustomErrorResponses: errors } = config() as unknown as { CustomErrorResponses: object[] };
      expect(errors).toContainEqual({ ErrorCode: 403, ErrorCachingMinTTL: 0 });
      for (const error of errors) expect(error).toEqual({ ErrorCode: expect.any(Number), ErrorCachingMinTTL: 0 });
      expect(config()).toMatchObject({ HttpVersion: 'http2and3', PriceClass: 'PriceClass_All' });
    });
  });
});

test('a stage with proxies only has no distribution, and its own address', () => {
  const template = templateOf('dev', { delivery: 'proxies' });
  for (const type of ['Distribution', 'Function', 'KeyValueStore', 'CachePolicy', 'ResponseHeadersPolicy'])
    template.resourceCountIs(`AWS::CloudFront::${type}`, 0);
  expect(JSON.stringify(template.toJSON())).not.toMatch(/EDGE_|origin-secret/);
});

test('the settings of the edge reach the distribution', () => {
  const edge = {
    domain: { name: 'v.example.com', certificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/c' },
    priceClass: 'PriceClass_100',
    webAclArn: 'arn:aws:wafv2:us-east-1:123456789012:global/webacl/x/1',
  };
  const template = templateOf('dev', { delivery: 'edge', edge });
  template.hasResourceProperties('AWS::CloudFront::Distribution', {
    DistributionConfig: {
      Aliases: ['v.example.com'],
      PriceClass: 'PriceClass_100',
      WebACLId: edge.webAclArn,
      ViewerCertificate: { AcmCertificateArn: edge.domain.certificateArn, MinimumProtocolVersion: 'TLSv1.2_2021' },
    },
  });
  template.hasOutput('ApiUrl', { Value: 'https://v.example.com' });
  expect(() =>
    settingsOf('dev', { edge: { ...edge, domain: { ...edge.domain, certificateArn: 'arn:aws:acm:eu-west-1:1' } } }),
  ).toThrow('us-east-1');
});
