import { busNameIn, defaultBus } from './event-bus-name.ts';

/** The stack name, region, account and API address that pseudo parameters and attributes resolve to. */
export type StackLocation = { stackName: string; region: string; accountId: string; apiUrl: string };

/** Not a name of an AWS region, so that a request that leaves this machine by mistake reaches no service. */
export const region = 'local-1';
export const accountId = '000000000000';

type Identity = { ref: string; attributes: Record<string, string> };
type ResourceContext = {
  arn: (service: string, path: string) => string;
  location: StackLocation;
  property: (name: string) => unknown;
};

const named = (ref: string, arn: string, more: Record<string, string> = {}): Identity => ({
  ref,
  attributes: { Arn: arn, ...more },
});

/** The property with the name of a resource, by type. Without it CloudFormation generates a name. */
const nameProperties: Record<string, string> = {
  'AWS::S3::Bucket': 'BucketName',
  'AWS::DynamoDB::Table': 'TableName',
  'AWS::DynamoDB::GlobalTable': 'TableName',
  'AWS::Lambda::Function': 'FunctionName',
  'AWS::StepFunctions::StateMachine': 'StateMachineName',
  'AWS::ApiGatewayV2::Stage': 'StageName',
  'AWS::Events::Rule': 'Name',
  'AWS::Events::EventBus': 'Name',
  'AWS::ECS::Cluster': 'ClusterName',
  'AWS::ECS::TaskDefinition': 'Family',
  'AWS::SSM::Parameter': 'Name',
  'AWS::SQS::Queue': 'QueueName',
  'AWS::SNS::Topic': 'TopicName',
  'AWS::Logs::LogGroup': 'LogGroupName',
  'AWS::IAM::Role': 'RoleName',
  'AWS::CloudFront::Function': 'Name',
  'AWS::CloudFront::KeyValueStore': 'Name',
  'AWS::Logs::DeliverySource': 'Name',
  'AWS::Logs::DeliveryDestination': 'Name',
};

/**
 * On AWS the label of a stream is the time when it was enabled. Here it never changes, so that a template has the same
 * ARNs at every start.
 */
export const streamArn = (tableArn: string): string => `${tableArn}/stream/2026-01-01T00:00:00.000`;

const table = (name: string, { arn, property }: ResourceContext) => {
  const tableArn = arn('dynamodb', `table/${name}`);
  return named(name, tableArn, property('StreamSpecification') ? { StreamArn: streamArn(tableArn) } : {});
};

/** CloudFront is a global service, so its ARNs have no region. */
const cloudFrontArn = ({ location }: ResourceContext, path: string): string =>
  `arn:aws:cloudfront::${location.accountId}:${path}`;

/** Policies of CloudFront are referred to by their id. */
const cloudFrontPolicy = (name: string): Identity => ({ ref: name, attributes: { Id: name } });

/** The host name that CloudFront gives a distribution. A template is run with the local address instead. */
export const distributionDomain = (id: string): string => `${id.toLowerCase()}.cloudfront.net`;

/** The name that a template gives a resource. Undefined: CloudFormation generates one, which is always free. */
export function fixedName(type: string, property: (name: string) => unknown): string | undefined {
  const given = nameProperties[type] && property(nameProperties[type]);
  return given ? String(given) : undefined;
}

