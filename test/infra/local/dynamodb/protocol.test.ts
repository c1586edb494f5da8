import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningDynamo, startDynamo } from './dynamo-server.ts';

let dynamo: RunningDynamo;

beforeAll(async () => {
  dynamo = await startDynamo();
});
afterAll(() => dynamo.stop());

const signed = {
  authorization:
    'AWS4-HMAC-SHA256 Credential=k/20261121/eu-west-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0a',
  'x-amz-date': '20261121T120000Z',
};

async function post(target: string, body: string, headers: Record<string, string> = signed) {
  const response = await fetch(dynamo.endpoint, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': target, ...headers },
  });
  return { response, text: await response.text() };
}

test('an answer carries its checksum, a request id and the protocol of the request', async () => {
  const { response, text } = await post('DynamoDB_20120810.ListTables', '{}');
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('application/x-amz-json-1.0');
  expect(response.headers.get('x-amz-crc32')).toBe(String(crc32(text)));
  expect(response.headers.get('x-amzn-requestid')).toMatch(/^[0-9a-f-]{36}$/);
});

test.each([
  ['no signature', 'DynamoDB_20120810.ListTables', '{}', {}, 'MissingAuthenticationTokenException'],
  [
    'another scheme',
    'DynamoDB_20120810.ListTables',
    '{}',
    { authorization: 'Bearer x' },
    'MissingAuthenticationTokenException',
  ],
  [
    'half a signature',
    'DynamoDB_20120810.ListTables',
    '{}',
    { ...signed, authorization: 'AWS4-HMAC-SHA256 Credential=k' },
    'IncompleteSignatureException',
  ],
  [
    'no date',
    'DynamoDB_20120810.ListTables',
    '{}',
    { authorization: signed.authorization },
    'IncompleteSignatureException',
  ],
  ['an unknown operation', 'DynamoDB_20120810.CreateTable', '{}', signed, 'UnknownOperationException'],
  ['a name from the prototype', 'DynamoDB_20120810.constructor', '{}', signed, 'UnknownOperationException'],
  ['another interface', 'DynamoDB_20111205.ListTables', '{}', signed, 'UnknownOperationException'],
  ['broken JSON', 'DynamoDB_20120810.ListTables', '{', signed, 'SerializationException'],
  ['a list', 'DynamoDB_20120810.ListTables', '[]', signed, 'SerializationException'],
  ['no body', 'DynamoDB_20120810.ListTables', '', signed, 'SerializationException'],
  [
    'a member of the wrong type',
    'DynamoDB_20120810.GetItem',
    '{"TableName":["things"],"Key":{}}',
    signed,
    'SerializationException',
  ],
  ['no table name', 'DynamoDB_20120810.DescribeTable', '{}', signed, 'ValidationException'],
] as const)('%s is refused', async (_name, target, body, headers, error) => {
  const { response, text } = await post(target, body, { ...headers });
  expect(response.status).toBe(400);
  expect(JSON.parse(text).__type).toMatch(new RegExp(`#${error}$`));
});
