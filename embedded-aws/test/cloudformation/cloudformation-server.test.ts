import { XMLParser } from 'fast-xml-parser';
import { expect, test } from 'vitest';
import { cloudFormationService } from '../../src/cloudformation/cloudformation-server.ts';
import { askService } from '../ask-service.ts';

const id = 'arn:aws:cloudformation:local-1:000000000000:stack/small/local';
const facts = {
  name: 'small',
  id,
  createdAt: '2026-11-21T10:00:00.000Z',
  outputs: { ApiUrl: 'http://127.0.0.1:1/?a&b', TableName: 'notes' },
  terminationProtection: false,
  resources: { Notes: { type: 'AWS::DynamoDB::Table', physicalId: 'notes' } },
};
const ask = async (query: Record<string, string>, changes: Partial<typeof facts> = {}) => {
  const service = cloudFormationService({ ...facts, ...changes });
  const { status, text } = await askService({
    services: { forms: new Map([['cloudformation', service]]) },
    service: 'cloudformation',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: String(new URLSearchParams({ Version: '2010-05-15', ...query })),
  });
  return { status, document: new XMLParser().parse(text) };
};

test.each([[{ StackName: 'small' }], [{ StackName: id }], [{}]])(
  'DescribeStacks returns the stack with its outputs: %j',
  async (by) => {
    const { status, document } = await ask({ Action: 'DescribeStacks', ...by });
    expect(status).toBe(200);
    const stack = document.DescribeStacksResponse.DescribeStacksResult.Stacks.member;
    expect(stack).toMatchObject({ StackName: 'small', StackId: id, StackStatus: 'CREATE_COMPLETE' });
    expect(stack.EnableTerminationProtection).toBe(false);
    expect(stack.Outputs.member).toEqual([
      { OutputKey: 'ApiUrl', OutputValue: 'http://127.0.0.1:1/?a&b' },
      { OutputKey: 'TableName', OutputValue: 'notes' },
    ]);
  },
);

test.each([
  [{ Action: 'DescribeStacks', StackName: 'other' }, 'ValidationError', 'Stack with id other does not exist'],
  [{ Action: 'UpdateStack', StackName: 'small' }, 'InvalidAction', 'UpdateStack is not supported.'],
  [
    { Action: 'DeleteStack', StackName: 'small' },
    'ValidationError',
    'On one machine, stop the service and remove its data folder.',
  ],
])('%j is rejected with the error of AWS', async (query, Code, Message) => {
  const { status, document } = await ask(query);
  expect(status).toBe(400);
  expect(document.ErrorResponse.Error).toEqual({ Type: 'Sender', Code, Message });
});

test('a stack with termination protection cannot be deleted', async () => {
  const { status, document } = await ask({ Action: 'DeleteStack', StackName: id }, { terminationProtection: true });
  expect(status).toBe(400);
  expect(document.ErrorResponse.Error).toEqual({
    Type: 'Sender',
    Code: 'ValidationError',
    Message: 'Stack [small] cannot be deleted while TerminationProtection is enabled',
  });
});
