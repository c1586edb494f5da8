import {
  type App,
  CfnResource,
  CloudFormationValidatePlugin,
  type IPolicyValidationPlugin,
  Stack,
  Validations,
} from 'aws-cdk-lib';
import { CfnPolicy } from 'aws-cdk-lib/aws-iam';
import { AwsSolutionsChecks } from 'cdk-nag';
import { flattenCfnReference } from 'cdk-nag/lib/utils/flatten-cfn-reference.js';
import type { IConstruct } from 'constructs';

/** Rules that do not apply to a construct and its children, with the reason. */
export const exceptions: { rule: string; path: RegExp; reason: string }[] = [
  {
    rule: 'AwsSolutions-S1',
    path: /\/Storage\/Bucket\/Resource$/,
    reason:
      'Objects are accessed with URLs that a function or a proxy signed, and both log it; server access logs would duplicate that.',
  },
  {
    rule: 'AwsSolutions-APIG4',
    path: /\/Api\/(HttpApi|Default)\//,
    reason:
      'The functions authenticate: a gateway authorizer supports neither "bearer or cookie" nor our error format.',
  },
  {
    rule: 'AwsSolutions-VPC7',
    path: /\/(Workers|FixedEgress)\/Vpc\/Resource$/,
    reason:
      'Only workers or functions run here. They accept no connections, and the API, the store and the functions log their calls.',
  },
  {
    rule: 'AwsSolutions-ECS2',
    path: /\/Workers\/Task\/Resource$/,
    reason: 'The environment holds public values (a URL, a folder, times); the only secret comes from Parameter Store.',
  },
  {
    rule: 'AwsSolutions-ECS4',
    path: /\/Workers\/Cluster\/Resource$/,
    reason: 'Metrics of Container Insights are billed one by one, and nothing uses them: tasks report to the service.',
  },
  {
    rule: 'AwsSolutions-CFR1',
    path: /\/Edge\/Distribution\/Resource$/,
    reason: 'The service has viewers in all countries.',
  },
  {
    rule: 'AwsSolutions-CFR2',
    path: /\/Edge\/Distribution\/Resource$/,
    reason: 'A web ACL is a setting of the stage: it has a monthly price, and its rules depend on the customer.',
  },
  {
    rule: 'AwsSolutions-CFR3',
    path: /\/Edge\/Distribution\/Resource$/,
    reason: 'Access logs are delivered by CloudWatch, which the rule does not recognise.',
  },
  {
    rule: 'AwsSolutions-CFR4',
    path: /\/Edge\/Distribution\/Resource$/,
    reason: "CloudFront fixes the TLS policy of its own domain names. A stage's own domain needs TLS 1.2.",
  },
  {
    rule: 'AwsSolutions-SF2',
    path: /\/Pipeline\/StateMachine\/Resource$/,
    reason: 'Traces are a setting, which is off by default because of their price.',
  },
  {
    rule: 'AwsSolutions-SQS3',
    path: /\/(Pipeline\/DeadLetters|Delivery\/Uncounted|Webhooks\/Undispatched)\/Resource$/,
    reason: 'They are dead-letter queues of EventBridge targets and of a stream, which the rule does not recognise.',
  },
];

const tracing = ['xray:PutTraceSegments', 'xray:PutTelemetryRecords'];

/**
 * The wildcard resources that policies may contain, for all actions or only for `actions`. Any other fails the check:
 * a new action on `*` has to be listed here first.
 */
