import { Stage as Assembly, CloudFormationValidatePlugin } from 'aws-cdk-lib';
import { CfnPolicy, PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import { AwsSolutionsChecks } from 'cdk-nag';
import { expect, test } from 'vitest';
import { acknowledgeExceptions, exceptions, wildcardGrants, wildcards } from '../../infra/nag.ts';
import { stages } from '../../infra/settings.ts';
import { stackOf } from './synthesised.ts';

const overrides: Partial<Record<string, object>> = {
  prod: {
    storeWebhook: true,
    tracing: true,
    alarmEmail: 'operator@example.com',
    monthlyBudget: 100,
    domain: { name: 'video.example.com', certificateArn: 'arn:aws:acm:eu-west-1:123456789012:certificate/c' },
  },
};
const stacks = stages.map((stage) => stackOf(stage, overrides[stage]));
const broken = (stack: (typeof stacks)[number]) =>
  new AwsSolutionsChecks(stack).validateScope(stack).violations.map(({ ruleName, violatingResources }) => ({
    ruleName,
    paths: violatingResources.map(({ constructPath }) => constructPath),
  }));

test('every exception suppresses an actual finding', () => {
  const rules = new Set(broken(stackOf('dev')).map(({ ruleName }) => ruleName.replace(/\[.*/, '')));
  expect([...rules].toSorted()).toEqual(
    [...new Set([...exceptions.map(({ rule }) => rule), 'AwsSolutions-IAM5'])].toSorted(),
  );
});

test.each(stacks.map((stack) => [stack.node.id, stack] as const))('%s follows every other rule', (_, stack) => {
  acknowledgeExceptions(stack);
  expect(broken(stack)).toEqual([]);
});

test('no policy has a wildcard action', () => {
  for (const stack of stacks) {
    for (const policy of policiesOf(stack)) {
      const { Statement } = stack.resolve(policy.policyDocument) as { Statement: { Action: string | string[] }[] };
      expect(Statement.flatMap(({ Action }) => Action).filter((action) => action.includes('*'))).toEqual([]);
    }
  }
});

test('every listed wildcard resource is in use', () => {
  const used = stacks
    .flatMap(policiesOf)
    .flatMap((policy) => wildcardGrants(policy).map((grant) => ({ ...grant, path: policy.node.path })));
  for (const { resource, path, actions } of wildcards) {
    const matches = used.filter((one) => resource.test(one.resource) && (path?.test(one.path) ?? true));
    expect(matches, String(resource)).not.toEqual([]);
    const granted = new Set(matches.map(({ action }) => action));
    expect((actions ?? []).filter((action) => !granted.has(action))).toEqual([]);
  }
});

test('a listed wildcard resource does not excuse another action', () => {
  const stack = stackOf('dev');
  const role = stack.node.findAll().find(({ node }) => node.path.endsWith('/videos-role')) as Role;
  role.addToPolicy(new PolicyStatement({ actions: ['s3:ListAllMyBuckets'], resources: ['*'] }));
  acknowledgeExceptions(stack);
  expect(broken(stack)).toEqual([
    { ruleName: 'AwsSolutions-IAM5[Resource::*]', paths: [`${role.node.path}/DefaultPolicy/Resource`] },
  ]);
});

test('CloudFormation accepts the template', () => {
  const stack = stacks.at(-1)!;
  const { templateFullPath } = Assembly.of(stack)!.synth().getStackArtifact(stack.artifactId);
  const report = new CloudFormationValidatePlugin().validate({
    templatePaths: [templateFullPath],
    stackTemplates: [
      {
        stackConstructPath: stack.node.path,
        templatePath: templateFullPath,
        accountId: '111122223333',
        region: 'eu-west-1',
      },
    ],
    appConstruct: stack.node.root,
  });
  expect(report.violations.filter(({ severity }) => severity !== 'info')).toEqual([]);
});

const policiesOf = (stack: (typeof stacks)[number]): CfnPolicy[] =>
  stack.node.findAll().filter((construct) => construct instanceof CfnPolicy);
