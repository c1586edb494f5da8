import {
  ConditionalCheckFailedException,
  ProvisionedThroughputExceededException,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from 'vitest';
import { isUnavailable } from '../../../functions/aws/is-unavailable.ts';

const named = (name: string, more: object = {}) => Object.assign(new Error('x'), { name, ...more });

const cancelled = (...codes: string[]) =>
  new TransactionCanceledException({
    message: 'x',
    $metadata: { httpStatusCode: 400 },
    CancellationReasons: codes.map((Code) => ({ Code })),
  });

describe('a transient error', () => {
  test.each([
    ['a broken connection', named('Error', { code: 'ECONNRESET' })],
    ['a client that waited for too long', named('TimeoutError')],
    ['a busy table', new ProvisionedThroughputExceededException({ message: 'x', $metadata: {} })],
    ['a busy store', named('SlowDown')],
    ['a refusal without a name, as of a HEAD', named('UnknownError', { $metadata: { httpStatusCode: 503 } })],
    ['a transaction that met others each time', cancelled('None', 'TransactionConflict')],
    ['a transaction on a busy table', cancelled('ThrottlingError')],
    ['too many requests', named('X', { $metadata: { httpStatusCode: 429 } })],
  ])('is %s', (_, error) => {
    expect(isUnavailable(error)).toBe(true);
  });

  test.each([
    ['a lost race', new ConditionalCheckFailedException({ message: 'x', $metadata: { httpStatusCode: 400 } })],
    ['a transaction that lost a race', cancelled('ConditionalCheckFailed')],
    ['a right that is missing', named('AccessDenied', { $metadata: { httpStatusCode: 403 }, $fault: 'client' })],
    ['an error of ours', new TypeError('x')],
    ['what is no error', 'x'],
  ])('is not %s', (_, error) => {
    expect(isUnavailable(error)).toBe(false);
  });
});
