import { Match } from 'aws-cdk-lib/assertions';
import { AwsSolutionsChecks } from 'cdk-nag';
import { expect, test } from 'vitest';
import { acknowledgeExceptions } from '../../../infra/nag.ts';
import { type IdleTemplate, idleItems } from '../../../tools/cost/idle-cost.ts';
import { stackOf, templateOf } from '../synthesised.ts';

const fixed = templateOf('dev', { nodes: { fixedEgress: true } });

test('with the setting, only the function that uses SSH runs behind one NAT gateway with a fixed address', () => {
  const placed = Object.values(fixed.findResources('AWS::Lambda::Function')).filter(
    ({ Properties }) => Properties.VpcConfig !== undefined,
  );
  expect(placed.map(({ Properties }) => Properties.FunctionName)).toEqual(['video-service-dev-operate']);
  fixed.resourceCountIs('AWS::EC2::NatGateway', 1);
  fixed.hasResourceProperties('AWS::EC2::NatGateway', {
    AllocationId: { 'Fn::GetAtt': [Match.stringLikeRegexp('FixedEgressAddress'), 'AllocationId'] },
  });
  fixed.hasOutput('NodeEgressAddress', {
    Value: { 'Fn::GetAtt': [Match.stringLikeRegexp('FixedEgressAddress'), 'PublicIp'] },
  });
  const { SubnetIds } = placed[0]!.Properties.VpcConfig;
  expect(JSON.stringify(SubnetIds)).toMatch(/functionsSubnet1.*functionsSubnet2/);
});

test.each(['local', 'dev', 'prod'])('without it, the stage %s has no gateway, address or output', (stage) => {
  const template = templateOf(stage);
  template.resourceCountIs('AWS::EC2::NatGateway', 0);
  template.resourceCountIs('AWS::EC2::EIP', 0);
  expect(template.findOutputs('NodeEgressAddress')).toEqual({});
});

test('it follows the rules of cdk-nag', () => {
  const stack = stackOf('dev', { nodes: { fixedEgress: true } });
  acknowledgeExceptions(stack);
  expect(new AwsSolutionsChecks(stack).validateScope(stack).violations).toEqual([]);
});

test('the cost model has its price', () => {
  const item = idleItems(fixed.toJSON() as IdleTemplate).find(({ name }) => name === 'NAT gateway');
  expect(item).toEqual({ name: 'NAT gateway', count: 1, dollars: expect.closeTo(36.5, 5) });
});
