import { XMLParser } from 'fast-xml-parser';
import { expect, test } from 'vitest';
import { cloudFormationService } from '../../../../infra/embedded-aws/cloudformation/cloudformation-server.ts';
import { askService } from '../ask-service.ts';

const id = 'arn:aws:cloudformation:local-1:000000000000:stack/small/local';
const stack = cloudFormationService({
  name: 'small',
  id,
  createdAt: '2026-11-21T10:00:00.000Z',
  outputs: { ApiUrl: 'http://127.0.0.1:1/?a&b', TableName: 'notes' },
});
const ask = async (query: Record<string, string>) => {
  const { status, text } = await askService({
    services: { forms: new Map([['cloudformation', stack]]) },
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
    expect(stack.Outputs.member).toEqual([
      { OutputKey: 'ApiUrl', OutputValue: 'http://127.0.0.1:1/?a&b' },
      { OutputKey: 'TableName', OutputValue: 'notes' },
    ]);
  },
);

test.each([
  [{ Action: 'DescribeStacks', StackName: 'other' }, 'ValidationError', 'Stack with id other does not exist'],
  [{ Action: 'DeleteStack', StackName: 'small' }, 'InvalidAction', 'DeleteStack is not supported.'],
])('%j is rejected with the error of AWS', async (query, Code, Message) => {
  const { status, document } = await ask(query);
  expect(status).toBe(400);
  expect(document.ErrorResponse.Error).toEqual({ Type: 'Sender', Code, Message });
});