export const wildcards: { resource: RegExp; path?: RegExp; actions?: readonly string[]; reason: string }[] = [
  {
    resource:
      /^<StorageBucket\w+\.Arn>\/(uploads|ingest|images|videos|videos\/0{26}|plans|work|logs|logs\/edge|logs\/access\/edge)\/\*$/,
    reason: 'Objects below one prefix; their keys are created at run time.',
  },
  { resource: /:execution:video-service-\w+:\*$/, reason: 'Executions of the one state machine.' },
  {
    resource: /^\*$/,
    path: /\/(workers|Pipeline\/enqueue|Schedule\/(reap|reconcile))-role\//,
    actions: ['states:SendTaskSuccess', 'states:SendTaskFailure'],
    reason: 'The actions have no resource type; a task token is a secret that ends only its job.',
  },
  {
    resource: /^<StorageTable\w+\.Arn>\/stream\/\*$/,
    path: /\/Webhooks\/dispatch-role\//,
    reason: 'The stream of a restored table has a name that is not known before.',
  },
  { resource: /:ecs:.*:task\/[^*]+\/\*$/, reason: 'Tasks of our cluster have random ids.' },
  {
    resource: /^<StorageBucket\w+\.Arn>\/videos\/\*(\/public|\.m3u8|\.mpd|\/captions\/)\*$/,
    path: /\/(captions|continue-storage-deliveries|continue-transcriptions|sweep|reconcile)-role\//,
    actions: ['s3:PutObject', 's3:GetObject'],
    reason: 'The marker of a public video, its manifests and its captions are in the folder of the video.',
  },
  {
    resource: /^<StorageBucket\w+\.Arn>\/work\/\*\/posters\/\*$/,
    path: /\/(videos|workers)-role\//,
    actions: ['s3:PutObject', 's3:GetObject'],
    reason: 'Images for posters are in the folder of the work on their video.',
  },
  {
    resource: /:logs:us-east-1:.*:delivery:\*$/,
    path: /\/edge-log-role\//,
    reason: 'CloudWatch gives a delivery its id when it creates it.',
  },
  {
    resource: /^\*$/,
    path: /\/edge-log-role\//,
    actions: ['logs:DescribeDeliveries'],
    reason: 'logs:DescribeDeliveries does not support resources.',
  },
  {
    resource: /^\*$/,
    path: /\/Webhooks\/dispatch-role\//,
    actions: ['dynamodb:ListStreams'],
    reason: 'dynamodb:ListStreams does not support resources.',
  },
  { resource: /:parameter\/video-service\/\w+\/ssh-keys\/\*$/, reason: 'SSH keys are named by their ids.' },
  {
    resource: /:parameter\/video-service\/\w+\/storages\/\*$/,
    reason: 'The secrets of storages are named by their ids.',
  },
  {
    resource: /^arn:<AWS::Partition>:iam::\*:role\/\*$/,
    actions: ['sts:AssumeRole'],
    reason: 'Users name the roles of their accounts. Those of the own account are denied.',
  },
  {
    resource: /:parameter\/video-service\/\w+\/\*$/,
    path: /\/setup-role\//,
    reason: 'Setup creates the secrets of the stage.',
  },
  {
    resource: /^\*$/,
    path: /\/Nodes\/operate-role\//,
    actions: ['ecr:GetAuthorizationToken'],
    reason: 'ecr:GetAuthorizationToken does not support resources.',
  },
  {
    resource: /^\*$/,
    path: /\/Delivery\/ProxyRole\//,
    actions: ['ssm:UpdateInstanceInformation'],
    reason: 'A server has no ARN before it is registered, so ssm:UpdateInstanceInformation cannot be restricted.',
  },
  {
    resource: /^\*$/,
    path: /-role\/DefaultPolicy\//,
    actions: [...tracing, 'ecs:ListTasks'],
    reason: 'Tracing and ecs:ListTasks do not support resources; a condition restricts the latter to our cluster.',
  },
  {
    resource: /:task-definition\/video-service-\w+-encoder:\*$/,
    path: /-role\/DefaultPolicy\//,
    actions: ['ecs:RunTask'],
    reason: 'A deployment replaces the revision of the task definition before or after the policy.',
  },
  {
    resource: /^\*$/,
    path: /\/Workers\/Task\/ExecutionRole\//,
    actions: ['ecr:GetAuthorizationToken'],
    reason: 'ecr:GetAuthorizationToken does not support resources.',
  },
  {
    resource: /^\*$/,
    path: /\/Pipeline\/Role\//,
    actions: [
      ...tracing,
      'xray:GetSamplingRules',
      'xray:GetSamplingTargets',
      'logs:CreateLogDelivery',
      'logs:DeleteLogDelivery',
      'logs:DescribeLogGroups',
      'logs:DescribeResourcePolicies',
      'logs:GetLogDelivery',
      'logs:ListLogDeliveries',
      'logs:PutResourcePolicy',
      'logs:UpdateLogDelivery',
    ],
    reason: 'Log delivery and X-Ray do not support resources.',
  },
];

/** Makes synthesis fail on violations of AwsSolutions rules and CloudFormation checks, except for those above. */
export function addChecks(app: App): void {
  acknowledgeExceptions(app);
  Validations.of(app).addPlugins(
    new AwsSolutionsChecks(app),
    new CloudFormationValidatePlugin() as IPolicyValidationPlugin,
  );
}

/** Acknowledges the exceptions at the constructs that they apply to. */
export function acknowledgeExceptions(root: IConstruct): void {
  for (const construct of root.node.findAll()) {
    if (!CfnResource.isCfnResource(construct)) continue;
    for (const { rule, path, reason } of exceptions) {
      if (path.test(construct.node.path)) Validations.of(construct).acknowledge({ id: rule, reason });
    }
    if (!(construct instanceof CfnPolicy)) continue;
    for (const [resource, reasons] of knownWildcards(construct)) {
      Validations.of(construct).acknowledge({
        id: `AwsSolutions-IAM5[Resource::${resource}]`,
        reason: [...new Set(reasons)].join(' '),
      });
    }
  }
}

/** The wildcard resources of a policy that are listed for every action that the policy allows on them. */
function knownWildcards(policy: CfnPolicy): [resource: string, reasons: string[]][] {
  const grants = wildcardGrants(policy);
  return [...new Set(grants.map(({ resource }) => resource))].flatMap((resource) => {
    const entries = grants.filter((grant) => grant.resource === resource).map((grant) => wildcardFor(grant, policy));
    const reasons = entries.flatMap((entry) => entry?.reason ?? []);
    return reasons.length === entries.length ? [[resource, reasons] as [string, string[]]] : [];
  });
}

type WildcardGrant = { resource: string; action: string };

const wildcardFor = ({ resource, action }: WildcardGrant, policy: CfnPolicy) =>
  wildcards.find(
    (entry) =>
      entry.resource.test(resource) &&
      (entry.path?.test(policy.node.path) ?? true) &&
      (entry.actions?.includes(action) ?? true),
  );

/** Every action on a wildcard resource; resources in the notation of cdk-nag: `<LogicalId.Arn>/prefix/*`. */
export function wildcardGrants(policy: CfnPolicy): WildcardGrant[] {
  const { Statement } = Stack.of(policy).resolve(policy.policyDocument) as {
    Statement: { Action: string | string[]; Resource: unknown }[];
  };
  return Statement.flatMap(({ Action, Resource }) =>
    [Resource].flat().flatMap((one) => {
      const resource = flattenCfnReference(one);
      return resource.includes('*') ? [Action].flat().map((action) => ({ resource, action })) : [];
    }),
  );
}
