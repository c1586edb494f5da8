import { expect, test } from 'vitest';
import { statefulChanges } from '../../tools/stateful-changes.ts';

const change = (Action: string, ResourceType: string, Replacement?: string) => ({
  Type: 'Resource',
  ResourceChange: { Action, LogicalResourceId: 'StorageTable', ResourceType, ...(Replacement && { Replacement }) },
});
const described = (...Changes: object[]) => ({ ChangeSetName: 'deploy-1', Status: 'CREATE_COMPLETE', Changes });

test.each([
  ['an added table', change('Add', 'AWS::DynamoDB::Table')],
  ['a table that changes in place', change('Modify', 'AWS::DynamoDB::Table', 'False')],
  ['a function that is replaced', change('Modify', 'AWS::Lambda::Function', 'True')],
  ['a removed function', change('Remove', 'AWS::Lambda::Function')],
])('%s is allowed', (_, one) => {
  expect(statefulChanges(described(one))).toEqual([]);
});

test.each([
  ['a replaced table', change('Modify', 'AWS::DynamoDB::Table', 'True'), 'is replaced by an empty one.'],
  ['a table that may be replaced', change('Modify', 'AWS::DynamoDB::Table', 'Conditional'), 'may be replaced'],
  ['a removed bucket', change('Remove', 'AWS::S3::Bucket'), 'StorageTable (AWS::S3::Bucket) is removed.'],
])('%s is reported', (_, one, sentence) => {
  expect(statefulChanges(described(change('Add', 'AWS::SQS::Queue'), one))).toEqual([
    expect.stringContaining(sentence),
  ]);
});

test('a part of a change set is refused', () => {
  expect(() => statefulChanges({ ...described(), NextToken: 'x' })).toThrow('not complete');
  expect(() => statefulChanges({})).toThrow();
});