/** The results of `Ref` and `Fn::GetAtt`, by resource type. */
const identifiers: Record<string, (name: string, context: ResourceContext) => Identity> = {
  'AWS::S3::Bucket': (name, { location }) => {
    const domain = `${name}.s3.${location.region}.amazonaws.com`;
    return named(name, `arn:aws:s3:::${name}`, { DomainName: domain, RegionalDomainName: domain });
  },
  'AWS::DynamoDB::Table': table,
  'AWS::DynamoDB::GlobalTable': table,
  'AWS::Lambda::Function': (name, { arn }) => named(name, arn('lambda', `function:${name}`)),
  'AWS::StepFunctions::StateMachine': (name, { arn }) => {
    const machine = arn('states', `stateMachine:${name}`);
    return named(machine, machine, { Name: name });
  },
  'AWS::ApiGatewayV2::Api': (name, { arn, location }) =>
    named(name, arn('apigateway', `/apis/${name}`), { ApiEndpoint: location.apiUrl, ApiId: name }),
  'AWS::Events::EventBus': (name, { arn }) => named(name, arn('events', `event-bus/${name}`), { Name: name }),
  'AWS::Events::Rule': (name, { arn, property }) => {
    const bus = busNameIn(String(property('EventBusName') ?? defaultBus));
    if (bus === defaultBus) return named(name, arn('events', `rule/${name}`));
    return named(`${bus}|${name}`, arn('events', `rule/${bus}/${name}`));
  },
  'AWS::ECS::Cluster': (name, { arn }) => named(name, arn('ecs', `cluster/${name}`)),
  'AWS::ECS::TaskDefinition': (name, { arn }) => {
    const definition = arn('ecs', `task-definition/${name}:1`);
    return named(definition, definition, { TaskDefinitionArn: definition });
  },
  'AWS::SSM::Parameter': (name, { arn, property }) =>
    named(name, arn('ssm', `parameter/${name.replace(/^\//, '')}`), { Value: String(property('Value')) }),
  'AWS::SQS::Queue': (name, { arn, location }) => {
    const url = `https://sqs.${location.region}.amazonaws.com/${location.accountId}/${name}`;
    return named(url, arn('sqs', name), { QueueName: name, QueueUrl: url });
  },
  'AWS::SNS::Topic': (name, { arn }) => {
    const topic = arn('sns', name);
    return named(topic, topic, { TopicArn: topic, TopicName: name });
  },
  'AWS::Logs::LogGroup': (name, { arn }) => named(name, arn('logs', `log-group:${name}:*`)),
  'AWS::KMS::Key': (name, { arn }) => named(name, arn('kms', `key/${name}`), { KeyId: name }),
  'AWS::IAM::Role': (name, { location }) =>
    named(name, `arn:aws:iam::${location.accountId}:role/${name}`, { RoleId: name }),
  'AWS::CloudFront::Distribution': (name, context) => {
    const arn = cloudFrontArn(context, `distribution/${name}`);
    return named(name, arn, { Id: name, DomainName: distributionDomain(name) });
  },
  'AWS::CloudFront::Function': (name, context) => {
    const arn = cloudFrontArn(context, `function/${name}`);
    return named(arn, arn, { FunctionARN: arn, 'FunctionMetadata.FunctionARN': arn });
  },
  'AWS::CloudFront::KeyValueStore': (name, context) =>
    named(name, cloudFrontArn(context, `key-value-store/${name}`), { Id: name, Status: 'READY' }),
  'AWS::CloudFront::CachePolicy': cloudFrontPolicy,
  'AWS::CloudFront::OriginAccessControl': cloudFrontPolicy,
  'AWS::CloudFront::OriginRequestPolicy': cloudFrontPolicy,
  'AWS::CloudFront::ResponseHeadersPolicy': cloudFrontPolicy,
  'AWS::Logs::DeliveryDestination': (name, { arn }) => named(name, arn('logs', `delivery-destination:${name}`)),
  'AWS::EC2::SecurityGroup': (name, { arn }) =>
    named(`sg-${name}`, arn('ec2', `security-group/sg-${name}`), { GroupId: `sg-${name}` }),
};

/**
 * `Ref` and the attributes of a resource. A generated name consists of the stack name and the logical id, so that it is
 * the same at every start. Types that are not listed above have their name and a generic ARN.
 */
export function identify(
  type: string,
  logicalId: string,
  property: (name: string) => unknown,
  location: StackLocation,
): Identity {
  const arn = (service: string, path: string) => `arn:aws:${service}:${location.region}:${location.accountId}:${path}`;
  const madeUp = `${location.stackName}-${logicalId}`;
  const name = fixedName(type, property) ?? (type === 'AWS::S3::Bucket' ? madeUp.toLowerCase().slice(0, 63) : madeUp);
  const identifier = identifiers[type];
  if (identifier) return identifier(name, { arn, location, property });
  const service = type.split('::')[1]?.toLowerCase() ?? 'unknown';
  return named(name, arn(service, name));
}
