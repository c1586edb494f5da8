// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the syntax of Fn::Sub
import { expect, test } from 'vitest';
import { deployedTemplate, type Template } from '../../src/template/deployed-template.ts';

const place = { stackName: 'demo', region: 'local-1', accountId: '000000000000', apiUrl: 'http://127.0.0.1:3000' };

const template: Template = {
  Resources: {
    Bucket: { Type: 'AWS::S3::Bucket' },
    Named: { Type: 'AWS::S3::Bucket', Properties: { BucketName: 'videos' } },
    Table: { Type: 'AWS::DynamoDB::Table', Properties: { Tags: [{ Ref: 'AWS::NoValue' }, 'kept'] } },
    Api: { Type: 'AWS::ApiGatewayV2::Api' },
    Machine: { Type: 'AWS::StepFunctions::StateMachine', Properties: { StateMachineName: 'encode' } },
    Task: { Type: 'AWS::ECS::TaskDefinition', Properties: { Family: 'encoder' } },
    Odd: { Type: 'AWS::EC2::Subnet', Properties: { Zone: { 'Fn::Base64': 'x' } } },
  },
  Parameters: { Version: { Default: 6 } },
  Outputs: {
    ApiUrl: {
      Value: {
        'Fn::Join': ['', ['https://', { Ref: 'Api' }, '.execute-api.', { Ref: 'AWS::Region' }, '.amazonaws.com/x']],
      },
    },
  },
};
const { resolve, resources, outputs } = deployedTemplate(template, place);

test.each([
  [{ Ref: 'Bucket' }, 'demo-bucket'],
  [{ Ref: 'Named' }, 'videos'],
  [{ Ref: 'Table' }, 'demo-Table'],
  [{ Ref: 'Version' }, 6],
  [{ Ref: 'Machine' }, 'arn:aws:states:local-1:000000000000:stateMachine:encode'],
  [{ Ref: 'Task' }, 'arn:aws:ecs:local-1:000000000000:task-definition/encoder:1'],
  [{ 'Fn::GetAtt': ['Named', 'Arn'] }, 'arn:aws:s3:::videos'],
  [{ 'Fn::GetAtt': ['Machine', 'Name'] }, 'encode'],
  [{ 'Fn::GetAtt': ['Api', 'ApiEndpoint'] }, 'http://127.0.0.1:3000'],
  [{ 'Fn::Join': ['-', ['a', { Ref: 'AWS::Partition' }, 'b']] }, 'a-aws-b'],
  [
    { 'Fn::Sub': '${AWS::Region}/${Named}/${Table.Arn}/${!Kept}' },
    'local-1/videos/arn:aws:dynamodb:local-1:000000000000:table/demo-Table/${Kept}',
  ],
  [{ 'Fn::Sub': ['${Who}', { Who: { Ref: 'Named' } }] }, 'videos'],
  [{ 'Fn::Select': [1, { 'Fn::Split': ['/', 'a/b/c'] }] }, 'b'],
  [{ 'Fn::Select': [0, { 'Fn::GetAZs': '' }] }, 'local-1a'],
  [
    { nested: [{ Ref: 'Named' }, { deep: { Ref: 'AWS::AccountId' } }] },
    { nested: ['videos', { deep: '000000000000' }] },
  ],
])('%j resolves to %j', (value, expected) => {
  expect(resolve(value)).toEqual(expected);
});

test('the address of the API on AWS is replaced by the local one, however the template builds it', () => {
  expect(outputs()).toEqual({ ApiUrl: 'http://127.0.0.1:3000/x' });
});

test('resources are read by type, with resolved properties and without AWS::NoValue', () => {
  expect(resources('AWS::DynamoDB::Table')).toEqual([
    {
      logicalId: 'Table',
      ref: 'demo-Table',
      arn: 'arn:aws:dynamodb:local-1:000000000000:table/demo-Table',
      properties: { Tags: ['kept'] },
      metadata: {},
      dependsOn: [],
    },
  ]);
});

test('an unused resource is not resolved', () => {
  expect(resolve({ Ref: 'Odd' })).toBe('demo-Odd');
  expect(() => resources('AWS::EC2::Subnet')).toThrow('does not support the intrinsic function Fn::Base64');
});

test('unknown resources and attributes are named in errors', () => {
  expect(() => resolve({ Ref: 'Absent' })).toThrow('The template has no resource Absent.');
  expect(() => resolve({ 'Fn::GetAtt': ['Table', 'StreamArn'] })).toThrow(
    'no attribute StreamArn of AWS::DynamoDB::Table (Table)',
  );
});
