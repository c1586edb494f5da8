import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openAsyncInvocations } from '../../src/lambda/async-invocations.ts';
import { TooManyRequests } from '../../src/lambda/lambda-errors.ts';
import type { Invocation } from '../../src/lambda/lambda-instance.ts';
import type { AsyncSettings } from '../../src/template/read-async-settings.ts';
import { testClock } from '../../src/testing/test-clock.ts';

const arn = 'arn:aws:lambda:local-1:000000000000:function:count';
const queueArn = 'arn:aws:sqs:local-1:000000000000:uncounted';
const definition = {
  name: 'count',
  arn,
  codeFolder: '/nowhere',
  module: 'index',
  handler: 'handler',
  timeoutSeconds: 60,
  memoryMiB: 128,
  environment: {},
  roleArn: 'arn:aws:iam::000000000000:role/count',
  managedNodeRoleName: undefined,
  wakesTasks: false,
};
const failed: Invocation = {
  payload: { errorType: 'Error', errorMessage: 'no', trace: [] },
  functionError: 'Unhandled',
};

let folder: string;
let close = async () => {};
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'async-invocations-'));
});
afterEach(async () => {
  await close();
  await rm(folder, { recursive: true });
});

async function open(settings: Partial<AsyncSettings> = {}) {
  const clock = testClock();
  const invoke = vi.fn(async (_name: string, _event: unknown): Promise<Invocation> => ({ payload: null }));
  const sendRecord = vi.fn(async (..._: unknown[]) => {});
  const onFailure = vi.fn();
  const report = vi.fn();
  const queue = await openAsyncInvocations({
    path: join(folder, 'asynchronous.journal'),
    clock,
    functions: [definition],
    settingsOf: () => ({ maxRetries: 2, maxAgeSeconds: 21_600, onFailureQueueArn: queueArn, ...settings }),
    invoke,
    sendRecord,
    onFailure,
    report,
  });
  close = queue.close;
  const advance = async (ms = 0): Promise<void> => {
    clock.advance(ms);
    for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  const calls = async (times: number[]): Promise<number[]> => {
    const counts = [];
    for (const ms of times) {
      await advance(ms);
      counts.push(invoke.mock.calls.length);
    }
    return counts;
  };
  return { queue, invoke, sendRecord, onFailure, report, advance, calls };
}

test('a function that fails is retried after one minute and after two more, then its event goes to the queue', async () => {
  const { queue, invoke, sendRecord, onFailure, calls } = await open();
  invoke.mockResolvedValue(failed);
  await queue.enqueue(arn, { a: 1 });
  expect(await calls([0, 59_999, 1, 119_999, 1, 3_600_000])).toEqual([1, 1, 2, 2, 3, 3]);
  expect(invoke).toHaveBeenLastCalledWith('count', { a: 1 });
  expect(onFailure).toHaveBeenCalledTimes(3);
  const [[to, sender, record]] = sendRecord.mock.calls as [[string, unknown, string]];
  expect([to, sender, sendRecord.mock.calls.length]).toEqual([queueArn, definition, 1]);
  expect(JSON.parse(record)).toEqual({
    version: '1.0',
    timestamp: expect.any(String),
    requestContext: {
      requestId: expect.any(String),
      functionArn: `${arn}:$LATEST`,
      condition: 'RetriesExhausted',
      approximateInvokeCount: 3,
    },
    requestPayload: { a: 1 },
    responseContext: { statusCode: 200, executedVersion: '$LATEST', functionError: 'Unhandled' },
    responsePayload: failed.payload,
  });
});

test('a function without retries is invoked once, and without a destination its event is dropped', async () => {
  const { queue, invoke, sendRecord, calls } = await open({ maxRetries: 0, onFailureQueueArn: undefined });
  invoke.mockResolvedValue(failed);
  await queue.enqueue('count', {});
  expect(await calls([0, 3_600_000])).toEqual([1, 1]);
  expect(sendRecord).not.toHaveBeenCalled();
});

test('a throttled event is retried with back-off, which counts as no failure, until it is too old', async () => {
  const { queue, invoke, sendRecord, calls, advance } = await open({ maxRetries: 0, maxAgeSeconds: 60 });
  invoke.mockRejectedValue(new TooManyRequests());
  await queue.enqueue('count', {});
  expect(await calls([0, 1000, 2000, 4000, 8000])).toEqual([1, 2, 3, 4, 5]);
  await advance(16_000);
  await advance(32_000);
  expect(invoke).toHaveBeenCalledTimes(6);
  const [[, , record]] = sendRecord.mock.calls as [[string, unknown, string]];
  expect(JSON.parse(record).requestContext.condition).toBe('EventAgeExceeded');
});

test('an event that was accepted is invoked after a restart', async () => {
  const first = await open();
  await first.queue.enqueue('count', { kept: true });
  await first.queue.close();
  const second = await open();
  expect(await second.calls([0])).toEqual([1]);
  expect(second.invoke).toHaveBeenCalledWith('count', { kept: true });
});

test('an invocation that the process did not survive is a failed one', async () => {
  const first = await open();
  first.invoke.mockReturnValue(new Promise(() => {}));
  await first.queue.enqueue('count', {});
  await first.advance();
  await first.queue.close();
  const second = await open();
  expect(await second.calls([0, 59_999, 1])).toEqual([0, 0, 1]);
  expect(second.onFailure).not.toHaveBeenCalled();
});

test('an invocation that the shutdown ends is not given up', async () => {
  const first = await open({ maxRetries: 0 });
  const { promise, resolve } = Promise.withResolvers<Invocation>();
  first.invoke.mockReturnValue(promise);
  await first.queue.enqueue('count', {});
  await first.advance();
  const closed = first.queue.close();
  resolve(failed);
  await closed;
  await first.advance();
  expect([first.sendRecord, first.onFailure].map(({ mock }) => mock.calls.length)).toEqual([0, 0]);
});

test('an event over 1 MB or for an unknown function is refused', async () => {
  const { queue } = await open();
  await expect(queue.enqueue('count', 'x'.repeat(1024 * 1024))).rejects.toMatchObject({ statusCode: 413 });
  await expect(queue.enqueue('other', {})).rejects.toMatchObject({ statusCode: 404 });
});
