import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { credentials } from '../../src/testing/serve-control.ts';
import { signRequest } from '../../src/testing/sign-request.ts';
import { type RunningDynamo, startDynamo } from './dynamo-server.ts';

let dynamo: RunningDynamo;

beforeAll(async () => {
  dynamo = await startDynamo();
});
afterAll(() => dynamo.stop());

const rightly = (headers: Record<string, string>) => headers;

/** Sends a signed request, with headers changed by `change` after signing. */
async function post(target: string, body: string, change: typeof rightly = rightly) {
  const url = `${dynamo.endpoint}/`;
  const headers = { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': target };
  const signed = signRequest({ url, headers, body, service: 'dynamodb', region: 'eu-west-1', credentials });
  const response = await fetch(url, { ...signed, headers: change(signed.headers) });
  return { response, text: await response.text() };
}

test('a response has a checksum, a request id and the protocol of the request', async () => {
  const { response, text } = await post('DynamoDB_20120810.ListTables', '{}');
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('application/x-amz-json-1.0');
  expect(response.headers.get('x-amz-crc32')).toBe(String(crc32(text)));
  expect(response.headers.get('x-amzn-requestid')).toMatch(/^[0-9a-f-]{36}$/);
});

test.each([
  [
    'no signature',
    'DynamoDB_20120810.ListTables',
    '{}',
    ({ authorization: _, ...rest }) => rest,
    'MissingAuthenticationTokenException',
  ],
  [
    'another scheme',
    'DynamoDB_20120810.ListTables',
    '{}',
    (headers) => ({ ...headers, authorization: 'Bearer x' }),
    'MissingAuthenticationTokenException',
  ],
  [
    'half a signature',
    'DynamoDB_20120810.ListTables',
    '{}',
    (headers) => ({ ...headers, authorization: 'AWS4-HMAC-SHA256 Credential=k' }),
    'IncompleteSignatureException',
  ],
  [
    'no date',
    'DynamoDB_20120810.ListTables',
    '{}',
    ({ 'x-amz-date': _, ...rest }) => rest,
    'IncompleteSignatureException',
  ],
  ['an unknown operation', 'DynamoDB_20120810.CreateTable', '{}', rightly, 'UnknownOperationException'],
  ['a name from the prototype', 'DynamoDB_20120810.constructor', '{}', rightly, 'UnknownOperationException'],
  ['another interface', 'DynamoDB_20111205.ListTables', '{}', rightly, 'UnknownOperationException'],
  ['broken JSON', 'DynamoDB_20120810.ListTables', '{', rightly, 'SerializationException'],
  ['a list', 'DynamoDB_20120810.ListTables', '[]', rightly, 'SerializationException'],
  ['no body', 'DynamoDB_20120810.ListTables', '', rightly, 'SerializationException'],
  [
    'a member of the wrong type',
    'DynamoDB_20120810.GetItem',
    '{"TableName":["things"],"Key":{}}',
    rightly,
    'SerializationException',
  ],
  ['no table name', 'DynamoDB_20120810.DescribeTable', '{}', rightly, 'ValidationException'],
] as [string, string, string, typeof rightly, string][])('%s is refused', async (_, target, body, change, error) => {
  const { response, text } = await post(target, body, change);
  expect(response.status).toBe(400);
  expect(JSON.parse(text).__type).toMatch(new RegExp(`#${error}$`));
});
