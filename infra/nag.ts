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

/** Rules that do not hold for one construct and what is below it. */
export const exceptions: { rule: string; path: RegExp; reason: string }[] = [
  {
    rule: 'AwsSolutions-S1',
    path: /\/Storage\/Bucket\/Resource$/,
    reason:
      'Every object is reached by a URL that a function or a proxy has signed, and both log it; server access logs would double that.',
  },
  {
    rule: 'AwsSolutions-APIG4',
    path: /\/Api\/(HttpApi|Default)\//,
    reason: 'The functions authenticate: a gateway authorizer knows neither "bearer or cookie" nor our error shape.',
  },
  {
    rule: 'AwsSolutions-VPC7',
    path: /\/Workers\/Vpc\/Resource$/,
    reason:
      'Only workers run here. Nothing can call in, and where they call out to is in the logs of what they call: the API and the store.',
  },
  {
    rule: 'AwsSolutions-ECS2',
    path: /\/Workers\/Task\/Resource$/,
    reason:
      'What stands in the environment is public (an address, a folder, times); the one secret comes from Parameter Store.',
  },
  {
    rule: 'AwsSolutions-SQS3',
    path: /\/(Pipeline\/DeadLetters|Delivery\/Uncounted)\/Resource$/,
    reason: 'They are dead-letter queues, of EventBridge targets, which the rule does not see.',
  },
];

/** Resources of policies that end in a wildcard. Any other fails the check. */
export const wildcards: { resource: RegExp; path?: RegExp; reason: string }[] = [
  { resource: /^<StorageTable\w+\.Arn>\/index\/\*$/, reason: 'The indexes of the one table.' },
  {
    resource: /^<StorageBucket\w+\.Arn>\/(uploads|videos|plans|work|logs)\/\*$/,
    reason: 'Objects below one prefix; their keys are made at run time.',
  },
  { resource: /:execution:video-service-\w+:\*$/, reason: 'Executions of the one state machine.' },
  {
    resource: /:stateMachine:video-service-\w+\/\*$/,
    reason: 'Child executions of the one state machine, by the label of its map.',
  },
  { resource: /:parameter\/video-service\/\w+\/ssh-keys\/\*$/, reason: 'SSH keys are named by their ids.' },
  {
    resource: /:parameter\/video-service\/\w+\/\*$/,
    path: /\/setup-role\//,
    reason: 'Setup makes the secrets of the stage.',
  },
  {
    resource: /^\*$/,
    path: /\/Nodes\/operate-role\//,
    reason: 'ecr:GetAuthorizationToken knows no resources.',
  },
  {
    resource: /^\*$/,
    path: /\/Delivery\/ProxyRole\//,
    reason: 'A server that is not registered yet has no resource that ssm:UpdateInstanceInformation could be held to.',
  },
  {
    resource: /^\*$/,
    path: /-role\/DefaultPolicy\//,
    reason: 'xray:Put* and ecs:ListTasks know no resources; the latter is held to our cluster by a condition.',
  },
  {
    resource: /^\*$/,
    path: /\/Workers\/Task\/ExecutionRole\//,
    reason: 'ecr:GetAuthorizationToken knows no resources.',
  },
  {
    resource: /^\*$/,
    path: /\/Pipeline\/Role\//,
    reason: 'Log delivery and X-Ray know no resources.',
  },
];

/** Has the synthesis fail when a rule of AwsSolutions or CloudFormation's own checks is broken, but for what is listed above. */
export function addChecks(app: App): void {
  acknowledgeExceptions(app);
  Validations.of(app).addPlugins(
    new AwsSolutionsChecks(app),
    new CloudFormationValidatePlugin() as IPolicyValidationPlugin,
  );
}

/** Notes the reasons at the constructs that they belong to. */
export function acknowledgeExceptions(root: IConstruct): void {
  for (const construct of root.node.findAll()) {
    if (!CfnResource.isCfnResource(construct)) continue;
    for (const { rule, path, reason } of exceptions) {
      if (path.test(construct.node.path)) Validations.of(construct).acknowledge({ id: rule, reason });
    }
    if (!(construct instanceof CfnPolicy)) continue;
    for (const resource of wildcardResources(construct)) {
      const known = wildcards.find(
        (entry) => entry.resource.test(resource) && (entry.path?.test(construct.node.path) ?? true),
      );
      if (known) {
        Validations.of(construct).acknowledge({ id: `AwsSolutions-IAM5[Resource::${resource}]`, reason: known.reason });
      }
    }
  }
}

/** As cdk-nag writes them: `<LogicalId.Arn>/prefix/*`. */
export function wildcardResources(policy: CfnPolicy): string[] {
  const { Statement } = Stack.of(policy).resolve(policy.policyDocument) as { Statement: { Resource: unknown }[] };
  return Statement.flatMap(({ Resource }) => Resource)
    .map((resource) => flattenCfnReference(resource))
    .filter((resource) => resource.includes('*'));
}
