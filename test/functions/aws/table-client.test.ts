import { setFlagsFromString } from 'node:v8';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { documents } from '../../../functions/aws/table-client.ts';

test('calls to the table build no log entry, User-Agent or trace header', () => {
  const names = documents.middlewareStack.identify().join('\n');
  expect(names).toContain('retryMiddleware');
  expect(names).not.toMatch(/logger|userAgent|recursion/i);
});

test('the configuration that calls copy is no hash table', () => {
  setFlagsFromString('--allow-natives-syntax');
  const isFast = new Function('value', 'return %HasFastProperties(value)') as (value: object) => boolean;
  expect(isFast(documents.config)).toBe(true);
  // The reason for the copy.
  expect(isFast(new DynamoDBClient({}).config)).toBe(false);
});

test('calls share a signer', async () => {
  process.env.AWS_REGION = 'us-east-1';
  const { signer } = documents.config;
  expect(await signer()).toBe(await signer());
});
